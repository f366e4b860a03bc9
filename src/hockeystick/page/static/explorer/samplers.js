// "Which sampler did you really use?": the same run with batches made in four ways.

import { asked, latest } from "../base/api.js";
import { busy } from "../base/busy.js";
import { byId, make } from "../base/dom.js";
import { asNumber, typed } from "../base/numbers.js";
import { activeRun, change, current, MOST_RUNS } from "../base/state.js";
import { barsCsv, barsSvg, lengths } from "../charts/bars.js";
import { saveButtons } from "../charts/save.js";
import { message } from "./attacker.js";

/** @import { SampledRun } from "../base/types.js" */
/** @import { Bar } from "../charts/bars.js" */

/** @type {SampledRun[]} */
let rows = [];

export function startSamplers() {
  saveButtons(byId("save-samplers"), "the samplers", () => {
    const title = "Which sampler did you really use?";
    return rows.length ? { name: "hockeystick-samplers", svg: barsSvg(title, bars()), csv: barsCsv(bars()) } : null;
  });
  byId("samplers-plot").addEventListener("click", () => {
    const runs = rows
      .filter((row) => row.expression && !Number.isNaN(asNumber(row.epsilon)))
      .map(({ expression, relation }) => ({ expression, relation }));
    if (runs.length) change({ runs: runs.slice(0, MOST_RUNS), active: 0, tab: "explorer", kind: "profile" });
  });
}

/** @param {() => boolean} wanted */
export async function askSamplers(wanted) {
  const question = { run: asked(activeRun()), delta: typed(current().delta) };
  const place = byId("samplers-answer");
  try {
    const answer = await busy("samplers", latest("samplers", "samplers", question));
    if (!wanted()) return;
    rows = /** @type {{rows: SampledRun[]}} */ (answer).rows;
    show(place);
  } catch (error) {
    if (wanted()) place.replaceChildren(make("p", { class: "error", text: message(error) }));
  }
}

/** @returns {Bar[]} */
function bars() {
  return rows.map((row) => ({
    name: row.sampler,
    value: asNumber(row.epsilon),
    lower: asNumber(row.lower),
    printed: row.shown ?? "–",
    note: row.note ?? "",
    standing: "valid",
  }));
}

/** @param {HTMLElement} place */
function show(place) {
  const { lengths: parts } = lengths(bars());
  const cards = rows.map((row, i) => {
    const length = make("span", { class: "length" });
    length.style.width = `${100 * (parts[i] ?? 0)}%`;
    return make(
      "li",
      {},
      make("h2", { text: row.sampler }),
      make("p", { class: "cost" }, make("var", { text: "ε" }), " ", make("strong", { text: row.shown ?? "–" })),
      make("span", { class: "track", "aria-hidden": "true" }, length),
      make("p", { class: "ends", text: row.shown_lower ? `at least ${row.shown_lower}` : "" }),
      make("code", { text: row.expression ?? "" }),
      make("p", { class: "relation", text: row.relation ? `neighbours: ${row.relation}` : "" }),
      make("p", { class: "hint", text: row.note ?? "" }),
    );
  });
  place.replaceChildren(make("ul", { class: "sampled" }, ...cards));
}
