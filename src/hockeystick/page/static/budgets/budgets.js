// The budgets of a ledger: looked at, never written. Without a ledger there is no such tab.

import { latest } from "../base/api.js";
import { byId, make } from "../base/dom.js";
import { asNumber, short } from "../base/numbers.js";
import { change, current, onChange } from "../base/state.js";
import { showBudget } from "./budget.js";

/** @import { Budget } from "../base/types.js" */

/** @type {Budget[]} */
let budgets = [];
let shown = "";

export async function startBudgets() {
  /** @type {{ledger: string | null, budgets: Budget[]}} */
  const found = await latest("budgets", "budgets");
  budgets = found.budgets;
  byId("tab-budgets").hidden = found.ledger === null;
  if (found.ledger === null) {
    if (current().tab === "budgets") change({ tab: "explorer" });
    return;
  }
  byId("panel-budgets").replaceChildren(
    make("h1", { text: "Budgets" }),
    make("p", { class: "hint", text: `${found.ledger.split("/").at(-1)}: this page reads it and writes nothing.` }),
    make("ul", { id: "budget-list", class: "budget-list" }),
    make("div", { id: "budget", class: "panel" }),
  );
  onChange(render);
  render();
}

function chosen() {
  return budgets.find(({ name }) => name === current().budget) ?? budgets[0];
}

function render() {
  if (current().tab !== "budgets") {
    shown = ""; // the ledger may have grown when one comes back
    return;
  }
  const one = chosen();
  if (!one) {
    byId("budget").replaceChildren(make("p", { class: "card", text: "The ledger has no budget yet." }));
    return;
  }
  byId("budget-list").replaceChildren(...budgets.map((budget) => entry(budget, budget === one)));
  if (shown !== one.name) {
    shown = one.name;
    void showBudget(byId("budget"), one.name);
  }
}

/**
 * @param {Budget} budget
 * @param {boolean} active
 */
function entry(budget, active) {
  const used = asNumber(budget.used);
  return make(
    "li",
    {},
    make(
      "button",
      {
        type: "button",
        class: "budget-choice",
        "aria-pressed": String(active),
        "data-budget": budget.name,
        onclick: () => change({ budget: budget.name }),
      },
      make("span", { class: "name", text: budget.name }),
      make("span", { class: "limit", text: limitText(budget) }),
      share(used, used > 0.9 ? "nearly" : ""),
      make("span", { class: "used", text: `${percent(used)} spent` }),
    ),
  );
}

/** @param {Budget} budget */
export function limitText({ epsilon, delta }) {
  return delta === "0" ? `ε ${epsilon}` : `ε ${epsilon}, δ ${delta}`;
}

/**
 * @param {number} used a part of 1
 * @param {string} [standing]
 */
export function share(used, standing = "") {
  const length = make("span", { class: `length ${standing}` });
  length.style.width = `${Math.min(100, 100 * used)}%`;
  return make("span", { class: "track", "aria-hidden": "true" }, length);
}

/** @param {number} part */
export function percent(part) {
  return `${short(100 * part, 4)} %`;
}
