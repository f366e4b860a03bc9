// The state of the page: one immutable value, held in the address, so that a link is the page.

/** @import { Kind, Run } from "./types.js" */

/**
 * @typedef {{noise: number, rate: number, steps: number}} WhatIf factors; 1 is as it is
 * @typedef {object} State
 * @property {Run[]} runs one to four
 * @property {number} active the run that is edited
 * @property {string} delta as typed
 * @property {string} tab
 * @property {Kind} kind
 * @property {string} target ε to calibrate to, as typed
 * @property {string} unknown what is calibrated
 * @property {WhatIf} whatIf
 * @property {string} budget
 * @property {string} proposal
 */

export const MOST_RUNS = 4;
/** No slider is moved. @type {WhatIf} */
export const AS_IT_IS = { noise: 1, rate: 1, steps: 1 };
const KINDS = ["profile", "tradeoff", "steps", "renyi"];
const TABS = ["explorer", "samplers", "budgets"];

/** @type {State} */
export const START = {
  runs: [{ expression: "Gaussian(1.1).on(Poisson(0.01)) * 1000", relation: null }],
  active: 0,
  delta: "1e-5",
  tab: "explorer",
  kind: "profile",
  target: "1",
  unknown: "",
  whatIf: AS_IT_IS,
  budget: "",
  proposal: "Gaussian(10)",
};

let state = fromAddress();
/** Whether the newest entry of the history is of a change that still goes on. */
let goingOn = false;
/** @type {((now: State, before: State) => void)[]} */
const listeners = [];

export function current() {
  return state;
}

/** @param {(now: State, before: State) => void} listener */
export function onChange(listener) {
  listeners.push(listener);
}

/**
 * Changes a part of the state and the address with it. Each change adds an entry to the history,
 * but one that goes on (letters typed, a slider held) adds only one.
 * @param {Partial<State>} part
 * @param {{passing?: boolean}} [options]
 */
export function change(part, { passing = false } = {}) {
  const before = state;
  state = { ...state, ...part };
  const same = JSON.stringify(before) === JSON.stringify(state);
  if (!same && passing && goingOn) history.replaceState(null, "", `#s=${encoded(state)}`);
  else if (!same) history.pushState(null, "", `#s=${encoded(state)}`);
  goingOn = passing && (goingOn || !same);
  if (same) return;
  for (const listener of listeners) listener(state, before);
}

/**
 * Changes one run, the one that is edited unless said otherwise.
 * @param {Partial<Run>} part
 * @param {{passing?: boolean}} [options]
 */
export function changeRun(part, options) {
  const runs = state.runs.map((run, i) => (i === state.active ? { ...run, ...part } : run));
  change({ runs }, options);
}

/** @returns {Run} */
export function activeRun() {
  return state.runs[state.active] ?? /** @type {Run} */ (START.runs[0]);
}

/** The whole state as a link. */
export function link() {
  return `${location.origin}${location.pathname}#s=${encoded(state)}`;
}

/** @param {State} given */
function encoded(given) {
  return encodeURIComponent(JSON.stringify(given)).replace(/%(2C|3A|5B|5D|28|29)/g, decodeURIComponent);
}

/** @returns {State} */
function fromAddress() {
  const found = /^#s=(.*)$/s.exec(location.hash)?.[1];
  if (!found) return START;
  try {
    return sound(JSON.parse(decodeURIComponent(found)));
  } catch {
    return START;
  }
}

/**
 * A state out of a link that anyone may have written: what is not of the right kind is left out.
 * @param {any} given
 * @returns {State}
 */
function sound(given) {
  const runs = (Array.isArray(given.runs) ? given.runs : [])
    .filter((/** @type {any} */ run) => typeof run?.expression === "string")
    .slice(0, MOST_RUNS)
    .map((/** @type {any} */ run) => ({
      expression: run.expression,
      relation: typeof run.relation === "string" ? run.relation : null,
    }));
  const some = runs.length ? runs : START.runs;
  const factor = (/** @type {unknown} */ value) =>
    typeof value === "number" && value >= 0.1 && value <= 10 ? value : 1;
  const word = (/** @type {"delta" | "target" | "unknown" | "budget" | "proposal"} */ name) =>
    typeof given[name] === "string" ? given[name] : START[name];
  return {
    runs: some,
    active: Number.isInteger(given.active) && some[given.active] ? given.active : 0,
    delta: word("delta"),
    tab: TABS.includes(given.tab) ? given.tab : START.tab,
    kind: KINDS.includes(given.kind) ? given.kind : START.kind,
    target: word("target"),
    unknown: word("unknown"),
    whatIf: {
      noise: factor(given.whatIf?.noise),
      rate: factor(given.whatIf?.rate),
      steps: factor(given.whatIf?.steps),
    },
    budget: word("budget"),
    proposal: word("proposal"),
  };
}

window.addEventListener("popstate", () => {
  const before = state;
  state = fromAddress();
  goingOn = false;
  for (const listener of listeners) listener(state, before);
});
