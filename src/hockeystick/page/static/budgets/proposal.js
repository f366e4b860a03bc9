// Would a spending fit? Nothing is written.

import { latest } from "../base/api.js";
import { busy } from "../base/busy.js";
import { byId, make, say } from "../base/dom.js";
import { change, current } from "../base/state.js";

const REST = 150;

/**
 * The card with a proposal, which answers while one types.
 * @param {string} path of the budget
 */
export function proposal(path) {
  let timer = 0;
  const input = make("textarea", {
    id: "proposal",
    rows: 2,
    spellcheck: "false",
    "aria-describedby": "proposal-error",
  });
  input.value = current().proposal;
  input.addEventListener("input", () => {
    change({ proposal: input.value }, { passing: true });
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void ask(path, input), REST);
  });
  input.addEventListener("change", () => change({ proposal: input.value }));
  queueMicrotask(() => void ask(path, input));
  return make(
    "article",
    { class: "card", id: "propose" },
    make("div", { class: "progress", "aria-hidden": "true" }),
    make("h2", { text: "Would it fit?" }),
    make(
      "div",
      { class: "field" },
      make("label", { for: "proposal", text: "A computation to spend on; nothing is written" }),
      input,
      make("p", { class: "error", id: "proposal-error", role: "alert" }),
    ),
    make("div", { id: "proposal-answer", "aria-live": "polite" }),
  );
}

/**
 * @param {string} path
 * @param {HTMLTextAreaElement} input
 */
async function ask(path, input) {
  const place = byId("proposal-answer");
  input.removeAttribute("aria-invalid");
  say(byId("proposal-error"), "");
  try {
    /** @type {{fits: boolean, sentence: string}} */
    const { fits, sentence } = await busy(
      "propose",
      latest("propose", `${path}/propose`, { expression: input.value.replace(/\s*\n\s*/g, " ") }),
    );
    place.replaceChildren(
      make("p", { class: `verdict ${fits ? "good" : "bad"}`, text: fits ? "Would fit" : "Would not fit" }),
      make("p", { class: "plain", text: sentence }),
    );
  } catch (error) {
    place.replaceChildren();
    input.setAttribute("aria-invalid", "true");
    say(byId("proposal-error"), error instanceof Error ? error.message : String(error));
  }
}
