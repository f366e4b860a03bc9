// A figure as a value: what is drawn, apart from how. The screen, SVG and CSV are made of it.

import { asNumber } from "../base/numbers.js";
import { rangeOf } from "./ticks.js";

/** @import { Axis, Curves, Kind } from "../base/types.js" */
/** @import { Range } from "./ticks.js" */

/**
 * @typedef {object} Line
 * @property {string} label what stands in the legend
 * @property {number} place its colour and dash
 * @property {number[]} x
 * @property {number[]} y the safe end
 * @property {number[]} other the other end of what is known
 * @property {boolean} [stairs]
 *
 * @typedef {{label: string, x: number[], y: number[]}} Reference a line that is no run
 * @typedef {{x: number, y: number, place: number}} Point
 *
 * @typedef {object} Figure
 * @property {string} title
 * @property {Axis} x
 * @property {Axis} y
 * @property {Range} xRange
 * @property {Range} yRange
 * @property {Line[]} lines
 * @property {Reference[]} references
 * @property {{y: number, label: string} | null} level a horizontal line
 * @property {Point[]} points
 * @property {boolean} [time] x is in seconds since 1970
 */

/** @type {Record<Kind, {title: string, hint: string}>} */
export const KINDS = {
  profile: {
    title: "δ at each ε",
    hint: "Lower and further left is more private.",
  },
  tradeoff: {
    title: "An attacker's errors",
    hint: "Type I: the record is said to be there and is not. Type II: it is there and missed. Nearer to the diagonal is more private.",
  },
  steps: { title: "ε after each step", hint: "What it has cost when it is stopped there." },
  renyi: { title: "Rényi divergence at each order", hint: "The view of the moments accountant." },
};

/** The two lines between which every trade-off lies. */
const EXTREMES = [
  { label: "perfect privacy: no better than guessing", x: [0, 1], y: [1, 0] },
  { label: "no privacy: never wrong", x: [0, 1], y: [0, 0] },
];

/**
 * The figure of an answer of the server.
 * @param {Curves} curves
 * @param {{labels: string[], places: number[], level: Figure["level"], points: Point[]}} given
 * @returns {Figure}
 */
export function figureOf(curves, { labels, places, level, points }) {
  const tradeoff = curves.kind === "tradeoff";
  // The end that is safe to rely on: few errors are the worst case of a trade-off.
  const [safe, other] = tradeoff ? /** @type {const} */ (["lower", "upper"]) : /** @type {const} */ (["upper", "lower"]);
  const lines = curves.series
    .map((series, i) => ({
      label: labels[i] ?? series.label,
      place: places[i] ?? i,
      x: (series.x ?? []).map(asNumber),
      y: (series[safe] ?? []).map(asNumber),
      other: (series[other] ?? []).map(asNumber),
    }))
    .filter((line) => line.x.length);
  const profile = curves.kind === "profile";
  const heights = lines.flatMap((line) => line.y).concat(profile && level ? [level.y] : []);
  return {
    title: KINDS[curves.kind].title,
    x: curves.x,
    y: curves.y,
    xRange: rangeOf(lines.flatMap((line) => line.x), curves.x.scale, { air: 1 }),
    yRange: tradeoff ? { scale: "linear", from: 0, to: 1 } : rangeOf(heights, curves.y.scale),
    lines,
    references: tradeoff ? EXTREMES : [],
    level: profile ? level : null,
    points: profile ? points : [],
  };
}

/** @param {Axis} axis */
export function axisText({ label, unit }) {
  return unit ? `${label} (${unit})` : label;
}

/**
 * The data of a figure: one row for each point of each line, both ends.
 * @param {Figure} figure
 */
export function csvOf(figure) {
  const rows = figure.lines.flatMap((line) =>
    line.x.map((x, i) => [line.label, x, line.y[i], line.other[i] ?? NaN]),
  );
  const head = ["run", axisText(figure.x), axisText(figure.y), `${axisText(figure.y)}, the other end`];
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** @param {unknown} value */
export function cell(value) {
  const text = value === Infinity ? "inf" : Number.isNaN(value) ? "" : String(value);
  const guarded = /^[=+@]/.test(text) ? `'${text}` : text; // no formula in a spreadsheet
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
