// What an attacker can do, in plain words: how sure a guess of membership can become.

import { asked, latest } from "../base/api.js";
import { busy } from "../base/busy.js";
import { byId, make } from "../base/dom.js";
import { short, typed } from "../base/numbers.js";

/** @import { Attacker, Run } from "../base/types.js" */

/**
 * @param {Run} run
 * @param {string} delta
 * @param {() => boolean} wanted
 */
export async function askAttacker(run, delta, wanted) {
  const question = { run: asked(run), delta: typed(delta) };
  const place = byId("attacker-answer");
  try {
    const answer = await busy("attacker", latest("explorer-attacker", "attacker", question));
    if (wanted()) show(place, /** @type {Attacker} */ (answer));
  } catch (error) {
    if (wanted()) place.replaceChildren(make("p", { class: "error", text: message(error) }));
  }
}

/**
 * @param {HTMLElement} place
 * @param {Attacker} answer
 */
function show(place, answer) {
  const rows = answer.rows.map(({ prior, posterior }) => {
    const before = make("span", { class: "before" });
    const after = make("span", { class: "after" });
    before.style.width = `${100 * prior}%`;
    after.style.width = `${100 * posterior}%`;
    return make(
      "li",
      {},
      make("span", { class: "from", text: percent(prior) }),
      make("span", { class: "belief", "aria-hidden": "true" }, after, before),
      make("span", { class: "to", text: `at most ${percent(posterior)}` }),
    );
  });
  place.replaceChildren(
    make("p", { class: "hint", text: "How likely they thought it that the record is in the data, and how sure they can be afterwards:" }),
    make("ul", { class: "beliefs" }, ...rows),
    ...answer.sentences.map((text) => make("p", { class: "plain", text })),
  );
}

/** @param {number} share */
function percent(share) {
  const unit = 10 ** (Math.floor(Math.log10(100 * share)) - 3); // four digits, rounded up
  return `${short(Math.ceil((100 * share) / unit - 1e-9) * unit)} %`;
}

/** @param {unknown} error */
export function message(error) {
  return error instanceof Error ? error.message : String(error);
}
