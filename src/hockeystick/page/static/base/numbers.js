// Numbers for people. An ε that is a guarantee is never rounded here: the server prints it.

/** @import { Value } from "./types.js" */

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/**
 * A value of the server as a number of JavaScript; what is unknown is NaN.
 * @param {Value | undefined} value
 */
export function asNumber(value) {
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return typeof value === "number" ? value : NaN;
}

/**
 * Few digits, for axes, sliders and read-outs: 0.00123, 1.5, 2e-7, ∞.
 * @param {number} value
 * @param {number} [digits]
 */
export function short(value, digits = 4) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e7) {
    const [mantissa = "", exponent = ""] = value.toExponential(digits - 1).split("e");
    return `${trimmed(mantissa)}e${exponent.replace("+", "")}`;
  }
  return trimmed(value.toPrecision(digits).includes("e") ? value.toFixed(0) : value.toPrecision(digits));
}

/** @param {string} text */
function trimmed(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/**
 * A power of ten as people write it: 10⁻⁵; 1 and 10 and 0.1 as they are.
 * @param {number} exponent
 */
export function powerOfTen(exponent) {
  if (exponent >= -1 && exponent <= 3) return String(10 ** exponent);
  const digits = [...String(Math.abs(exponent))].map((d) => SUPERSCRIPTS[Number(d)]).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

/**
 * A number that a person typed, for the server: as a number where it is one, else as it stands,
 * so that the library itself says what is wrong with it.
 * @param {string} text
 * @returns {number | string}
 */
export function typed(text) {
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) ? value : text;
}

/**
 * A number as the text form of the library writes it.
 * @param {number} value
 */
export function written(value) {
  const text = String(Number(value.toPrecision(6)));
  return text.replace("e+", "e");
}
