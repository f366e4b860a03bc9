// The answer: ε in the library's own digits, both ends, how it was found.

import { byId, make, say } from "../base/dom.js";
import { current } from "../base/state.js";
import { LETTERS } from "../charts/palette.js";

/** @import { Answer } from "../base/types.js" */

/** Of the digits of ε, how many are shown large; the others follow, smaller. */
const LARGE_DIGITS = 4;

/** @param {Answer} answer */
export function showAnswer(answer) {
  const { runs, active, delta } = current();
  const [first, rest] = split(answer.shown);
  say(byId("answer-title"), runs.length > 1 ? `What run ${LETTERS[active]} costs` : "What it costs");
  say(byId("epsilon-first"), first);
  say(byId("epsilon-rest"), rest);
  say(byId("ends"), ends(answer));
  byId("facts").replaceChildren(
    fact("at δ", delta),
    fact("relation", answer.relation),
    fact("method", answer.method),
    fact("steps", answer.steps.toLocaleString("en")),
  );
  byId("answer").classList.remove("unanswered");
  say(byId("strip-text"), `ε = ${answer.shown}`);
}

/** The run that is edited has no answer: what is shown belongs to an earlier one. */
export function showNoAnswer() {
  byId("answer").classList.add("unanswered");
  say(byId("epsilon-first"), "–");
  say(byId("epsilon-rest"), "");
  say(byId("ends"), "No answer: see the message beside the field.");
  byId("facts").replaceChildren();
  say(byId("strip-text"), "no answer");
}

/** @param {Answer} answer */
function ends({ shown, shown_lower: lower }) {
  if (shown === "inf") return "No finite ε holds at this δ.";
  return `at most ${shown}, and some neighbours cost at least ${lower}`;
}

/**
 * @param {string} name
 * @param {string} value
 */
function fact(name, value) {
  return make("li", {}, make("span", { class: "name", text: name }), make("span", { class: "value", text: value }));
}

/**
 * The digits that are read first, and the rest.
 * @param {string} shown
 * @returns {[string, string]}
 */
function split(shown) {
  if (shown.includes("e") || shown === "inf") return [shown, ""];
  let digits = 0;
  for (let i = 0; i < shown.length; i += 1) {
    if (/[1-9]/.test(shown.charAt(i)) || (digits && shown.charAt(i) === "0")) digits += 1;
    if (digits === LARGE_DIGITS) return [shown.slice(0, i + 1), shown.slice(i + 1)];
  }
  return [shown, ""];
}
