// "Which sampler did you really use?": the same run with batches made in four ways.

import { asked, latest } from "../base/api.js";
import { busy } from "../base/busy.js";
import { breakable, byId, make } from "../base/dom.js";
import { asNumber, typed } from "../base/numbers.js";
import { activeRun, change, current, MOST_RUNS } from "../base/state.js";
import { barsCsv, barsSvg, lengths } from "../charts/bars.js";
import { saveButtons } from "../charts/save.js";

/** @import { SampledRun } from "../base/types.js" */
/** @import { Bar } from "../charts/bars.js" */

const SAMPLERS = ["Poisson", "WithoutReplacement", "Shuffled", "RandomAllocation"];

/** One for each sampler, as far as it has come. @type {(SampledRun | Error | null)[]} */
let found = [];

export function startSamplers() {
  saveButtons(byId("save-samplers"), "the samplers", () => {
    const title = `Which sampler? ε at δ = ${current().delta} of ${activeRun().expression}`;
    const drawn = bars();
    return drawn.length ? { name: "hockeystick-samplers", svg: barsSvg(title, drawn), csv: barsCsv(drawn) } : null;
  });
  byId("samplers-plot").addEventListener("click", () => {
    const runs = answered()
      .filter((row) => row.shown)
      .map(({ expression, relation }) => ({ expression, relation }));
    if (runs.length) change({ runs: runs.slice(0, MOST_RUNS), active: 0, tab: "explorer", kind: "profile" });
  });
}

/**
 * Asks for all four at once, and shows each as it comes.
 * @param {() => boolean} wanted
 */
export async function askSamplers(wanted) {
  const question = { run: asked(activeRun()), delta: typed(current().delta) };
  found = SAMPLERS.map(() => null);
  show();
  await busy(
    "samplers",
    Promise.all(
      SAMPLERS.map(async (sampler, i) => {
        const row = await one(sampler, question);
        if (!wanted()) return;
        found[i] = row;
        show();
      }),
    ),
  );
}

/**
 * @param {string} sampler
 * @param {object} question
 * @returns {Promise<SampledRun | Error>}
 */
async function one(sampler, question) {
  try {
    const answer = await latest(`samplers-${sampler}`, "samplers", { ...question, sampler });
    const row = /** @type {{rows: SampledRun[]}} */ (answer).rows[0];
    return row ?? new Error("no answer");
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** @returns {SampledRun[]} */
function answered() {
  return found.flatMap((row) => (row && !(row instanceof Error) ? [row] : []));
}

/** @returns {Bar[]} */
function bars() {
  return answered().map((row) => ({
    name: row.words,
    value: asNumber(row.epsilon),
    lower: asNumber(row.lower),
    printed: row.shown || "no answer",
    note: row.note,
    standing: row.yours ? "best" : "valid",
  }));
}

function show() {
  const rows = answered();
  const { lengths: parts } = lengths(bars());
  const errors = found.flatMap((row) => (row instanceof Error ? [row.message] : []));
  const [first] = errors;
  const none = errors.length === SAMPLERS.length && first;
  const cards = found.map((row, i) =>
    row && !(row instanceof Error)
      ? card(row, parts[rows.indexOf(row)] ?? 0)
      : emptyCard(SAMPLERS[i] ?? "", row ? row.message : "Computing …"),
  );
  byId("samplers-answer").replaceChildren(
    none ? make("p", { class: "error", text: first }) : make("ul", { class: "sampled" }, ...cards),
  );
  byId("samplers-plot").toggleAttribute("disabled", !rows.some((row) => row.shown));
}

/**
 * @param {string} sampler
 * @param {string} text why there is no answer
 */
function emptyCard(sampler, text) {
  const cost = make("p", { class: "cost" }, make("var", { text: "ε" }), " –");
  return make("li", { "data-sampler": sampler }, make("h2", { text: sampler }), cost, make("p", { class: "hint", text }));
}

/**
 * @param {SampledRun} row
 * @param {number} part
 */
function card(row, part) {
  const sure = make("span", { class: "sure" });
  const length = make("span", { class: "length" }, sure);
  length.style.width = `${100 * part}%`;
  sure.style.width = `${(100 * asNumber(row.lower)) / asNumber(row.epsilon)}%`;
  const yours = row.yours ? [make("span", { class: "tag", text: "as written" })] : [];
  return make(
    "li",
    { class: row.yours ? "yours" : "", "data-sampler": row.sampler },
    make("h2", {}, row.words, ...yours),
    make("p", { class: "cost" }, make("var", { text: "ε" }), " ", make("strong", { text: row.shown || "–" })),
    make("span", { class: "track", "aria-hidden": "true" }, length),
    make("p", { class: "ends", text: row.shown_lower ? `at least ${row.shown_lower}` : "" }),
    make("code", {}, ...breakable(row.expression)),
    make("p", { class: "relation", text: `neighbours: ${row.relation}` }),
    make("p", { class: "hint", text: row.note }),
  );
}
