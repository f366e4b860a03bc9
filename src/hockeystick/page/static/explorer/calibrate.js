// The value that just meets a target ε.

import { latest } from "../base/api.js";
import { busy } from "../base/busy.js";
import { byId, make, say } from "../base/dom.js";
import { parts, text, values } from "../base/expression.js";
import { typed } from "../base/numbers.js";
import { activeRun, change, changeRun, current, onChange } from "../base/state.js";
import { message } from "./attacker.js";
import { knownNames } from "./form.js";

/** @import { Calibrated } from "../base/types.js" */
/** @import { Part } from "../base/expression.js" */

/** @typedef {{key: string, label: string, expression: string}} Unknown */

const select = /** @type {HTMLSelectElement} */ (byId("unknown"));
const target = /** @type {HTMLInputElement} */ (byId("target"));

export function startCalibrate() {
  select.addEventListener("change", () => change({ unknown: select.value }));
  target.addEventListener("input", () => change({ target: target.value }, { passing: true }));
  target.addEventListener("change", () => change({ target: target.value }));
  byId("calibrate-form").addEventListener("submit", (event) => {
    event.preventDefault();
    void ask();
  });
  onChange((now, before) => {
    render();
    if (now.runs !== before.runs || now.active !== before.active) byId("calibrate-answer").replaceChildren();
  });
  render();
}

/**
 * What can be unknown in the run: each argument that is a number, with "?" in its place.
 * @returns {Unknown[]}
 */
function unknowns() {
  const given = parts(activeRun().expression) ?? [];
  return given.flatMap((part, i) => {
    const replaced = (/** @type {Part} */ with_) => text(given.map((one, j) => (j === i ? with_ : one)));
    const where = given.length > 1 ? ` of part ${i + 1}` : "";
    return /** @type {const} */ (["mechanism", "sampler"]).flatMap((side) => {
      const call = part[side];
      const named = knownNames()[`${side}s`].find((one) => one.name === call?.name);
      if (!call || !named || !values(call, named)) return [];
      return call.arguments.map((argument, place) => {
        const name = argument.key ?? named.fields[place]?.name ?? "";
        const asked = call.arguments.map((one, k) => (k === place ? { ...one, text: "?" } : one));
        return {
          key: `${i}.${side}.${name}`,
          label: name.replaceAll("_", " ") + where,
          expression: replaced({ ...part, [side]: { ...call, arguments: asked } }),
        };
      });
    });
  });
}

function render() {
  const found = unknowns();
  const shown = found.map(({ key, label }) => `${key} ${label}`).join();
  if (select.dataset["shown"] !== shown) {
    select.dataset["shown"] = shown;
    select.replaceChildren(...found.map(({ key, label }) => make("option", { value: key, text: label })));
  }
  const wanted = current().unknown;
  select.value = found.some(({ key }) => key === wanted) ? wanted : (found[0]?.key ?? "");
  if (target.value !== current().target) target.value = current().target;
  byId("calibrate").querySelector("button")?.toggleAttribute("disabled", !found.length);
}

async function ask() {
  const unknown = unknowns().find(({ key }) => key === select.value);
  if (!unknown) return;
  const { relation } = activeRun();
  const question = {
    expression: unknown.expression,
    relation,
    delta: typed(current().delta),
    epsilon: typed(current().target),
  };
  say(byId("target-error"), "");
  target.removeAttribute("aria-invalid");
  try {
    show(unknown, await busy("calibrate", latest("calibrate", "calibrate", question)));
  } catch (error) {
    byId("calibrate-answer").replaceChildren();
    target.setAttribute("aria-invalid", "true");
    say(byId("target-error"), message(error));
  }
}

/**
 * @param {Unknown} unknown
 * @param {Calibrated} found
 */
function show(unknown, found) {
  byId("calibrate-answer").replaceChildren(
    make(
      "p",
      { class: "found" },
      make("span", { class: "name", text: `${unknown.label} = ` }),
      make("strong", { id: "calibrated", text: String(found.value) }),
    ),
    make("button", { type: "button", id: "calibrate-use", text: "Use it", onclick: () => changeRun({ expression: found.expression }) }),
  );
}
