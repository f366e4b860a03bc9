// The controls and the text of a computation, kept in step: each is made from the other.

import { byId, make, say } from "../base/dom.js";
import { called, parts, text, usual, values } from "../base/expression.js";
import { activeRun, change, changeRun, current, onChange } from "../base/state.js";

/** @import { Field, Named, Names } from "../base/types.js" */
/** @import { Call, Part } from "../base/expression.js" */

const FIRST = ["Gaussian", "Laplace", "DiscreteGaussian", "DiscreteLaplace", "RandomizedResponse"];
/** Samplers whose one use is a whole pass over the data: there `*` counts passes. */
const WHOLE_PASS = ["RandomAllocation", "Shuffled"];

/** @type {Names} */
let names = { mechanisms: [], samplers: [] };
/** Which part of a sum the controls show. */
let place = 0;

const expression = /** @type {HTMLTextAreaElement} */ (byId("expression"));
const steps = /** @type {HTMLInputElement} */ (byId("steps"));
const delta = /** @type {HTMLInputElement} */ (byId("delta"));
const relation = /** @type {HTMLSelectElement} */ (byId("relation"));
const mechanism = /** @type {HTMLSelectElement} */ (byId("mechanism"));
const sampler = /** @type {HTMLSelectElement} */ (byId("sampler"));

/** @param {Names} known */
export function startForm(known) {
  names = known;
  fill(mechanism, ordered(known.mechanisms), []);
  fill(sampler, ordered(known.samplers), [["", "none: every record, every step"]]);
  listen(expression, (value, options) => changeRun({ expression: value }, options));
  listen(delta, (value, options) => change({ delta: value }, options));
  listen(steps, (value, options) => changePart((part) => ({ ...part, steps: value || "1" }), options));
  relation.addEventListener("change", () => changeRun({ relation: relation.value || null }));
  mechanism.addEventListener("change", () => {
    const named = known.mechanisms.find((one) => one.name === mechanism.value);
    if (named) changePart((part) => ({ ...part, mechanism: called(named, kept(part.mechanism, named)) }));
  });
  sampler.addEventListener("change", () => {
    const named = known.samplers.find((one) => one.name === sampler.value) ?? null;
    changePart((part) => withSampler(part, named));
  });
  byId("form").addEventListener("submit", (event) => event.preventDefault());
  onChange(render);
  render();
}

/** @returns {Names} */
export function knownNames() {
  return names;
}

/** @param {Named[]} list */
function ordered(list) {
  const rank = (/** @type {Named} */ one) => (FIRST.indexOf(one.name) + 1 || FIRST.length + 1) - 1;
  return list.filter((one) => one.simple).sort((a, b) => rank(a) - rank(b));
}

/**
 * @param {HTMLSelectElement} select
 * @param {Named[]} list
 * @param {[string, string][]} before
 */
function fill(select, list, before) {
  const named = list.map(({ name }) => [name, name]);
  select.replaceChildren(...[...before, ...named].map(([value, label]) => make("option", { value, text: label })));
}

/**
 * Every letter counts at once; the entry in the history is made when the field is left.
 * @param {HTMLInputElement | HTMLTextAreaElement} input
 * @param {(value: string, options: {passing: boolean}) => void} set
 */
function listen(input, set) {
  input.addEventListener("input", () => set(oneLine(input.value), { passing: true }));
  input.addEventListener("change", () => set(oneLine(input.value), { passing: false }));
}

/** @param {string} value */
function oneLine(value) {
  return value.replace(/\s*\n\s*/g, " ");
}

/**
 * @param {(part: Part) => Part} changed
 * @param {{passing: boolean}} [options]
 */
function changePart(changed, options) {
  const given = parts(activeRun().expression);
  if (given) changeRun({ expression: text(given.map((part, i) => (i === place ? changed(part) : part))) }, options);
}

/**
 * What fields of the same name held before: noise stays when the mechanism changes.
 * @param {Call | null} before
 * @param {Named} named
 */
function kept(before, named) {
  const known = [...names.mechanisms, ...names.samplers].find((one) => one.name === before?.name);
  const old = (before && known && values(before, known)) || new Map();
  return new Map(named.fields.filter(({ name }) => old.has(name)).map(({ name }) => [name, old.get(name)]));
}

/**
 * The part under another sampler. Between steps that each draw and a whole pass the count is put
 * over: n steps at rate q are about n·q passes.
 * @param {Part} part
 * @param {Named | null} named
 * @returns {Part}
 */
function withSampler(part, named) {
  if (!named) return { ...part, sampler: null };
  const given = kept(part.sampler, named);
  const rate = part.sampler?.name === "Poisson" ? Number(part.sampler.arguments[0]?.text) : NaN;
  if (!WHOLE_PASS.includes(named.name) || !(rate > 0)) return { ...part, sampler: called(named, given) };
  if (named.name === "RandomAllocation") given.set("steps", String(Math.round(1 / rate)));
  const passes = Math.max(1, Math.round(Number(part.steps) * rate));
  return { ...part, sampler: called(named, given), steps: String(passes) };
}

/** Shows the state; a field that says the same is left alone, so that a cursor in it stays. */
function render() {
  const run = activeRun();
  put(expression, run.expression, (a, b) => oneLine(a) === b);
  put(delta, current().delta);
  relation.value = run.relation ?? "";
  const given = parts(run.expression);
  place = Math.min(place, (given?.length ?? 1) - 1);
  const part = given?.[place];
  const shown = part ? shownPart(part) : null;
  byId("controls").toggleAttribute("hidden", !shown);
  renderHint(given, shown !== null);
  if (!part || !shown) return;
  mechanism.value = part.mechanism.name;
  sampler.value = part.sampler?.name ?? "";
  say(byId("mechanism-sentence"), shown.mechanism.sentence);
  say(byId("sampler-sentence"), shown.sampler?.sentence ?? "");
  put(steps, part.steps);
  const wholePass = WHOLE_PASS.includes(part.sampler?.name ?? "");
  say(document.querySelector("label[for=steps]") ?? steps, wholePass ? "Passes over the data" : "Steps");
  renderFields(byId("mechanism-fields"), "mechanism", shown.mechanism, part.mechanism);
  if (shown.sampler && part.sampler) renderFields(byId("sampler-fields"), "sampler", shown.sampler, part.sampler);
  else byId("sampler-fields").replaceChildren();
}

/** @param {Part} part */
function shownPart(part) {
  const found = names.mechanisms.find((one) => one.simple && one.name === part.mechanism.name);
  const drawn = names.samplers.find((one) => one.simple && one.name === part.sampler?.name);
  if (!found || (part.sampler && !drawn) || !values(part.mechanism, found)) return null;
  if (part.sampler && drawn && !values(part.sampler, drawn)) return null;
  return { mechanism: found, sampler: drawn ?? null };
}

/**
 * @param {Part[] | null} given
 * @param {boolean} shown
 */
function renderHint(given, shown) {
  const hint = byId("expression-hint");
  if (!given || !shown) return say(hint, "The controls show sums of simple steps; this is edited as text.");
  if (given.length < 2) return say(hint, "");
  if (hint.dataset["parts"] === `${given.length}/${place}`) return undefined;
  hint.replaceChildren(
    `The controls show part ${place + 1} of ${given.length}. `,
    make("button", { type: "button", class: "link", text: "Show the next", onclick: () => nextPart(given.length) }),
  );
  return undefined;
}

/** @param {number} count */
function nextPart(count) {
  place = (place + 1) % count;
  render();
}

/**
 * @param {HTMLElement} box
 * @param {"mechanism" | "sampler"} side
 * @param {Named} named
 * @param {Call} call
 */
function renderFields(box, side, named, call) {
  if (box.dataset["named"] !== named.name || !box.childElementCount) {
    box.dataset["named"] = named.name;
    const required = named.fields.filter((field) => field.required);
    const optional = named.fields.filter((field) => !field.required);
    const more = make(
      "details",
      { class: "more" },
      make("summary", { text: "More" }),
      make("div", { class: "fields" }, ...optional.map((field) => control(side, field))),
    );
    box.replaceChildren(...required.map((field) => control(side, field)), ...(optional.length ? [more] : []));
  }
  const given = values(call, named) ?? new Map();
  for (const field of named.fields) {
    const input = /** @type {HTMLInputElement} */ (byId(`${side}-${field.name}`));
    put(input, given.get(field.name) ?? usual(field));
  }
}

/**
 * @param {"mechanism" | "sampler"} side
 * @param {Field} field
 */
function control(side, field) {
  const id = `${side}-${field.name}`;
  const input = make("input", {
    id,
    inputmode: field.kind === "integer" ? "numeric" : "text",
    "data-field": field.name,
    title: field.domain,
    "aria-describedby": `${id}-error`,
  });
  listen(input, (value, options) => setField(side, field.name, value, options));
  return make(
    "div",
    { class: "field" },
    make("label", { for: id, text: field.name.replaceAll("_", " ") }),
    input,
    make("p", { class: "error", id: `${id}-error`, role: "alert" }),
  );
}

/**
 * @param {"mechanism" | "sampler"} side
 * @param {string} field
 * @param {string} value
 * @param {{passing: boolean}} options
 */
function setField(side, field, value, options) {
  changePart((part) => {
    const call = part[side];
    const named = names[`${side}s`].find((one) => one.name === call?.name);
    const given = call && named && values(call, named);
    if (!given || !named) return part;
    return { ...part, [side]: called(named, given.set(field, value)) };
  }, options);
}

/**
 * @param {HTMLInputElement | HTMLTextAreaElement} input
 * @param {string} value
 * @param {(a: string, b: string) => boolean} [same]
 */
function put(input, value, same = (a, b) => a === b) {
  if (!same(input.value, value)) input.value = value;
}
