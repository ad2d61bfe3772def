// Keys: one table tells which key does what, and makes the help from it.

import { fill, find, make } from "./dom.js";

// Name of the action, its keys as shown, and what it does in words. Buttons with the name do the same.
export const KEYS = [
  ["next", "N", "next piece", "n"],
  ["previous", "Shift N", "previous piece", "shift+n"],
  ["left", "←", "move left (Shift: farther, Alt: finer)", "arrowleft"],
  ["right", "→", "move right", "arrowright"],
  ["up", "↑", "move up", "arrowup"],
  ["down", "↓", "move down", "arrowdown"],
  ["bring", "Enter", "bring onto the board", "enter"],
  ["turn-right", "R", "turn clockwise", "r"],
  ["turn-left", "Shift R", "turn back", "shift+r"],
  ["turn-fine", "E", "turn by one degree", "e"],
  ["turn-fine-back", "Shift E", "turn back by one degree", "shift+e"],
  ["flip", "F", "turn over", "f"],
  ["snap", "S", "snap to edges now", "s"],
  ["pin", "P", "pin, or free", "p"],
  ["aside", "A", "put aside", "a"],
  ["forbid", "X", "forbid, or allow", "x"],
  ["everything", "Ctrl A", "choose all on the board", "ctrl+a"],
  ["nothing", "Esc", "choose nothing", "escape"],
  ["undo", "Ctrl Z", "undo", "ctrl+z"],
  ["redo", "Ctrl Shift Z", "redo", "ctrl+shift+z", "ctrl+y"],
  ["solve", "G", "put together", "g"],
  ["again", "Shift G", "solve again from here", "shift+g"],
  ["go-on", "O", "go on with the search", "o"],
  ["stop", "Q", "stop and keep the best", "q"],
  ["previous-answer", "[", "previous answer", "["],
  ["next-answer", "]", "next answer", "]"],
  ["colours", "C", "colour by something else", "c"],
  ["mode", "M", "as read, or the board", "m"],
  ["closer", "+", "closer", "+", "="],
  ["farther", "-", "farther", "-"],
  ["fit", "0", "show all", "0"],
  ["shade", "D", "light or dark", "d"],
  ["help", "?", "this help", "?"],
];

const BY_KEY = new Map(KEYS.flatMap(([name, , , ...keys]) => keys.map((key) => [key, name])));
// Arrows may come with Shift or Alt, which their actions ask for themselves.
const ARROW = /arrow(left|right|up|down)$/;

/** Let keys and buttons call actions, by name, with the event. */
export function listenToKeys(act) {
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input:not([type=radio]):not([type=checkbox]), select, textarea, dialog[open]")) return;
    const name = BY_KEY.get(nameOf(event));
    const pressesButton = event.key === "Enter" && event.target.closest("button, a, label, summary");
    if (!name || pressesButton) return;
    if (act(name, event)) event.preventDefault();
  });
  for (const button of document.querySelectorAll("button[data-key]")) {
    button.addEventListener("click", (event) => act(button.dataset.key, event));
  }
  fill(
    find("keys-list"),
    ...KEYS.flatMap(([, keys, words]) => [make("dt", {}, make("kbd", {}, keys)), make("dd", {}, words)]),
  );
}

function nameOf(event) {
  const key = event.key.toLowerCase();
  if (ARROW.test(key)) return key;
  const letter = key.length === 1 && key.toUpperCase() !== key;
  const shift = event.shiftKey && letter ? "shift+" : "";
  return `${event.ctrlKey || event.metaKey ? "ctrl+" : ""}${shift}${key}`;
}
