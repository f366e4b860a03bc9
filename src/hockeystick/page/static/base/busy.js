// A card whose answer is being computed says so, but not before that takes a while to notice.

import { byId, say } from "./dom.js";

const UNNOTICED = 150;
const LONG = 1000;

/**
 * Marks a card as busy until the promise is settled; what it showed stays, dimmed.
 * @template T
 * @param {string} id
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
export async function busy(id, promise) {
  const card = byId(id);
  const turn = String(Number(card.dataset["turn"] ?? 0) + 1);
  card.dataset["turn"] = turn;
  card.setAttribute("aria-busy", "true");
  const timer = setTimeout(() => card.dataset["turn"] === turn && card.classList.add("busy"), UNNOTICED);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    if (card.dataset["turn"] === turn) {
      card.classList.remove("busy");
      card.setAttribute("aria-busy", "false");
    }
  }
}

/**
 * Counts the seconds of a long wait in a line of text, until it is called again with false.
 * @param {Element} place
 */
export function counter(place) {
  let timer = 0;
  return (/** @type {boolean} */ waiting) => {
    window.clearInterval(timer);
    say(place, "");
    if (!waiting) return;
    const began = performance.now();
    timer = window.setInterval(() => {
      const seconds = Math.floor((performance.now() - began) / 1000);
      say(place, `Still computing: ${seconds} s of at most 10 s.`);
    }, LONG);
  };
}
