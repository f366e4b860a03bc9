// The page: names are asked once, then each view starts; tabs, the skip link, a server that is gone.

import { latest, ServerGone } from "./base/api.js";
import { byId } from "./base/dom.js";
import { change, current, onChange } from "./base/state.js";
import { mark, row } from "./base/tabs.js";
import { startBudgets } from "./budgets/budgets.js";
import { soon, startExplorer } from "./explorer/explorer.js";

/** @import { Names } from "./base/types.js" */

/** Milliseconds between two looks for a server that is gone. */
const LOOK_AGAIN = 1500;

let started = false;
const tabs = /** @type {HTMLElement} */ (document.querySelector("[role=tablist]"));

function renderTabs() {
  const { tab } = current();
  mark(tabs, "aria-selected", (button) => button.dataset["tab"] === tab);
  for (const panel of document.querySelectorAll("[role=tabpanel]")) {
    panel.toggleAttribute("hidden", panel.id !== `panel-${tab}`);
  }
  byId("layout").dataset["tab"] = tab;
}

function gone() {
  const banner = byId("gone");
  if (!banner.hidden) return;
  banner.hidden = false;
  const look = window.setInterval(async () => {
    try {
      await latest("names", "names");
      window.clearInterval(look);
      if (!started) return location.reload();
      banner.hidden = true;
      soon(gone);
    } catch {
      // not yet
    }
    return undefined;
  }, LOOK_AGAIN);
}

/** @param {Event} event */
function toAnswer(event) {
  event.preventDefault(); // the address holds the state
  if (current().tab !== "explorer") change({ tab: "explorer" });
  byId("answer-title").focus();
  byId("answer").scrollIntoView({ block: "start" });
}

async function start() {
  row(tabs, (button) => change({ tab: button.dataset["tab"] ?? "explorer" }));
  onChange(renderTabs);
  renderTabs();
  byId("skip").addEventListener("click", toAnswer);
  byId("strip").addEventListener("click", toAnswer);
  try {
    const names = /** @type {Names} */ (await latest("names", "names"));
    startExplorer(names, gone);
    started = true;
    await startBudgets();
  } catch (error) {
    if (!(error instanceof ServerGone)) throw error;
    gone();
  }
}

void start();
