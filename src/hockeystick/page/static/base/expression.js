// The text form of a computation, as far as controls can show it:
// Mechanism(arguments).on(Sampler(arguments)) * steps, and sums of these.
// The library alone decides what a text means; here it is only taken apart and put together.

/** @import { Field, Named } from "./types.js" */

/**
 * @typedef {{key: string | null, text: string}} Argument
 * @typedef {{name: string, arguments: Argument[]}} Call
 * @typedef {{mechanism: Call, sampler: Call | null, steps: string}} Part
 */

const CALL = /^\s*([A-Za-z_]\w*)\s*\(/;
const STEPS = /^\s*\*\s*([\d_]+(?:\.\d*)?(?:e\+?\d+)?)\s*$/;

/**
 * The parts of a text; null where it says more than controls can show.
 * @param {string} text
 * @returns {Part[] | null}
 */
export function parts(text) {
  const terms = splitAt(text, "+");
  const found = terms.map(part);
  return found.every((one) => one !== null) ? /** @type {Part[]} */ (found) : null;
}

/**
 * @param {string} text
 * @returns {Part | null}
 */
function part(text) {
  const mechanism = call(text);
  if (!mechanism) return null;
  let rest = mechanism.rest;
  let sampler = null;
  const on = /^\s*\.\s*on\s*\(/.exec(rest);
  if (on) {
    const inside = untilClosed(rest.slice(on[0].length));
    const found = inside && call(inside.inside);
    if (!inside || !found || found.rest.trim()) return null;
    sampler = found.call;
    rest = inside.rest;
  }
  if (!rest.trim()) return { mechanism: mechanism.call, sampler, steps: "1" };
  const steps = STEPS.exec(rest)?.[1];
  return steps ? { mechanism: mechanism.call, sampler, steps } : null;
}

/**
 * @param {string} text
 * @returns {{call: Call, rest: string} | null}
 */
function call(text) {
  const head = CALL.exec(text);
  const inside = head && untilClosed(text.slice(head[0].length));
  if (!head || !inside) return null;
  const pieces = inside.inside.trim() ? splitAt(inside.inside, ",") : [];
  const given = pieces.map((piece) => {
    const named = /^\s*([A-Za-z_]\w*)\s*=(.*)$/s.exec(piece);
    return { key: named?.[1] ?? null, text: (named?.[2] ?? piece).trim() };
  });
  if (given.at(-1)?.text === "") given.pop();
  return { call: { name: head[1] ?? "", arguments: given }, rest: inside.rest };
}

/**
 * What is before the bracket that closes one already open, and what is after it.
 * @param {string} text
 */
function untilClosed(text) {
  let depth = 1;
  for (let i = 0; i < text.length; i += 1) {
    if ("([{".includes(text.charAt(i))) depth += 1;
    if (")]}".includes(text.charAt(i))) depth -= 1;
    if (depth === 0) return { inside: text.slice(0, i), rest: text.slice(i + 1) };
  }
  return null;
}

/**
 * The pieces between separators that are in no bracket; the sign of an exponent (1e+5) is none.
 * @param {string} text
 * @param {string} separator
 */
function splitAt(text, separator) {
  const pieces = [""];
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const sign = text.charAt(i);
    if ("([{".includes(sign)) depth += 1;
    if (")]}".includes(sign)) depth -= 1;
    const exponent = /\d[eE]$/.test(text.slice(0, i));
    if (depth === 0 && sign === separator && !exponent) pieces.push("");
    else pieces[pieces.length - 1] += sign;
  }
  return pieces;
}

/**
 * The text of parts: what `parts` takes apart.
 * @param {Part[]} given
 */
export function text(given) {
  return given.map(textOfPart).join(" + ");
}

/** @param {Part} part */
function textOfPart({ mechanism, sampler, steps }) {
  const on = sampler ? `.on(${textOfCall(sampler)})` : "";
  const times = steps.trim() === "1" ? "" : ` * ${steps.trim()}`;
  return `${textOfCall(mechanism)}${on}${times}`;
}

/** @param {Call} call */
function textOfCall(call) {
  const given = call.arguments.map(({ key, text }) => (key ? `${key}=${text}` : text));
  return `${call.name}(${given.join(", ")})`;
}

/**
 * The texts of a call's arguments by the names of fields; null where a field is not known.
 * @param {Call} call
 * @param {Named} named
 * @returns {Map<string, string> | null}
 */
export function values(call, named) {
  const found = new Map();
  for (const [place, { key, text }] of call.arguments.entries()) {
    const name = key ?? named.fields[place]?.name;
    if (!name || !named.fields.some((field) => field.name === name)) return null;
    found.set(name, text);
  }
  return found;
}

/**
 * A call with these values: what is required by its place, the rest by name where it is given.
 * @param {Named} named
 * @param {Map<string, string>} given
 * @returns {Call}
 */
export function called(named, given) {
  const required = named.fields.filter((field) => field.required);
  const optional = named.fields.filter((field) => !field.required);
  const list = required.map((field) => ({ key: null, text: given.get(field.name) ?? usual(field) }));
  const chosen = optional
    .filter((field) => (given.get(field.name) ?? "") !== "" && given.get(field.name) !== usual(field))
    .map((field) => ({ key: field.name, text: given.get(field.name) ?? "" }));
  return { name: named.name, arguments: [...list, ...chosen] };
}

/**
 * The usual value of a field, as text.
 * @param {Field} field
 */
export function usual(field) {
  const value = field.required ? field.example : field.default;
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value);
}
