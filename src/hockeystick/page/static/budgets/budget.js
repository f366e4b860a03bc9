// One budget: what is spent and left, over time, by whom; a proposal; the check; the statement.

import { latest } from "../base/api.js";
import { breakable, byId, make } from "../base/dom.js";
import { asNumber, short } from "../base/numbers.js";
import { csvOf } from "../charts/figure.js";
import { Plot } from "../charts/plot.js";
import { saveButtons } from "../charts/save.js";
import { svgOf } from "../charts/svg.js";
import { limitText, percent, share } from "./budgets.js";
import { proposal } from "./proposal.js";

/** @import { BudgetInFull, Spending, Value } from "../base/types.js" */
/** @import { Figure } from "../charts/figure.js" */

/**
 * @param {HTMLElement} place
 * @param {string} name
 */
export async function showBudget(place, name) {
  const path = `budgets/${encodeURIComponent(name)}`;
  try {
    /** @type {BudgetInFull} */
    const budget = await latest("budget", path);
    place.replaceChildren(
      summary(budget),
      make("div", { class: "pair" }, proposal(path), check()),
      entries(budget),
      statement(),
    );
    drawChart(budget);
    await Promise.all([fillCheck(path), fillStatement(path)]);
  } catch (error) {
    place.replaceChildren(make("p", { class: "card error", text: message(error) }));
  }
}

/** @param {unknown} error */
function message(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {BudgetInFull} budget */
function summary(budget) {
  const [used, left] = [asNumber(budget.used), asNumber(budget.left)];
  const over = budget.sums.some(({ reached, limit }) => asNumber(reached) > asNumber(limit));
  return make(
    "article",
    { class: "card", id: "budget-summary" },
    make("h2", { text: budget.name }),
    make("p", { class: "hint", text: `${limitText(budget)} for ${budget.unit}, neighbours: ${budget.relation}; open since ${day(budget.opened)}.` }),
    make(
      "div",
      { class: "spent" },
      share(used, used > 0.9 ? "nearly" : ""),
      make("p", {}, make("strong", { id: "spent", text: `${percent(used)} spent` })),
      make("p", {}, make("strong", { id: "left", text: `${percent(left)} left` })),
    ),
    make("ul", { class: "sums" }, ...budget.sums.map(sum)),
    ...(over && used <= 1 ? [make("p", { class: "hint", text: "One of these within its limit is enough." })] : []),
    make("p", { class: "hint" }, make("strong", { id: "filter", text: `${budget.filter} filter. ` }), budget.filter_sentence),
  );
}

/** @param {BudgetInFull["sums"][number]} given */
function sum({ label, reached, limit }) {
  const [spent, most] = [asNumber(reached), asNumber(limit)];
  return make(
    "li",
    {},
    make("span", { class: "name", text: label }),
    share(spent / most, spent > most ? "over" : ""),
    make("span", { class: "value", text: `${short(spent)} of ${short(most)}` }),
  );
}

function check() {
  return make(
    "article",
    { class: "card", id: "verify" },
    make("h2", { text: "Is it as it was written?" }),
    make("p", { class: "hint", text: "Every hash, every sum and every budget is computed again." }),
    make("div", { id: "verify-answer", "aria-live": "polite" }, "Checking …"),
  );
}

/** @param {string} path */
async function fillCheck(path) {
  /** @type {{ok: boolean, sentence: string}} */
  const { ok, sentence } = await latest("verify", `${path}/verify`);
  byId("verify-answer").replaceChildren(
    make("p", { class: `verdict ${ok ? "good" : "bad"}`, text: ok ? "Unbroken" : "Broken" }),
    make("p", { class: "plain", text: sentence }),
  );
}

/** @param {BudgetInFull} budget */
function entries(budget) {
  const head = ["", "Time", "By", "Purpose", "What ran", "Spent"].map((text) => make("th", { scope: "col", text }));
  const newestFirst = [...budget.entries].reverse();
  const many = budget.spendings > budget.entries.length;
  return make(
    "article",
    { class: "card", id: "entries" },
    make("div", { class: "card-head" }, make("h2", { text: "Over time" }), make("div", { class: "save", id: "save-budget" })),
    make("div", { id: "budget-plot", class: "plot small" }),
    make(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Entries" },
      make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...newestFirst.map(entryRow))),
    ),
    ...(many ? [make("p", { class: "hint", text: `The last ${budget.entries.length} of ${budget.spendings}.` })] : []),
  );
}

/** @param {Spending} entry */
function entryRow({ number, time, by, purpose, part, expression, used }) {
  const what = part ? `${expression}  (part ${part})` : expression;
  return make(
    "tr",
    {},
    make("td", { class: "number", text: number }),
    make("td", { class: "nowrap", text: `${day(time)} ${time.slice(11, 16)}` }),
    make("td", { text: by }),
    make("td", { text: purpose }),
    make("td", {}, make("code", {}, ...breakable(what))),
    make("td", { class: "number", text: percent(asNumber(used)) }),
  );
}

/** @param {string} time ISO 8601 */
function day(time) {
  return time.slice(0, 10);
}

/** @param {BudgetInFull} budget */
function drawChart(budget) {
  const plot = new Plot(byId("budget-plot"), { height: 240 });
  plot.show(chart(budget));
  saveButtons(byId("save-budget"), "the chart", () =>
    plot.figure ? { name: `hockeystick-${budget.name}`, svg: svgOf(plot.figure), csv: csvOf(plot.figure) } : null,
  );
}

/**
 * @param {BudgetInFull} budget
 * @returns {Figure}
 */
function chart({ name, chart: { time, used } }) {
  const seconds = time.map((text) => Date.parse(text) / 1000);
  const now = Math.max(Date.now() / 1000, ...seconds.slice(-1));
  const parts = [...used, used.at(-1) ?? 0].map((/** @type {Value} */ value) => 100 * asNumber(value));
  const from = seconds[0] ?? now - 1;
  return {
    title: `${name}: spent over time`,
    x: { label: "time", unit: "UTC", scale: "linear" },
    y: { label: "spent", unit: "% of the budget", scale: "linear" },
    xRange: { scale: "linear", from, to: Math.max(now, from + 1) },
    yRange: { scale: "linear", from: 0, to: 100 },
    lines: [{ label: name, place: 0, x: [...seconds, now], y: parts, other: [], stairs: true }],
    references: [],
    level: { y: 100, label: "the whole budget" },
    points: [],
    time: true,
  };
}

function statement() {
  return make(
    "article",
    { class: "card", id: "statement" },
    make(
      "div",
      { class: "card-head" },
      make("h2", { text: "Statement" }),
      make("button", { type: "button", class: "quiet", id: "print", text: "Print", onclick: () => window.print() }),
    ),
    make("pre", { id: "statement-text", tabindex: 0, "aria-label": "Statement" }, "…"),
  );
}

/** @param {string} path */
async function fillStatement(path) {
  /** @type {{text: string}} */
  const { text } = await latest("statement", `${path}/statement`);
  byId("statement-text").textContent = text;
}
