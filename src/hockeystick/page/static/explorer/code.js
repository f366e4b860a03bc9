// The same question in Python and as a command, and the page itself as a link.

import { asked, latest } from "../base/api.js";
import { byId, make, say, toast } from "../base/dom.js";
import { typed } from "../base/numbers.js";
import { current, link } from "../base/state.js";

/** @import { Code, Run } from "../base/types.js" */

export function startCode() {
  byId("copy-python").addEventListener("click", () => void copy(byId("python").textContent ?? "", "Python"));
  byId("copy-command").addEventListener("click", () => void copy(byId("command").textContent ?? "", "the command"));
  byId("copy-link").addEventListener("click", () => void copy(link(), "the link"));
}

/**
 * The answers and the picture of the curves, in one text each.
 * @param {Run[]} runs
 * @param {() => boolean} wanted
 */
export async function askCode(runs, wanted) {
  const { delta, kind } = current();
  const question = { runs: runs.map(asked), delta: typed(delta) };
  try {
    const [answer, curve] = /** @type {[Code, Code]} */ (
      await Promise.all([
        latest("explorer-code", "code", { ...question, kind: "epsilon" }),
        latest("explorer-code-curve", "code", { ...question, kind }),
      ])
    );
    if (!wanted()) return;
    say(byId("python"), joined(answer.python, curve.python));
    say(byId("command"), joined(answer.command, curve.command));
  } catch {
    // the message stands beside the field already
  }
}

/**
 * The first text, then the lines of the second that it does not have.
 * @param {string} first
 * @param {string} second
 */
function joined(first, second) {
  const known = first.split("\n");
  return [...known, ...second.split("\n").filter((line) => !known.includes(line))].join("\n");
}

/**
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${what}`);
  } catch {
    const box = make("textarea", { class: "unseen", text }); // no clipboard outside this machine
    document.body.append(box);
    box.select();
    const copied = document.execCommand("copy");
    box.remove();
    toast(copied ? `Copied ${what}` : "The browser does not let this page copy");
  }
}
