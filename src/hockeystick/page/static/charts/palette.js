// Colours that colour-blind people tell apart (Okabe and Ito 2008), each with a dash of its own.

export const DASHES = [[], [9, 4], [2, 3], [12, 3, 2, 3]];
export const LETTERS = ["A", "B", "C", "D"];
export const WHAT_IF = 4;
/** Places of colours: four runs, then what is only supposed. */
const NAMES = ["--run-a", "--run-b", "--run-c", "--run-d", "--supposed"];

const probe = document.createElement("span");
probe.hidden = true;

/**
 * A colour of the style sheet as the browser resolves it, dark or light.
 * @param {string} name
 */
export function colour(name) {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

/** @param {number} place */
export function runColour(place) {
  return colour(NAMES[place] ?? "--supposed");
}

/** @param {number} place */
export function dash(place) {
  return DASHES[place] ?? [4, 4];
}

/**
 * The same colour, lighter: for the band between two ends.
 * @param {string} given rgb(…)
 * @param {number} opacity
 */
export function faint(given, opacity) {
  return given.replace(/^rgb\(([^)]+)\)$/, `rgba($1, ${opacity})`);
}
