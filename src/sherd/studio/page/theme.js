// Light and dark: as the system has it, until the switch says otherwise.

const system = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

function show() {
  const chosen = localStorage.getItem("shade");
  root.dataset.shade = chosen ?? (system.matches ? "dark" : "light");
  root.dispatchEvent(new Event("shade"));
}

/** Switch to the other shade. */
export function switchShade() {
  localStorage.setItem("shade", root.dataset.shade === "dark" ? "light" : "dark");
  show();
}

system.addEventListener("change", show);
document.getElementById("theme").addEventListener("click", switchShade);
show();
