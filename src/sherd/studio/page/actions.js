// What keys and buttons do, by the names that keys.js gives them.

import { find, say } from "./dom.js";
import { isBusy } from "./panels.js";
import { switchShade } from "./theme.js";

const STEP_PX = 40;
const PANS = { left: [1, 0], right: [-1, 0], up: [0, 1], down: [0, -1] };

/** Do what a key or a button asks for; whether there is something to do now. */
export function act(studio, name, event) {
  const known = { ...ALWAYS, ...(studio.job ? VIEWING : {}), ...(studio.hands.allowed ? HANDLING : {}) };
  known[name]?.(studio, event);
  return name in known;
}

const ALWAYS = {
  help: () => find("keys").showModal(),
  shade: switchShade,
};

const VIEWING = {
  mode: (studio) => studio.setMode(studio.mode === "board" ? "reading" : "board"),
  closer: (studio) => studio.board.zoom(1.25),
  farther: (studio) => studio.board.zoom(0.8),
  fit: (studio) => studio.fit(),
  solve: (studio) => studio.solve({}),
  stop: (studio) => studio.stop(),
  colours: (studio) => nextColours(studio),
  nothing: (studio) => (studio.mode === "board" ? studio.hands.choose([]) : studio.card.choose(null)),
  next: (studio) => studio.card.chooseNext(1),
  previous: (studio) => studio.card.chooseNext(-1),
};

const HANDLING = {
  next: ({ hands }) => hands.chooseNext(1),
  previous: ({ hands }) => hands.chooseNext(-1),
  everything: ({ hands }) => hands.chooseAllOnBoard(),
  "turn-right": ({ hands }) => hands.turnStep(-1),
  "turn-left": ({ hands }) => hands.turnStep(1),
  "turn-fine": ({ hands }) => hands.turn(-1),
  "turn-fine-back": ({ hands }) => hands.turn(1),
  flip: ({ hands }) => hands.flip(),
  snap: ({ hands }) => hands.snapNow(),
  bring: ({ hands }) => hands.bring(),
  pin: ({ hands }) => hands.pin(),
  aside: ({ hands }) => hands.putAway(false),
  forbid: ({ hands }) => hands.putAway(true),
  undo: ({ hands }) => hands.undo(),
  redo: ({ hands }) => hands.redo(),
  again: (studio) => studio.solveAgain(),
  "go-on": (studio) => studio.solve({ start: "answer" }),
  "previous-answer": (studio) => studio.leaf(-1),
  "next-answer": (studio) => studio.leaf(1),
  ...Object.fromEntries(Object.keys(PANS).map((name) => [name, (studio, event) => arrow(studio, name, event)])),
};

/** Arrows move what is chosen, or else the view. */
function arrow({ hands, board }, name, event) {
  if (hands.mayMove()) hands.arrow(name, event);
  else board.pan(...PANS[name].map((value) => value * STEP_PX));
}

function nextColours(studio) {
  if (isBusy(studio.job) || studio.mode !== "board") return;
  const options = [...find("colours").options].filter((option) => !option.hidden);
  const here = options.findIndex((option) => option.selected);
  options[(here + 1) % options.length].selected = true;
  studio.recolour();
  say(`coloured ${find("colours").selectedOptions[0].textContent}`);
}
