// Where an axis has its marks, and what stands there: the same on the screen and in a file.

import { powerOfTen, short } from "../base/numbers.js";

/** @typedef {{scale: "linear" | "log", from: number, to: number}} Range */

/**
 * Marks of an axis: round numbers, or powers of ten.
 * @param {Range} range
 * @param {number} [most]
 * @returns {number[]}
 */
export function ticks({ scale, from, to }, most = 7) {
  return scale === "log" ? decades(from, to, most) : rounds(from, to, most);
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} most
 */
function rounds(from, to, most) {
  const raw = (to - from) / Math.max(1, most - 1);
  if (!(raw > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((m) => m * power >= raw * (1 - 1e-9)) ?? 10) * power;
  const found = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i += 1) {
    found.push(Number((i * step).toPrecision(12)));
  }
  return found;
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} most
 */
function decades(from, to, most) {
  const first = Math.ceil(Math.log10(from) - 1e-9);
  const last = Math.floor(Math.log10(to) + 1e-9);
  if (last - first < 2) return withinDecades(from, to);
  const step = Math.max(1, Math.ceil((last - first) / most));
  const found = [];
  for (let e = Math.ceil(first / step) * step; e <= last; e += step) found.push(Number(`1e${e}`));
  return found;
}

/**
 * @param {number} from
 * @param {number} to
 */
function withinDecades(from, to) {
  const found = [];
  for (let e = Math.floor(Math.log10(from)); e <= Math.ceil(Math.log10(to)); e += 1) {
    for (const m of [1, 2, 5]) {
      const value = Number(`${m}e${e}`);
      if (value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9)) found.push(value);
    }
  }
  return found;
}

/**
 * @param {number} value
 * @param {"linear" | "log"} scale
 */
export function tickText(value, scale) {
  const exponent = Math.log10(value);
  if (scale === "log" && Math.abs(exponent - Math.round(exponent)) < 1e-9) {
    return powerOfTen(Math.round(exponent));
  }
  return short(value, 4);
}

/**
 * A range that holds all numbers, with a little air; on a log scale at most `most` decades, those at
 * the top.
 * @param {number[]} values
 * @param {"linear" | "log"} scale
 * @param {{decades?: number, air?: number}} [options] `air`: how far beyond the largest a log scale goes
 * @returns {Range}
 */
export function rangeOf(values, scale, { decades: most = 16, air = 1.3 } = {}) {
  const usable = values.filter((v) => Number.isFinite(v) && (scale === "linear" || v > 0));
  if (!usable.length) return { scale, from: scale === "log" ? 0.1 : 0, to: 1 };
  const low = usable.reduce((a, b) => Math.min(a, b));
  const high = usable.reduce((a, b) => Math.max(a, b));
  if (scale === "log") {
    const to = high > 0.9 && high <= 1 ? 1 : high * air;
    const from = Math.max(low, to / 10 ** most);
    return { scale, from: from >= to ? to / 10 : from, to };
  }
  const from = Math.min(0, low);
  return { scale, from, to: high > from ? high : from + 1 };
}
