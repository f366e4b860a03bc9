// Bars with names and numbers: on the page as elements, in files as SVG and CSV.

import { make } from "../base/dom.js";
import { cell } from "./figure.js";
import { INKS, sheet, words } from "./svg.js";

/**
 * @typedef {object} Bar
 * @property {string} name
 * @property {number} value
 * @property {number} [lower]
 * @property {string} printed
 * @property {string} note
 * @property {"best" | "valid" | "not valid"} standing
 */

/** Where the largest is this much larger than the smallest, bars are of the logarithm. */
const LARGEST_RATIO = 50;

/**
 * How long each bar is, of 1.
 * @param {Bar[]} bars
 * @returns {{lengths: number[], log: boolean}}
 */
export function lengths(bars) {
  const known = bars.map((bar) => bar.value).filter((v) => Number.isFinite(v) && v > 0);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const log = high / low > LARGEST_RATIO;
  const of = (/** @type {number} */ v) => {
    if (!known.length || v <= 0) return 0;
    if (!Number.isFinite(v)) return Number.isNaN(v) ? 0 : 1;
    return log ? 0.08 + (0.92 * Math.log(v / low)) / Math.log(high / low) : v / high;
  };
  return { lengths: bars.map((bar) => of(bar.value)), log };
}

/**
 * @param {HTMLElement} place
 * @param {Bar[]} bars
 */
export function showBars(place, bars) {
  const { lengths: parts, log } = lengths(bars);
  const rows = bars.map((bar, i) => {
    const length = make("span", { class: "length" });
    length.style.width = `${(100 * (parts[i] ?? 0)).toFixed(2)}%`;
    return make(
      "li",
      { class: `bar ${bar.standing.replace(" ", "-")}` },
      make("span", { class: "name", text: bar.name }),
      make("span", { class: "value", text: bar.printed }),
      make("span", { class: "track", "aria-hidden": "true" }, length),
      make("span", { class: "note", text: bar.note }),
    );
  });
  const scale = make("p", { class: "caption", text: log ? "ε, bars on a log scale" : "ε" });
  place.replaceChildren(make("ul", { class: "bars" }, ...rows), scale);
}

/**
 * @param {string} title
 * @param {Bar[]} bars
 */
export function barsSvg(title, bars) {
  const { lengths: parts, log } = lengths(bars);
  const row = 34;
  const content = bars.flatMap((bar, i) => {
    const top = 56 + row * i;
    const ink = bar.standing === "best" ? INKS[0] : bar.standing === "valid" ? "#8fb3c9" : "#c9c5bb";
    return [
      words(24, top + 15, bar.name, { ink: "#1d2430" }),
      `<rect x="240" y="${top}" width="${(420 * (parts[i] ?? 0)).toFixed(2)}" height="20" rx="2" fill="${ink}"/>`,
      words(776, top + 15, bar.printed, { anchor: "end", ink: "#1d2430" }),
    ];
  });
  const bottom = 56 + row * bars.length;
  const scale = words(240, bottom + 14, log ? "ε (log scale)" : "ε", { weight: 600 });
  return sheet(800, bottom + 32, title, [...content, scale]);
}

/** @param {Bar[]} bars */
export function barsCsv(bars) {
  const rows = bars.map((bar) => [bar.name, bar.printed, bar.lower ?? NaN, bar.standing, bar.note]);
  const head = ["bound", "epsilon", "at least", "standing", "note"];
  return [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
