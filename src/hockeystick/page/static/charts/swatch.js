// The sign of a run: its colour and its dash, beside its name.

import { dash } from "./palette.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {number} place
 * @returns {SVGSVGElement}
 */
export function swatch(place) {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", `swatch run-${place}`);
  picture.setAttribute("viewBox", "0 0 30 10");
  picture.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "line");
  for (const [name, value] of Object.entries({ x1: 1, x2: 29, y1: 5, y2: 5 })) {
    line.setAttribute(name, String(value));
  }
  line.setAttribute("stroke-dasharray", dash(place).join(" "));
  picture.append(line);
  return picture;
}
