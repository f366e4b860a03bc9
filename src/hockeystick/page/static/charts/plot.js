// A figure on the screen, by uPlot; the cursor's values stand in the legend below it.

import uPlot from "../vendor/uplot/uPlot.esm.js";
import { breakable, make, say } from "../base/dom.js";
import { short } from "../base/numbers.js";
import { colour, dash, faint, runColour } from "./palette.js";
import { axisText } from "./figure.js";
import { swatch } from "./swatch.js";
import { ticks, tickText } from "./ticks.js";
import { timeTexts, timeTicks } from "./time-ticks.js";

/** @import { Figure, Line } from "./figure.js" */
/** @import { Range } from "./ticks.js" */

const FONT = '12px "Helvetica Neue", "Segoe UI", Arial, sans-serif';
/** On a phone the labels of an axis need more room each. */
const PIXELS_A_LABEL = 76;

/** One place for a plot, which shows one figure after the other. */
export class Plot {
  /** @type {uPlot | null} */
  #drawn = null;
  /** @type {Figure | null} */
  figure = null;

  /**
   * @param {HTMLElement} place
   * @param {{height?: number}} [options]
   */
  constructor(place, { height = 360 } = {}) {
    this.canvas = make("div", { class: "plot-canvas", role: "img" });
    this.legend = make("ul", { class: "legend" });
    this.height = height;
    place.replaceChildren(this.canvas, this.legend);
    new ResizeObserver(() => this.#resized()).observe(this.canvas);
    document.addEventListener("themechange", () => this.figure && this.show(this.figure));
  }

  /** @param {Figure} figure */
  show(figure) {
    this.figure = figure;
    this.#drawn?.destroy();
    this.canvas.setAttribute("aria-label", described(figure));
    this.legend.replaceChildren(...figure.lines.map(legendEntry));
    const width = Math.max(200, this.canvas.clientWidth);
    this.#drawn = new uPlot(this.#options(figure, width), aligned(figure), this.canvas);
  }

  #resized() {
    const width = Math.max(200, this.canvas.clientWidth);
    if (this.#drawn && Math.abs(this.#drawn.width - width) > 1) {
      this.#drawn.setSize({ width, height: this.#height(width) });
    }
  }

  /** @param {number} width */
  #height(width) {
    return width < 480 ? Math.min(this.height, 300) : this.height;
  }

  /**
   * @param {Figure} figure
   * @param {number} width
   * @returns {uPlot.Options}
   */
  #options(figure, width) {
    const across = Math.max(3, Math.floor(width / PIXELS_A_LABEL / (figure.time ? 1.4 : 1)));
    return {
      width,
      height: this.#height(width),
      padding: [14, 14, 0, 0],
      pxAlign: 0, // whole pixels would make a smooth curve tremble
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { size: 8 }, y: false },
      scales: { x: scaleOf(figure.xRange), y: scaleOf(padded(figure)) },
      axes: [
        { ...axisOf(figure.xRange, axisText(figure.x), across, figure.time), size: 30, labelSize: 22 },
        { ...axisOf(figure.yRange, axisText(figure.y), 7), size: 58, labelSize: 22 },
      ],
      series: [{}, ...figure.references.map(referenceSeries), ...figure.lines.flatMap(twoSeries)],
      bands: figure.lines.map((line, i) => ({
        series: bandOf(figure, i),
        fill: faint(runColour(line.place), 0.16),
      })),
      hooks: {
        draw: [(plot) => annotate(plot, figure)],
        setCursor: [(plot) => this.#read(plot, figure)],
      },
    };
  }

  /**
   * The values under the cursor, beside the names of the lines.
   * @param {uPlot} plot
   * @param {Figure} figure
   */
  #read(plot, figure) {
    const left = plot.cursor.left ?? -1;
    const x = left >= 0 ? plot.posToVal(left, "x") : NaN;
    for (const [i, line] of figure.lines.entries()) {
      const value = this.legend.children[i]?.querySelector(".value");
      if (value) say(value, Number.isNaN(x) ? "" : readout(figure, line, x));
    }
  }
}

/**
 * @param {Figure} figure
 * @param {number} i
 * @returns {[number, number]}
 */
function bandOf(figure, i) {
  const first = 1 + figure.references.length + 2 * i;
  return [first, first + 1];
}

/**
 * @param {Figure} figure
 * @param {Line} line
 * @param {number} x
 */
function readout(figure, line, x) {
  let best = 0;
  for (let i = 1; i < line.x.length; i += 1) {
    if (Math.abs((line.x[i] ?? NaN) - x) < Math.abs((line.x[best] ?? NaN) - x)) best = i;
  }
  const at = line.x[best] ?? NaN;
  const across = figure.time ? new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ") : short(at);
  return `${short(line.y[best] ?? NaN)} at ${across}`;
}

/** @param {Line} line */
function legendEntry(line) {
  return make(
    "li",
    {},
    swatch(line.place),
    make("span", { class: "name" }, ...breakable(line.label)),
    make("span", { class: "value" }),
  );
}

/**
 * All lines over one common x, as uPlot wants them; where a line has no point there is a gap.
 * @param {Figure} figure
 * @returns {uPlot.AlignedData}
 */
function aligned(figure) {
  const log = figure.yRange.scale === "log";
  const shown = (/** @type {number} */ v) => (Number.isFinite(v) && (!log || v > 0) ? v : null);
  /** @type {uPlot.AlignedData[]} */
  const tables = [
    ...figure.references.map(({ x, y }) => /** @type {uPlot.AlignedData} */ ([x, y])),
    ...figure.lines.map(
      ({ x, y, other }) =>
        /** @type {uPlot.AlignedData} */ ([x, y.map(shown), x.map((_, i) => shown(other[i] ?? NaN))]),
    ),
  ];
  return tables.length ? uPlot.join(tables) : [[0, 1]];
}

/**
 * @param {Range} range
 * @returns {uPlot.Scale}
 */
function scaleOf({ scale, from, to }) {
  return { time: false, distr: scale === "log" ? 3 : 1, range: () => [from, to] };
}

/**
 * A little air around what would lie on the frame.
 * @param {Figure} figure
 * @returns {Range}
 */
function padded({ yRange, references }) {
  const { scale, from, to } = yRange;
  if (scale === "log") return yRange;
  const air = (to - from) * 0.04;
  return { scale, from: references.length ? from - air : from, to: to + air };
}

/**
 * @param {Range} range
 * @param {string} label
 * @param {number} most
 * @param {boolean} [time]
 * @returns {uPlot.Axis}
 */
function axisOf(range, label, most, time = false) {
  return {
    label,
    font: FONT,
    labelFont: `600 ${FONT}`,
    stroke: colour("--muted"),
    grid: { stroke: colour("--rule"), width: 1 },
    ticks: { show: false },
    splits: () => (time ? timeTicks(range.from, range.to, most) : ticks(range, most)),
    values: (_plot, marks) => (time ? timeTexts(marks) : marks.map((mark) => tickText(mark, range.scale))),
    filter: (_plot, marks) => marks,
  };
}

/** @returns {uPlot.Series} */
function referenceSeries() {
  return { stroke: colour("--muted"), width: 1.5, dash: [3, 4], points: { show: false }, spanGaps: true };
}

/**
 * The safe end as the line, the other end as a thin one: mostly they are the same to the eye.
 * @param {Line} line
 * @returns {uPlot.Series[]}
 */
function twoSeries(line) {
  const stroke = runColour(line.place);
  const dashes = dash(line.place);
  const paths = line.stairs && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {};
  const common = { stroke, spanGaps: true, dash: dashes, ...paths };
  return [
    { ...common, width: 2.25, points: { show: line.x.length < 3 } },
    { ...common, width: 0.75, points: { show: false } },
  ];
}

/**
 * What is written into the plot: names of reference lines, the level, the points of the answers.
 * @param {uPlot} plot
 * @param {Figure} figure
 */
function annotate(plot, figure) {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.font = FONT.replace("12px", `${12 * scale}px`);
  ctx.fillStyle = colour("--muted");
  ctx.strokeStyle = colour("--muted");
  ctx.textBaseline = "alphabetic";
  if (figure.level) {
    const y = plot.valToPos(figure.level.y, "y", true);
    ctx.lineWidth = scale;
    ctx.setLineDash([3 * scale, 4 * scale]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.textAlign = "right";
    ctx.fillText(figure.level.label, bbox.left + bbox.width - 6 * scale, y - 6 * scale);
  }
  ctx.textAlign = "left";
  const [perfect, none] = figure.references;
  if (none) ctx.fillText(none.label, bbox.left + 8 * scale, plot.valToPos(0, "y", true) - 8 * scale);
  if (perfect) slanted(plot, perfect.label);
  for (const point of figure.points) {
    ctx.beginPath();
    ctx.arc(plot.valToPos(point.x, "x", true), plot.valToPos(point.y, "y", true), 5 * scale, 0, 7);
    ctx.fillStyle = runColour(point.place);
    ctx.fill();
    ctx.lineWidth = 2 * scale;
    ctx.strokeStyle = colour("--card");
    ctx.stroke();
  }
  ctx.restore();
}

/**
 * A name along the line from (0, 1) to (1, 0), above it.
 * @param {uPlot} plot
 * @param {string} label
 */
function slanted(plot, label) {
  const { ctx } = plot;
  const from = [plot.valToPos(0, "x", true), plot.valToPos(1, "y", true)];
  const to = [plot.valToPos(1, "x", true), plot.valToPos(0, "y", true)];
  ctx.save();
  ctx.translate(((from[0] ?? 0) + (to[0] ?? 0)) / 2, ((from[1] ?? 0) + (to[1] ?? 0)) / 2);
  ctx.rotate(Math.atan2((to[1] ?? 0) - (from[1] ?? 0), (to[0] ?? 0) - (from[0] ?? 0)));
  ctx.textAlign = "center";
  ctx.fillText(label, 0, -8 * devicePixelRatio);
  ctx.restore();
}

/** @param {Figure} figure */
function described(figure) {
  const lines = figure.lines.map((line) => line.label).join("; ");
  return `${figure.title}: ${axisText(figure.y)} against ${axisText(figure.x)}, of ${lines}.`;
}
