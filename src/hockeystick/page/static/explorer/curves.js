// The curves of all runs in one plot, and the run that is only supposed.

import { asked, latest } from "../base/api.js";
import { busy } from "../base/busy.js";
import { byId, say } from "../base/dom.js";
import { asNumber, typed } from "../base/numbers.js";
import { change, current, onChange } from "../base/state.js";
import { mark, row } from "../base/tabs.js";
import { csvOf, figureOf, KINDS } from "../charts/figure.js";
import { LETTERS, WHAT_IF } from "../charts/palette.js";
import { Plot } from "../charts/plot.js";
import { saveButtons } from "../charts/save.js";
import { svgOf } from "../charts/svg.js";

/** @import { Answer, Curves, Kind, Run } from "../base/types.js" */
/** @typedef {{run: Run, place: number, answer: Answer}} Drawn */

/** @type {Plot} */
let plot;

export function startCurves() {
  plot = new Plot(byId("plot"));
  row(byId("kinds"), (button) => change({ kind: /** @type {Kind} */ (button.dataset["kind"]) }));
  saveButtons(byId("save-curves"), "this plot", () =>
    plot.figure
      ? { name: `hockeystick-${current().kind}`, svg: svgOf(plot.figure), csv: csvOf(plot.figure) }
      : null,
  );
  onChange(render);
  render();
}

function render() {
  const { kind } = current();
  mark(byId("kinds"), "aria-checked", (button) => button.dataset["kind"] === kind);
  say(byId("curve-hint"), KINDS[kind].hint);
}

/**
 * Asks for the curve of each run and draws what has come: a run that did not change is known.
 * @param {Drawn[]} drawn
 * @param {() => boolean} wanted whether nothing newer was asked meanwhile
 */
export async function askCurves(drawn, wanted) {
  const { kind, delta } = current();
  say(byId("curve-error"), "");
  /** @type {(Curves | null)[]} */
  const found = drawn.map(() => null);
  const one = async (/** @type {Drawn} */ { run, place }, /** @type {number} */ i) => {
    const question = { runs: [asked(run)], kind, delta: typed(delta) };
    try {
      const curves = /** @type {Curves} */ (await latest(`explorer-curves-${place}`, "curves", question));
      if (!wanted()) return;
      found[i] = curves;
      show(found, drawn, delta);
    } catch (error) {
      if (wanted()) say(byId("curve-error"), error instanceof Error ? error.message : String(error));
    }
  };
  await busy("curves", Promise.all(drawn.map(one)));
}

/**
 * @param {(Curves | null)[]} found
 * @param {Drawn[]} all
 * @param {string} delta
 */
function show(found, all, delta) {
  const drawn = all.filter((_, i) => found[i]);
  const [first, ...others] = found.filter((curves) => curves !== null);
  if (!first) return;
  const curves = { ...first, series: [first, ...others].flatMap(({ series }) => series) };
  const level = Number(delta);
  const points = drawn.map(({ place, answer }) => ({ x: asNumber(answer.epsilon), y: level, place }));
  const labels = drawn.map(({ place, answer }) =>
    place === WHAT_IF ? `what if: ${answer.expression}` : named(place, answer.expression),
  );
  plot.show(
    figureOf(curves, {
      labels,
      places: drawn.map(({ place }) => place),
      level: level > 0 ? { y: level, label: `δ = ${delta}` } : null,
      points: level > 0 ? points.filter(({ x }) => Number.isFinite(x)) : [],
    }),
  );
}

/**
 * @param {number} place
 * @param {string} expression
 */
function named(place, expression) {
  return current().runs.length > 1 ? `${LETTERS[place]}: ${expression}` : expression;
}
