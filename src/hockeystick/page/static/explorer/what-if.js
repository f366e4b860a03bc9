// "What if": sliders for noise, rate and steps that leave the run alone until the change is kept.

import { byId, make, say } from "../base/dom.js";
import { parts, text } from "../base/expression.js";
import { short, written } from "../base/numbers.js";
import { activeRun, AS_IT_IS, change, current, onChange } from "../base/state.js";
import { knownNames } from "./form.js";

/** @import { Answer, Run } from "../base/types.js" */
/** @import { Part, Call } from "../base/expression.js" */
/** @import { WhatIf } from "../base/state.js" */

/** A slider goes from a quarter to four times, evenly in the logarithm. */
const LARGEST = Math.log2(4);
const SLIDERS = /** @type {const} */ (["noise", "rate", "steps"]);

export function startWhatIf() {
  byId("sliders").append(...SLIDERS.map(slider));
  byId("what-if-back").addEventListener("click", () => change({ whatIf: AS_IT_IS }));
  byId("what-if-keep").addEventListener("click", () => {
    const run = supposed();
    if (!run) return;
    const { runs, active } = current();
    change({ runs: runs.map((one, i) => (i === active ? run : one)), whatIf: AS_IT_IS });
  });
  onChange(render);
  render();
}

/** @param {typeof SLIDERS[number]} name */
function slider(name) {
  const input = make("input", {
    type: "range",
    id: `slider-${name}`,
    min: -LARGEST,
    max: LARGEST,
    step: 0.01,
    "aria-describedby": `slider-${name}-value`,
  });
  const set = (/** @type {boolean} */ passing) => {
    const factor = Number((2 ** Number(input.value)).toPrecision(4));
    change({ whatIf: { ...current().whatIf, [name]: factor } }, { passing });
  };
  input.addEventListener("input", () => set(true));
  input.addEventListener("change", () => set(false));
  return make(
    "div",
    { class: "slider" },
    make("label", { for: input.id, id: `slider-${name}-label`, text: name }),
    input,
    make("output", { id: `slider-${name}-value`, for: input.id }),
  );
}

function isMoved() {
  const { whatIf } = current();
  return SLIDERS.some((name) => whatIf[name] !== 1);
}

/**
 * The run as it would be; null where no slider is moved or the text has nothing to move.
 * @returns {Run | null}
 */
export function supposed() {
  const { whatIf } = current();
  const given = parts(activeRun().expression);
  if (!given || !isMoved()) return null;
  return { ...activeRun(), expression: text(given.map((part) => moved(part, whatIf))) };
}

/**
 * @param {Part} part
 * @param {WhatIf} by
 * @returns {Part}
 */
function moved(part, by) {
  const steps = scaled(part.steps, by.steps, true);
  return {
    mechanism: scaledCall(part.mechanism, by.noise),
    sampler: part.sampler && scaledCall(part.sampler, by.rate),
    steps,
  };
}

/**
 * A call whose first argument is multiplied.
 * @param {Call} call
 * @param {number} factor
 * @returns {Call}
 */
function scaledCall(call, factor) {
  const [first, ...others] = call.arguments;
  if (!first) return call;
  const named = [...knownNames().mechanisms, ...knownNames().samplers].find((one) => one.name === call.name);
  const field = first.key ? named?.fields.find((one) => one.name === first.key) : named?.fields[0];
  const value = scaled(first.text, factor, field?.kind === "integer");
  const chance = call.name === "Poisson" || call.name === "TruncatedPoisson";
  const capped = chance && Number(value) > 1 ? "1" : value;
  return { ...call, arguments: [{ ...first, text: capped }, ...others] };
}

/**
 * @param {string} value
 * @param {number} factor
 * @param {boolean} whole
 */
function scaled(value, factor, whole) {
  const number = Number(value.replaceAll("_", ""));
  if (factor === 1 || !Number.isFinite(number) || value.trim() === "") return value;
  return whole ? String(Math.max(1, Math.round(number * factor))) : written(number * factor);
}

function render() {
  const { whatIf } = current();
  const given = parts(activeRun().expression);
  const now = given?.[0];
  const then = now && moved(now, whatIf);
  /** @type {Record<string, [string | undefined, string | undefined, string]>} */
  const shown = {
    noise: [now?.mechanism.arguments[0]?.text, then?.mechanism.arguments[0]?.text, noiseName(now)],
    rate: [now?.sampler?.arguments[0]?.text, then?.sampler?.arguments[0]?.text, rateName(now)],
    steps: [now?.steps, then?.steps, "Steps"],
  };
  for (const name of SLIDERS) {
    const [before, after, label] = shown[name] ?? [undefined, undefined, name];
    const input = /** @type {HTMLInputElement} */ (byId(`slider-${name}`));
    input.disabled = !Number.isFinite(Number(before ?? "–"));
    const position = String(Number(Math.log2(whatIf[name]).toFixed(2)));
    if (Math.abs(Number(input.value) - Number(position)) > 0.011) input.value = position;
    say(byId(`slider-${name}-label`), label);
    say(byId(`slider-${name}-value`), before === after ? (before ?? "–") : `${before} → ${after}`);
  }
  const still = !isMoved();
  for (const id of ["what-if-keep", "what-if-back"]) byId(id).toggleAttribute("disabled", still);
  if (still) say(byId("what-if-answer"), "");
}

/** @param {Part | undefined} part */
function noiseName(part) {
  const number = part?.mechanism.arguments[0];
  return number && /Gauss|Laplace/.test(part.mechanism.name) ? "Noise" : "Strength";
}

/** @param {Part | undefined} part */
function rateName(part) {
  if (!part?.sampler) return "Rate";
  if (/Poisson/.test(part.sampler.name)) return "Rate";
  return part.sampler.name === "RandomAllocation" ? "Batches" : "Batch size";
}

/**
 * Says what the change would do.
 * @param {Answer | null} now
 * @param {Answer | Error | null} then
 */
export function showSupposed(now, then) {
  const place = byId("what-if-answer");
  if (!then || !now) return say(place, "");
  if (then instanceof Error) return say(place, then.message);
  const [before, after] = [Number(now.epsilon), Number(then.epsilon)];
  const percent = Math.abs((after / before - 1) * 100);
  const words = after > before ? "more" : "less";
  place.replaceChildren(
    make("span", { class: "from", text: `ε ${short(before, 5)}` }),
    " → ",
    make("strong", { text: `ε ${then.shown}` }),
    Number.isFinite(percent) ? `  (${short(percent, 3)} % ${words})` : "",
  );
  return undefined;
}
