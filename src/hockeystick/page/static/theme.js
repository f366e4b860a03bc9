// Dark or light: the system decides until the switch does. Loaded before the first paint.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // a browser may forbid it; then the switch holds for this page alone
    }
  };
  let chosen = stored();
  const isDark = () => (chosen ? chosen === "dark" : system.matches);

  function apply() {
    if (chosen) document.documentElement.dataset["theme"] = chosen;
    const button = document.getElementById("theme");
    if (button) {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
      button.setAttribute("aria-pressed", String(isDark()));
    }
    document.dispatchEvent(new Event("themechange"));
  }

  function turn() {
    chosen = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("theme", chosen);
    } catch {
      // as above
    }
    apply();
  }

  apply();
  system.addEventListener("change", apply);
  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme")?.addEventListener("click", turn);
    apply();
  });
})();
