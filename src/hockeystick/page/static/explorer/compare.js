// Every bound on the same ε, as bars.

import { asked, latest } from "../base/api.js";
import { busy } from "../base/busy.js";
import { byId, make } from "../base/dom.js";
import { asNumber, typed } from "../base/numbers.js";
import { activeRun } from "../base/state.js";
import { barsCsv, barsSvg, showBars } from "../charts/bars.js";
import { saveButtons } from "../charts/save.js";
import { message } from "./attacker.js";

/** @import { ComparedBound, Run } from "../base/types.js" */
/** @import { Bar } from "../charts/bars.js" */

/** @type {Bar[]} */
let bars = [];

export function startCompare() {
  saveButtons(byId("save-compare"), "the bounds", () => {
    const title = `Every bound on ε of ${activeRun().expression}`;
    return bars.length ? { name: "hockeystick-compare", svg: barsSvg(title, bars), csv: barsCsv(bars) } : null;
  });
}

/**
 * @param {Run} run
 * @param {string} delta
 * @param {() => boolean} wanted
 */
export async function askCompare(run, delta, wanted) {
  const question = { run: asked(run), delta: typed(delta) };
  try {
    const answer = await busy("compare", latest("explorer-compare", "compare", question));
    if (wanted()) show(/** @type {{rows: ComparedBound[]}} */ (answer).rows);
  } catch (error) {
    bars = [];
    if (wanted()) byId("compare-answer").replaceChildren(make("p", { class: "error", text: message(error) }));
  }
}

/** @param {ComparedBound[]} rows */
function show(rows) {
  const valid = rows.filter((row) => row.valid).map((row) => asNumber(row.epsilon));
  const best = Math.min(...valid.filter((value) => !Number.isNaN(value)));
  bars = rows.map((row) => ({
    name: row.name,
    value: asNumber(row.epsilon),
    printed: row.shown,
    note: row.note,
    standing: row.valid ? (asNumber(row.epsilon) === best ? "best" : "valid") : "not valid",
  }));
  showBars(byId("compare-answer"), bars);
}
