// The explorer: every change is asked at once, the answer first, then what is made of it.

import { asked, giveUp, latest, ServerGone } from "../base/api.js";
import { busy, counter } from "../base/busy.js";
import { byId } from "../base/dom.js";
import { typed } from "../base/numbers.js";
import { current, MOST_RUNS, onChange } from "../base/state.js";
import { WHAT_IF } from "../charts/palette.js";
import { showAnswer, showNoAnswer } from "./answer.js";
import { askAttacker } from "./attacker.js";
import { startCalibrate } from "./calibrate.js";
import { askCode, startCode } from "./code.js";
import { askCompare, startCompare } from "./compare.js";
import { askCurves, startCurves } from "./curves.js";
import { startForm } from "./form.js";
import { clearRefusals, showRefusal } from "./refusals.js";
import { showCosts, startRuns } from "./runs.js";
import { askSamplers, startSamplers } from "./samplers.js";
import { showSupposed, startWhatIf, supposed } from "./what-if.js";

/** @import { Answer, Names, Run } from "../base/types.js" */

/** Milliseconds of rest before a change is asked: less than anyone notices, more than a fast key. */
const REST = 30;
/** Milliseconds without a change before the long questions: while one types, the server is free. */
const PAUSE = 250;

let newest = 0;
let timer = 0;
const waiting = counter(byId("waiting"));

/**
 * @param {Names} names
 * @param {() => void} onGone what to do when the server is gone
 */
export function startExplorer(names, onGone) {
  startForm(names);
  startRuns();
  startCurves();
  startCompare();
  startWhatIf();
  startCalibrate();
  startCode();
  startSamplers();
  onChange(() => soon(onGone));
  void ask(onGone);
}

/** @param {() => void} onGone */
export function soon(onGone) {
  performance.mark("change");
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void ask(onGone), REST);
}

/** @param {() => void} onGone */
async function ask(onGone) {
  newest += 1;
  const mine = newest;
  const wanted = () => mine === newest;
  const { runs, active, delta, tab } = current();
  if (tab === "budgets") return;
  giveUp("explorer");
  waiting(true);
  const found = await busy("answer", Promise.all(runs.map((run, i) => cost(`explorer-epsilon-${i}`, run, delta))));
  if (!wanted()) return;
  waiting(false);
  if (found.some((one) => one instanceof ServerGone)) return onGone();
  showCosts(found);
  const answer = found[active] ?? null;
  if (!answer || answer instanceof Error) {
    showRefusal(answer);
    showNoAnswer();
    giveUp("samplers");
  } else {
    clearRefusals();
    showAnswer(answer);
    painted();
  }
  if (tab === "samplers") {
    if (answer && !(answer instanceof Error)) await askSamplers(wanted);
    return;
  }
  await askMore(found, wanted);
}

/**
 * What is made of the answers: the supposed run, curves, then what is further down the page.
 * @param {(Answer | Error)[]} found
 * @param {() => boolean} wanted
 */
async function askMore(found, wanted) {
  const { runs, active, delta } = current();
  const drawn = runs.flatMap((run, place) => {
    const answer = found[place];
    return answer && !(answer instanceof Error) ? [{ run, place, answer }] : [];
  });
  const answer = found[active];
  const run = runs[active];
  if (!run || !answer || answer instanceof Error) return askCurves(drawn, wanted);
  const other = supposed();
  const then = other && (await cost("explorer-supposed", other, delta));
  if (!wanted()) return undefined;
  showSupposed(answer, then);
  const added = other && then && !(then instanceof Error) && drawn.length < MOST_RUNS;
  void askCode(
    drawn.map((one) => one.run),
    wanted,
  );
  const drawing = askCurves(added ? [...drawn, { run: other, place: WHAT_IF, answer: then }] : drawn, wanted);
  await new Promise((resolve) => setTimeout(resolve, PAUSE));
  if (wanted()) await Promise.all([drawing, askAttacker(run, delta, wanted)]);
  if (wanted()) await askCompare(run, delta, wanted);
  return undefined;
}

/**
 * @param {string} channel
 * @param {Run} run
 * @param {string} delta
 * @returns {Promise<Answer | Error>}
 */
async function cost(channel, run, delta) {
  try {
    return await latest(channel, "epsilon", { run: asked(run), delta: typed(delta) });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Notes how long it took from the change until the answer is on the screen. */
function painted() {
  requestAnimationFrame(() => {
    if (performance.getEntriesByName("change").length) {
      performance.measure("change to answer", "change");
      performance.clearMarks("change");
    }
  });
}
