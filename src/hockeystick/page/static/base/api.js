// Questions to the server: the latest of a kind counts, earlier ones are given up.

/** @import { Run } from "./types.js" */

/** The server gives up after 10 s and says so; a little later the page does, if it hears nothing. */
const LONGEST_WAIT = 12_000;
const TRIES_WHEN_BUSY = 6;
const WAIT_WHEN_BUSY = 150;
const KEPT_ANSWERS = 200;

/** An answer that says what is wrong, and with what. */
export class Refused extends Error {
  /**
   * @param {string} message
   * @param {string | null} field
   */
  constructor(message, field = null) {
    super(message);
    this.field = field;
  }
}

/** Nothing answers at the other end. */
export class ServerGone extends Error {}

/** @type {Map<string, AbortController>} */
const running = new Map();
/** @type {Map<string, unknown>} */
const kept = new Map();

/** The token of `--host`, which the printed link carries once and this tab remembers. */
const token = (() => {
  const given = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
  if (given) {
    sessionStorage.setItem("token", decodeURIComponent(given));
    const rest = location.hash.replace(/([#&])token=[^&]+&?/, "$1").replace(/[#&]$/, "");
    history.replaceState(null, "", `${location.pathname}${rest}`);
  }
  return sessionStorage.getItem("token");
})();

/**
 * Asks the latest question of a channel. An earlier one of the same channel is aborted, and its
 * promise is never settled: nobody wants that answer any more.
 * @template T
 * @param {string} channel
 * @param {string} path
 * @param {object} [body] without one it is a GET
 * @returns {Promise<T>}
 */
export async function latest(channel, path, body) {
  running.get(channel)?.abort();
  const key = body ? path + JSON.stringify(body) : "";
  if (kept.has(key)) return /** @type {T} */ (kept.get(key));
  const control = new AbortController();
  running.set(channel, control);
  try {
    const answer = await patiently(path, body, control.signal);
    if (key) keep(key, answer);
    return /** @type {T} */ (answer);
  } catch (error) {
    if (control.signal.aborted && control.signal.reason !== "too slow") return new Promise(() => {});
    throw error;
  } finally {
    if (running.get(channel) === control) running.delete(channel);
  }
}

/** @param {string} prefix gives up every question of the channels that begin so */
export function giveUp(prefix) {
  for (const [channel, control] of running) if (channel.startsWith(prefix)) control.abort();
}

/**
 * @param {string} key
 * @param {unknown} answer
 */
function keep(key, answer) {
  kept.set(key, answer);
  const oldest = kept.keys().next();
  if (kept.size > KEPT_ANSWERS && !oldest.done) kept.delete(oldest.value);
}

/**
 * @param {string} path
 * @param {object | undefined} body
 * @param {AbortSignal} signal
 */
async function patiently(path, body, signal) {
  for (let tries = 1; ; tries += 1) {
    const response = await sent(path, body, signal);
    if (response.ok) return response.json();
    if (response.status !== 503 || tries === TRIES_WHEN_BUSY) throw await refusal(response);
    await new Promise((resolve) => setTimeout(resolve, WAIT_WHEN_BUSY * tries));
    signal.throwIfAborted();
  }
}

/**
 * @param {string} path
 * @param {object | undefined} body
 * @param {AbortSignal} signal
 */
async function sent(path, body, signal) {
  /** @type {Record<string, string>} */
  const headers = body ? { "Content-Type": "application/json" } : {};
  if (token) headers["Authorization"] = `Bearer ${token}`;
  const waiting = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_WAIT)]);
  try {
    const content = body ? { method: "POST", body: JSON.stringify(body) } : {};
    return await fetch(`api/${path}`, { ...content, headers, signal: waiting });
  } catch (error) {
    if (signal.aborted) throw error;
    if (waiting.aborted) throw new Refused("There was no answer within 10 s.");
    throw new ServerGone("The server does not answer.");
  }
}

/** @param {Response} response */
async function refusal(response) {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text);
    return new Refused(String(error.message), error.field ?? null);
  } catch {
    return new Refused(`The server answered ${response.status} ${response.statusText}.`);
  }
}

/**
 * What a run is to the server.
 * @param {Run} run
 */
export function asked({ expression, relation }) {
  return { expression, relation };
}
