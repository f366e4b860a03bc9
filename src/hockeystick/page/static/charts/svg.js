// A figure as an SVG file, drawn from its data: axes with names, lines with a legend, a title.

import { axisText } from "./figure.js";
import { dash } from "./palette.js";
import { ticks, tickText } from "./ticks.js";
import { timeTexts, timeTicks } from "./time-ticks.js";

/** @import { Figure } from "./figure.js" */
/** @import { Range } from "./ticks.js" */

const WIDTH = 800;
const FRAME = { left: 78, top: 52, width: 690, height: 360 };
const ROW = 20;
/** Files are for paper: the colours of the light page. */
export const INKS = ["#0072b2", "#d55e00", "#007a59", "#a8507f", "#444444"];
const MUTED = "#5b6472";
const RULE = "#e3e0d8";

/**
 * @param {Figure} figure
 * @returns {string}
 */
export function svgOf(figure) {
  const height = FRAME.top + FRAME.height + 62 + ROW * figure.lines.length;
  const across = placed(figure.xRange, FRAME.left, FRAME.left + FRAME.width);
  const up = placed(figure.yRange, FRAME.top + FRAME.height, FRAME.top);
  return sheet(WIDTH, height, figure.title, [
    ...grid(figure, across, up),
    ...figure.references.map(
      ({ x, y, label }, i) =>
        `<path d="${path(x, y, across, up)}" fill="none" stroke="${MUTED}" stroke-dasharray="3 4"/>` +
        (i === 0
          ? words(FRAME.left + FRAME.width / 2, FRAME.top + FRAME.height / 2, label, {
              anchor: "middle",
              turn: (Math.atan2(FRAME.height, FRAME.width) * 180) / Math.PI,
              lift: -8,
            })
          : words(FRAME.left + 8, FRAME.top + FRAME.height - 8, label)),
    ),
    ...level(figure, up),
    ...figure.lines.flatMap((line) => curve(figure, line, across, up)),
    ...figure.points.map(
      ({ x, y, place }) =>
        `<circle cx="${across(x)}" cy="${up(y)}" r="5" fill="${INKS[place]}" stroke="#fff" stroke-width="2"/>`,
    ),
    ...legend(figure),
  ]);
}

/**
 * A whole file: white paper, a title, and what is drawn.
 * @param {number} width
 * @param {number} height
 * @param {string} title
 * @param {string[]} content
 */
export function sheet(width, height, title, content) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"` +
      ` viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="13">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    words(24, 30, title, { ink: "#1d2430", weight: 600, size: 17 }),
    ...content,
    "</svg>\n",
  ].join("\n");
}

/**
 * @param {Figure} figure
 * @param {import("./figure.js").Line} line
 * @param {(v: number) => number} across
 * @param {(v: number) => number} up
 */
function curve(figure, line, across, up) {
  const ink = `fill="none" stroke="${INKS[line.place]}" stroke-dasharray="${dash(line.place).join(" ")}"`;
  const log = figure.yRange.scale === "log";
  const shown = (/** @type {number[]} */ values) =>
    values.map((v) => (log && v <= 0 ? NaN : Math.max(v, log ? figure.yRange.from : v)));
  const draw = (/** @type {number[]} */ y) => path(line.x, shown(y), across, up, line.stairs);
  return [
    `<path d="${draw(line.other)}" ${ink} stroke-width="0.75"/>`,
    `<path d="${draw(line.y)}" ${ink} stroke-width="2.25"/>`,
  ];
}

/**
 * @param {Figure} figure
 * @param {(v: number) => number} up
 */
function level(figure, up) {
  if (!figure.level) return [];
  const y = up(figure.level.y);
  const right = FRAME.left + FRAME.width;
  return [
    `<path d="M${FRAME.left} ${y}H${right}" stroke="${MUTED}" stroke-dasharray="3 4"/>`,
    words(right - 6, y - 6, figure.level.label, { anchor: "end" }),
  ];
}

/**
 * @param {Figure} figure
 * @param {(v: number) => number} across
 * @param {(v: number) => number} up
 */
function grid(figure, across, up) {
  const { left, top, width, height } = FRAME;
  const bottom = top + height;
  const { from, to, scale } = figure.xRange;
  const marks = figure.time ? timeTicks(from, to, 7) : ticks(figure.xRange, 9);
  const texts = figure.time ? timeTexts(marks) : marks.map((v) => tickText(v, scale));
  return [
    ...marks.flatMap((v, i) => [
      `<path d="M${across(v)} ${top}V${bottom}" stroke="${RULE}"/>`,
      words(across(v), bottom + 18, texts[i] ?? "", { anchor: "middle" }),
    ]),
    ...ticks(figure.yRange).flatMap((v) => [
      `<path d="M${left} ${up(v)}H${left + width}" stroke="${RULE}"/>`,
      words(left - 8, up(v) + 4, tickText(v, figure.yRange.scale), { anchor: "end" }),
    ]),
    words(left + width / 2, bottom + 42, axisText(figure.x), { anchor: "middle", weight: 600 }),
    words(22, top + height / 2, axisText(figure.y), { anchor: "middle", weight: 600, turn: -90 }),
  ];
}

/** @param {Figure} figure */
function legend(figure) {
  const top = FRAME.top + FRAME.height + 66;
  return figure.lines.flatMap((line, i) => [
    `<path d="M${FRAME.left} ${top + ROW * i}h34" stroke="${INKS[line.place]}" stroke-width="2.25"` +
      ` stroke-dasharray="${dash(line.place).join(" ")}"/>`,
    words(FRAME.left + 44, top + ROW * i + 4, line.label, { ink: "#1d2430" }),
  ]);
}

/**
 * Where a value of a range lies between two places.
 * @param {Range} range
 * @param {number} first
 * @param {number} last
 */
function placed({ scale, from, to }, first, last) {
  const along = scale === "log" ? Math.log10 : (/** @type {number} */ v) => v;
  const [start, end] = [along(from), along(to)];
  return (/** @type {number} */ v) =>
    Number((first + ((along(v) - start) / (end - start)) * (last - first)).toFixed(2));
}

/**
 * @param {number[]} x
 * @param {number[]} y
 * @param {(v: number) => number} across
 * @param {(v: number) => number} up
 * @param {boolean} [stairs]
 */
function path(x, y, across, up, stairs = false) {
  let drawn = "";
  for (const [i, v] of x.entries()) {
    const [left, top] = [across(v), up(y[i] ?? NaN)];
    if (!Number.isFinite(left) || !Number.isFinite(top)) continue;
    if (!drawn) drawn = `M${left} ${top}`;
    else drawn += stairs ? `H${left}V${top}` : `L${left} ${top}`;
  }
  return drawn;
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {{anchor?: string, ink?: string, weight?: number, size?: number, turn?: number, lift?: number}} [options]
 */
export function words(x, y, text, options = {}) {
  const { anchor = "start", ink = MUTED, weight = 400, size = 13, turn = 0, lift = 0 } = options;
  const turned = turn ? ` transform="rotate(${turn.toFixed(2)} ${x} ${y})"` : "";
  return (
    `<text x="${x}" y="${y + lift}" fill="${ink}" font-size="${size}" font-weight="${weight}"` +
    ` text-anchor="${anchor}"${turned}>${escaped(text)}</text>`
  );
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
