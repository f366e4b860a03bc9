// The library's own message, beside the field that it is about.

import { byId, say } from "../base/dom.js";
import { Refused, ServerGone } from "../base/api.js";

const FORM = "#editor [data-field], #expression";

/** Takes every message away. */
export function clearRefusals() {
  for (const input of document.querySelectorAll(FORM)) {
    if (!input.hasAttribute("aria-invalid")) continue;
    input.removeAttribute("aria-invalid");
    say(byId(`${input.id}-error`), "");
  }
}

/**
 * Shows what is wrong with the run that is edited.
 * @param {unknown} error
 */
export function showRefusal(error) {
  clearRefusals();
  if (error instanceof ServerGone) return;
  const message = error instanceof Error ? error.message : String(error);
  const input = fieldOf(message, error instanceof Refused ? error.field : null);
  input.setAttribute("aria-invalid", "true");
  say(byId(`${input.id}-error`), message);
}

/**
 * The library's messages begin with the name of the parameter.
 * @param {string} message
 * @param {string | null} field
 * @returns {Element}
 */
function fieldOf(message, field) {
  const inputs = [...document.querySelectorAll("#editor [data-field]")];
  const visible = inputs.filter((input) => !input.closest("[hidden]"));
  const about = (/** @type {string} */ name) => visible.find((input) => input.getAttribute("data-field") === name);
  const named = /^(?:\w+: )?([a-z_]+)\b/.exec(message)?.[1];
  return (field && about(field)) || (named && about(named)) || byId("expression");
}
