// The page of benchmarks: the paper's rows with ours beside them, and all other suites.

import * as api from "./api.js";
import { attempt } from "./attempt.js";
import { fill, find, make } from "./dom.js";

const PAPER = "paper";
const BROKEN = "broken things";
const share = (value) => value.toFixed(3);
// Heading, what a row has there (undefined leaves it empty), and how a number is written.
const COLUMNS = [
  ["Puzzles", puzzlesOf],
  ["Solver", (row) => row.solver],
  ["Published cov95", publishedOf, share],
  ["cov95", (row) => row.cov95, share],
  ["±", (row) => row.cov95_standard_error, share],
  ["cov", (row) => row.cov, share],
  ["IoU", (row) => row.iou, share],
  ["All right", (row) => row.all_right, share],
  ["Joints found", (row) => row.joint_recall, share],
  ["Solved", (row) => row.solved, share],
  ["Seconds", (row) => row.seconds_median, (value) => value.toPrecision(2)],
  ["Number", (row) => row.count, String],
  ["Seed", (row) => row.seed, String],
  ["Commit", (row) => row.commit],
];
const LOOK = "Look at a puzzle";
const TURNS = { 1: "not turned", free: "any angle" };
const MOST_ROWS = 1000;

function puzzlesOf(row) {
  const words = [
    row.shape ?? row.kind,
    `${row.pieces} pieces`,
    row.rotations && (TURNS[row.rotations] ?? `${row.rotations} angles`),
    row.dissection !== "cuts" && row.dissection,
    row.degradation !== "none" && row.degradation,
    row.mirror === "yes" && "turned over",
    row.noise > 0 && `noise ${row.noise}`,
    row.strength > 0 && row.strength !== 1 && `strength ${row.strength}`,
    row.input !== "polygons" && row.input,
    row.order && row.order !== "bottom-left" && row.order,
    row.kind && (row.target === "yes" ? "with a target" : "no target"),
  ];
  return words.filter(Boolean).join(", ");
}

/** The paper's figure for the row, with the method that has it where that is not the row's own. */
function publishedOf(row) {
  const { published_cov95: found, published_method: method, solver } = row;
  return found === undefined || !method || method === solver ? found : `${method} ${share(found)}`;
}

const hasPuzzle = (row, number) => row.id !== undefined && number <= row.count;
const open = (job) => (location.href = `/#${job.id}`);

async function look(row, number) {
  const job = await attempt(() => api.makeJob({ measured: { row: row.id, number } }));
  if (job) open(job);
}

/** Solve a row's puzzles here, as it did, one after the other, until one fails; that one is opened. */
async function lookForFailed(row, first) {
  const solve = { solver: row.solver, seconds: row.time_limit };
  const stop = find("stop-looking");
  let stopped = false;
  stop.onclick = () => (stopped = true);
  find("looking").hidden = stop.hidden = false;
  find("looking").scrollIntoView({ block: "nearest" });
  for (let number = first; number <= row.count && !stopped; number += 1) {
    find("looking-at").textContent = `Solving puzzle ${number} of ${row.count}: ${puzzlesOf(row)} …`;
    const job = await attempt(() => api.makeJob({ measured: { row: row.id, number }, solve }));
    if (!job) break;
    const ended = await solved(job.id, () => stopped);
    if (!stopped && ended && ended.answer?.verdict.word !== "solved") return open(ended);
    await attempt(() => api.removeJob(job.id));
  }
  find("looking-at").textContent = stopped ? "Stopped." : `All from number ${first} on are solved here and now.`;
  stop.hidden = true;
}

/** A job once it has ended, or null if nobody waits for it any more. */
function solved(id, isStopped) {
  return new Promise((resolve) => {
    const done = (value) => {
      clearInterval(asking);
      unfollow();
      resolve(value);
    };
    const unfollow = api.follow(id, { onJob: () => {}, onProgress: () => {}, onDone: () => done(attempt(() => api.readJob(id))) });
    const asking = setInterval(() => isStopped() && done(null), 100);
  });
}

/** All rows under the suites that they belong to. */
function suitesOf({ cells, contours, published }) {
  const suites = new Map([[PAPER, []]]);
  for (const row of cells) {
    const [, suite] = row.record.split("/");
    const name = suite.startsWith("table") ? PAPER : suite;
    if (!suites.has(name)) suites.set(name, []);
    suites.get(name).push(row);
  }
  const key = (row) => [row.shape, row.pieces, row.rotations, row.degradation, row.order].join();
  const measured = new Set(suites.get(PAPER).map(key));
  for (const row of published) {
    if (!measured.has(key(row))) suites.get(PAPER).push({ ...row, cov95: undefined, published_cov95: row.cov95 });
  }
  if (contours.length) suites.set(BROKEN, contours);
  return suites;
}

function isFailing(row) {
  return (row.solved ?? row.all_right ?? row.cov95 ?? 1) < 1;
}

function show(suites, form) {
  const { suite, solver, failed } = form.elements;
  const all = suites.get(suite.value) ?? [];
  const solvers = [...new Set(all.map((row) => row.solver).filter(Boolean))].sort();
  const chosen = solvers.includes(solver.value) ? solver.value : "";
  fill(solver, make("option", { value: "" }, "all"), ...solvers.map((name) => make("option", {}, name)));
  solver.value = chosen;
  const rows = all.filter((row) => (!chosen || row.solver === chosen) && (!failed.checked || isFailing(row)));
  const columns = COLUMNS.filter(([, value]) => rows.some((row) => value(row) !== undefined));
  const heading = ([title, , write]) => make("th", { scope: "col", className: write ? "number" : "" }, title);
  const number = form.elements.number.valueAsNumber || 1;
  const [puzzles, by, ...figures] = columns;
  fill(find("columns"), ...[puzzles, by, [LOOK], ...figures].map(heading));
  fill(
    find("rows"),
    ...rows.slice(0, MOST_ROWS).map((row) =>
      make("tr", {}, cell(row, puzzles), cell(row, by), lookCell(row, number), ...figures.map((one) => cell(row, one))),
    ),
  );
  find("said").textContent = `${rows.length} of ${all.length} rows`;
}

function cell(row, [, value, write]) {
  const found = value(row);
  const text = found === undefined ? "–" : write && typeof found === "number" ? write(found) : String(found);
  return make("td", { className: write ? "number" : "" }, text);
}

function lookCell(row, number) {
  if (!hasPuzzle(row, number)) return make("td", {}, "–");
  const button = (text, onclick) =>
    make("button", { type: "button", "aria-label": `${text} of ${puzzlesOf(row)}`, onclick }, text);
  const failed = button("A failed one", () => lookForFailed(row, number));
  return make("td", {}, button(`Puzzle ${number}`, () => look(row, number)), " ", ...(isFailing(row) ? [failed] : []));
}

const records = await attempt(api.readRecords);
if (records) {
  const suites = suitesOf(records);
  const form = find("filter");
  fill(form.elements.suite, ...[...suites.keys()].map((name) => make("option", {}, name)));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => show(suites, form));
  show(suites, form);
}
