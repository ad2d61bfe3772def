// The cards beside the board: the verdict, the search, the chosen piece, and the files to take along.

import { facts, fill, find, lengthIn, make, percent } from "./dom.js";
import { isLoose } from "./layout.js";

const WORDS = {
  solved: ["solved", "✓ Solved"],
  partly: ["partly", "◑ Partly solved"],
  "not solved": ["not solved", "✕ Not solved"],
};
const BUSY = new Set(["reading", "queued", "solving"]);
const FILES = [
  ["answer.pdf", "Plan (PDF)", "laid"],
  ["answer.svg", "SVG", "any"],
  ["answer.dxf", "DXF", "laid"],
  ["answer.geojson", "GeoJSON", "laid"],
  ["answer.png", "Picture (PNG)", "any"],
  ["answer.csv", "Table (CSV)", "laid"],
  ["answer.json", "JSON", "any"],
  ["answer.photo", "Photograph put together", "painted", ".png"],
  ["answer.gaps.svg", "Gaps (SVG)", "gaps"],
  ["answer.gaps.dxf", "Gaps (DXF)", "gaps"],
  ["answer.gif", "Replay (GIF)", "target"],
  ["project.sherd", "Project (.sherd)", "any"],
];
// Seconds that need no explanation.
const PATIENT = 4;
const GETTING_READY = "getting ready";
// Gaps and overlaps below this share of the board's size are none to speak of.
const HARDLY = 1e-4;

export const isBusy = (job) => BUSY.has(job.state);

/** What the banner says: its look, its title, and the reasons below it. Only a verdict can look solved. */
export function bannerOf({ job, found, isTouched, hands }) {
  switch (job.state) {
    case "reading":
      return readingFor(0);
    case "queued":
      return { look: "plain", title: "Waiting for others", why: queueIn(job.place_in_queue) };
    case "solving":
      return { look: "plain", title: "Searching …", why: [] };
    case "failed":
      return { look: "failed", title: "✕ That did not work", why: [job.error ?? "no reason was told"] };
  }
  if (hands.inHand) return { look: "plain", title: "Moving pieces …", why: [] };
  if (isTouched && !found) return { look: "plain", title: "Checking your board …", why: [] };
  if (job.reading?.choices?.length) return { look: "doubt", title: "What do they make?", why: ["The file does not say which shape they fill."] };
  if (job.error && !job.puzzle) return { look: "doubt", title: "◐ Something is missing", why: [job.error] };
  if (!found) {
    return job.state === "read"
      ? { look: "plain", title: "Is this what you have?", why: ["Put right what is wrong, then put it together."] }
      : { look: "not solved", title: "✕ Nothing found yet", why: endedBy(job) };
  }
  const { word, why } = found.verdict;
  let [look, title] = WORDS[word] ?? WORDS["not solved"];
  if (look === "solved") [look, title] = solvedHow(found);
  const share = found.coverage == null ? [] : [`${percent(found.coverage)} of the target is covered`];
  return {
    look,
    title: isTouched ? `Your board: ${title}` : title,
    why: [...why, ...groupsIn(found), found.said, ...share, ...doubtsOf(found, isTouched), ...endedBy(job)].filter(Boolean),
  };
}

/** That files are being read, and why it may take so many seconds. */
export function readingFor(seconds) {
  const why = seconds < PATIENT ? [] : [`${Math.round(seconds)} s; the first time on a machine, code is compiled for it`];
  return { look: "plain", title: "Reading …", why };
}

/** Without a target: how many groups were put together, and of how many pieces. */
function groupsIn({ coverage, groups }) {
  const sizes = groups.map(({ ids }) => ids.length).filter((size) => size > 1);
  if (coverage != null || sizes.length < 2) return [];
  return [`${sizes.length} groups, of ${sizes.slice(0, 8).join(", ")}${sizes.length > 8 ? " …" : ""} pieces`];
}

/** Only what is whole, and was found in one way, looks solved without a doubt. */
function solvedHow({ gaps, of }) {
  if (of > 1) return ["doubt", `◐ Solved, in ${of} ways`];
  if (gaps.length) return ["doubt", gaps.length === 1 ? "◐ Solved, and a gap is left" : `◐ Solved, and ${gaps.length} gaps are left`];
  return WORDS.solved;
}

/** What is not sure about an answer, though nothing stands against it. */
function doubtsOf({ verdict, placements, of }, isTouched) {
  const unsure = placements.filter(({ band, elsewhere }) => band === "loose" || elsewhere).map(({ id }) => id);
  const said = unsure.length ? [`not sure where they lie: ${listed(unsure)}`] : [];
  if (verdict.word !== "solved" || isTouched) return said;
  if (verdict.certain) return [...said, of > 1 ? "there are no other answers" : "there is no other answer"];
  return [...said, "whether there are other answers is not known"];
}

function listed(ids) {
  return ids.length > 6 ? `${ids.slice(0, 5).join(", ")} and ${ids.length - 5} more` : ids.join(", ");
}

function queueIn(place) {
  return place ? [`number ${place} in the queue`] : [];
}

function endedBy({ state }) {
  if (state === "stopped") return ["stopped by hand: this is the best so far"];
  if (state === "interrupted") return ["interrupted when the server stopped: go on, or solve again"];
  return [];
}

export function showBanner({ look, title, why }) {
  const banner = find("banner");
  if (banner.dataset.look === look && find("banner-title").textContent === title && banner.dataset.why === why.join()) return;
  banner.dataset.look = look;
  banner.dataset.why = why.join();
  find("banner-title").textContent = title;
  fill(find("banner-why"), ...why.map((reason) => make("li", {}, reason)));
  find("said").textContent = [title, ...why].join(". ");
}

/** How far a search has come; `since` is how many seconds ago that was told, or since when nothing was. */
export function showProgress(progress, since = 0) {
  const { coverage, placed, of, seconds = 0, limit, method, trying } = progress ?? {};
  const bar = find("progress-covered");
  if (coverage == null) bar.removeAttribute("value");
  else bar.value = coverage;
  find("progress-share").textContent = coverage == null ? "–" : percent(coverage);
  find("progress-placed").textContent = placed == null ? "–" : `${placed} of ${of} pieces`;
  find("progress-time").textContent = timeIn(seconds + since, limit);
  find("progress-method").textContent = [method, trying].filter(Boolean).join(": ") || GETTING_READY;
}

function timeIn(seconds, limit) {
  const passed = `${seconds.toFixed(1)} s`;
  return limit && seconds <= limit ? `${passed} of at most ${limit} s` : passed; // compiling does not count
}

/** The chosen pieces: why one lies where it does, or how many there are. */
export function showChosen(hands, found) {
  const { chosen, layout, pieces } = hands;
  const loose = (id) => isLoose(hands.table, layout.poses.get(id));
  find("piece-title").textContent = chosen.length === 1 ? chosen[0] : `${chosen.length} pieces`;
  fill(find("piece-facts"), ...facts(chosen.length === 1 ? whyOf(chosen[0], found, hands, loose(chosen[0])) : []));
  const every = (set) => chosen.every((id) => set.has(id));
  press("pin", every(layout.pinned), chosen.every(loose));
  press("forbid", every(layout.forbidden), false);
  document.querySelector("#piece [data-key=flip]").disabled = !chosen.every((id) => pieces.get(id).mayFlip);
}

function press(key, isPressed, isDisabled) {
  const button = document.querySelector(`#piece [data-key=${key}]`);
  button.setAttribute("aria-pressed", String(isPressed));
  button.disabled = isDisabled;
}

function whyOf(id, found, hands, loose) {
  if (hands.layout.forbidden.has(id)) return [["Not placed", "forbidden"]];
  if (hands.layout.aside.has(id)) return [["Not placed", "put aside by hand"]];
  const left = found?.left.find((one) => one.id === id);
  if (left) return [["Not placed", left.reason || "no place was found"]];
  if (loose) return [["Lies", "loose beside the board"]];
  const placement = found?.placements.find((one) => one.id === id);
  if (!placement) return [["Lies", found ? "on the board" : "on the board; being checked"]];
  const { held, sure, band, gap, overlap, elsewhere } = placement;
  const length = (value) => {
    if (value == null) return "–";
    return value < HARDLY * hands.size ? "none to speak of" : `up to ${lengthIn(value, hands.puzzle.unit)}`;
  };
  return [
    ["How sure", [band, sure == null ? "" : percent(sure)].filter(Boolean).join(", ") || "–"],
    ["Why", held || "nothing holds it"],
    ["Gap", length(gap)],
    ["Overlap", length(overlap)],
    ...(elsewhere ? [["Elsewhere", "another answer has it elsewhere"]] : []),
  ];
}

/** The buttons that solve and leaf, as there is something to do for them. */
export function showActions({ job, answer, isTouched, hands }) {
  const { layout, table, history } = hands;
  const lies = [...layout.poses.values()].some((pose) => !isLoose(table, pose));
  const hasHands = isTouched || layout.pinned.size > 0 || layout.forbidden.size > 0;
  find("solve").textContent = answer ? "Solve anew" : "Put together";
  find("solve").classList.toggle("main", !answer);
  find("go-on").hidden = !answer || answer.verdict.word === "solved" || isTouched;
  find("again").hidden = !hasHands || !lies;
  find("again").classList.toggle("main", Boolean(answer));
  const disabled = {
    undo: !history.canUndo || isBusy(job),
    redo: !history.canRedo || isBusy(job),
    "previous-answer": answer?.number === 1,
    "next-answer": answer?.number === answer?.of,
  };
  for (const [key, is] of Object.entries(disabled)) document.querySelector(`[data-key=${key}]`).disabled = is;
}

/** The answers to leaf through, and how many pieces lie otherwise than in the one seen before. */
export function showLeaf(answer, differs, seenBefore) {
  find("leaf").hidden = !answer || answer.of <= 1;
  if (find("leaf").hidden) return;
  find("leaf-at").textContent = `Answer ${answer.number} of ${answer.of}`;
  const lie = differs.size === 1 ? "1 piece lies" : `${differs.size} pieces lie`;
  find("leaf-differs").textContent = seenBefore ? `${lie} otherwise than in answer ${seenBefore}` : "";
}

/** Buttons for each file that there is of what is shown; `take` gets its name and its ending. */
export function showFiles(puzzle, found, isTouched, take) {
  const hasTarget = puzzle.target !== null || found.target !== null; // of some shapes the size is found with the answer
  const there = {
    any: true,
    target: hasTarget,
    laid: hasTarget || found.placements.length > 0,
    painted: puzzle.pieces.some((piece) => piece.picture),
    gaps: found.gaps.length > 0,
  };
  find("out-of").textContent = isTouched ? "Of the board as you made it." : "Of the answer shown.";
  const files = FILES.filter(([, , needs]) => there[needs]);
  const list = find("files-out");
  // The same buttons stay, so that they keep the focus.
  if (list.childElementCount === files.length && files.every(([name], k) => list.children[k].dataset.file === name)) return;
  fill(
    list,
    ...files.map(([name, text, , ending = name.replace(/^[^.]+/, "")]) =>
      make("button", { type: "button", "data-file": name, onclick: () => take(name, ending) }, text),
    ),
  );
}
