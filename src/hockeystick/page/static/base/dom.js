// Elements of the page, found and made.

/**
 * The element with that id, which index.html must have.
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element #${id}`);
  return /** @type {T} */ (found);
}

/**
 * A new element; `class`, `text` and event handlers (`onclick`) are properties, all else attributes.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [options]
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = String(value);
    else if (name === "text") element.textContent = String(value);
    else if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/**
 * An expression that is broken, where the line is too short, before `.on` rather than inside a number.
 * @param {string} expression
 * @returns {(Node | string)[]}
 */
export function breakable(expression) {
  return expression.split(/(?=\.on\()/).flatMap((piece, i) => (i ? [make("wbr"), piece] : [piece]));
}

/**
 * Sets a text only where it differs, so that a live region does not speak twice.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A short message for everyone, screen readers included; it goes away by itself.
 * @param {string} text
 */
export function toast(text) {
  const place = byId("toast");
  place.textContent = text;
  place.classList.add("shown");
  window.clearTimeout(Number(place.dataset["timer"] ?? 0));
  place.dataset["timer"] = String(
    window.setTimeout(() => place.classList.remove("shown"), 2500),
  );
}
