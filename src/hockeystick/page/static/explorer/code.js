// The same question in Python and as a command, and the page itself as a link.

import { asked, latest } from "../base/api.js";
import { byId, make, say, toast } from "../base/dom.js";
import { typed } from "../base/numbers.js";
import { current, link } from "../base/state.js";

/** @import { Code } from "../base/types.js" */

export function startCode() {
  byId("copy-python").addEventListener("click", () => void copy(byId("python").textContent ?? "", "Python"));
  byId("copy-command").addEventListener("click", () => void copy(byId("command").textContent ?? "", "the command"));
  byId("copy-link").addEventListener("click", () => void copy(link(), "the link"));
}

/** @param {() => boolean} wanted */
export async function askCode(wanted) {
  const { runs, delta, kind } = current();
  const question = { runs: runs.map(asked), delta: typed(delta), kind };
  try {
    const code = /** @type {Code} */ (await latest("explorer-code", "code", question));
    if (!wanted()) return;
    say(byId("python"), code.python);
    say(byId("command"), code.command);
  } catch {
    // the message stands beside the field already
  }
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
