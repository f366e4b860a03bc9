// The runs that are compared: which one is edited, what each costs, one more, one less.

import { breakable, byId, make } from "../base/dom.js";
import { AS_IT_IS, change, current, MOST_RUNS, onChange } from "../base/state.js";
import { LETTERS } from "../charts/palette.js";
import { swatch } from "../charts/swatch.js";

/** @import { Answer } from "../base/types.js" */

/** @type {(Answer | Error | null)[]} */
let answers = [];

export function startRuns() {
  byId("add-run").addEventListener("click", add);
  onChange(render);
  render();
}

/** @param {(Answer | Error | null)[]} found */
export function showCosts(found) {
  answers = found;
  render();
}

function add() {
  const { runs, active } = current();
  const copy = runs[active];
  if (runs.length < MOST_RUNS && copy) change({ runs: [...runs, { ...copy }], active: runs.length, whatIf: AS_IT_IS });
  document.getElementById("expression")?.focus();
}

/** @param {number} i */
function remove(i) {
  const { runs, active } = current();
  const left = runs.filter((_, j) => j !== i);
  change({ runs: left, active: Math.min(active > i ? active - 1 : active, left.length - 1), whatIf: AS_IT_IS });
}

function render() {
  const { runs, active } = current();
  const focused = document.activeElement?.closest("#runs") ? document.activeElement.id : "";
  byId("runs").replaceChildren(...runs.map((run, i) => entry(run.expression, i, i === active, runs.length > 1)));
  byId("add-run").toggleAttribute("disabled", runs.length >= MOST_RUNS);
  if (focused) document.getElementById(focused)?.focus();
}

/**
 * @param {string} expression
 * @param {number} i
 * @param {boolean} active
 * @param {boolean} removable
 */
function entry(expression, i, active, removable) {
  const answer = answers[i];
  const cost =
    answer instanceof Error
      ? make("span", { class: "cost error", text: answer.message })
      : make("span", { class: "cost", text: `ε ${answer?.shown ?? "…"}` });
  const choose = make(
    "button",
    { type: "button", class: "run", id: `run-${i}`, "aria-pressed": String(active), onclick: () => change({ active: i, whatIf: AS_IT_IS }) },
    swatch(i),
    make("span", { class: "letter", text: LETTERS[i] }),
    make("span", { class: "expression", title: expression }, ...breakable(expression)),
    cost,
  );
  const drop = make("button", {
    type: "button",
    class: "quiet remove",
    id: `remove-${i}`,
    text: "×",
    "aria-label": `Remove run ${LETTERS[i]}`,
    onclick: () => remove(i),
  });
  return make("li", { class: active ? "active" : "" }, choose, ...(removable ? [drop] : []));
}
