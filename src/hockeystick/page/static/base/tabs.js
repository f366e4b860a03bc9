// Tabs and other rows of choices, by mouse and by arrow keys.

/**
 * A row of buttons of which one is chosen: arrows, Home and End move, as in a native control.
 * @param {HTMLElement} row
 * @param {(button: HTMLElement) => void} choose
 */
export function row(row, choose) {
  const buttons = () =>
    [...row.querySelectorAll("button")].filter((button) => !button.hidden && !button.disabled);
  row.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("button");
    if (button) choose(button);
  });
  row.addEventListener("keydown", (event) => {
    const all = buttons();
    const here = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const moves = { ArrowRight: here + 1, ArrowDown: here + 1, ArrowLeft: here - 1, ArrowUp: here - 1 };
    const ends = { Home: 0, End: all.length - 1 };
    const there = { ...moves, ...ends }[/** @type {"Home"} */ (event.key)];
    if (there === undefined || here < 0) return;
    event.preventDefault();
    const next = all[(there + all.length) % all.length];
    next?.focus();
    if (next) choose(next);
  });
}

/**
 * Shows which button of a row is chosen; it alone is reached by Tab.
 * @param {HTMLElement} row
 * @param {string} attribute aria-selected or aria-checked
 * @param {(button: HTMLElement) => boolean} isChosen
 */
export function mark(row, attribute, isChosen) {
  for (const button of row.querySelectorAll("button")) {
    button.setAttribute(attribute, String(isChosen(button)));
    button.tabIndex = isChosen(button) ? 0 : -1;
  }
}
