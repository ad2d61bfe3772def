// The way in: files, a folder, the camera, a puzzle made here, an example, or an earlier job.

import * as api from "./api.js";
import { attempt } from "./attempt.js";
import { takePhotograph } from "./camera.js";
import { fill, find, make } from "./dom.js";

const SHAPES = {
  cuts: ["square", "pentagon", "hexagon", "mondrian"],
  merged: ["square", "hexagon", "star", "cross", "ell", "tee", "arrow"],
  tangram: ["square", "triangle", "house", "boat", "arrow", "cat", "swan", "runner"],
  jigsaw: ["square"],
};
const OTHERS = ["square", "pentagon", "hexagon"];
const STATES = { read: "read", done: "", failed: "failed", interrupted: "interrupted" };

/** Set up the first screen; `onjob` gets every job that is made here. */
export function setUpStart(onjob) {
  const begin = (request) => attempt(async () => onjob(await request()));
  const send = (files) => files.length && begin(() => api.upload([...files]));

  for (const id of ["files", "folder", "capture"]) {
    find(id).addEventListener("change", (event) => {
      send([...event.target.files].filter(isNoHidden));
      event.target.value = "";
    });
  }
  find("camera").addEventListener("click", async () => {
    const file = await takePhotograph();
    if (file) send([file]);
  });
  const form = find("make");
  form.elements.dissection.addEventListener("change", () => offerShapes(form));
  offerShapes(form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const said = Object.fromEntries(new FormData(form));
    begin(() => api.makeJob({ generate: { ...said, pieces: Number(said.pieces), seed: Number(said.seed) } }));
  });
  listenToDrops(send);
  showExamples((name) => begin(() => api.makeJob({ example: name })));
}

function offerShapes(form) {
  const { dissection, shape, pieces } = form.elements;
  fill(shape, ...(SHAPES[dissection.value] ?? OTHERS).map((name) => make("option", {}, name)));
  pieces.disabled = dissection.value === "tangram";
  if (pieces.disabled) pieces.value = 7;
  else if (dissection.value === "jigsaw") pieces.value = 24;
}

const isNoHidden = (file) => !file.name.startsWith(".");

function listenToDrops(send) {
  const has = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!has(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", async (event) => {
    if (!has(event)) return;
    event.preventDefault();
    document.body.classList.remove("dropping");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const files = entries.length ? (await Promise.all(entries.map(filesIn))).flat() : [...event.dataTransfer.files];
    send(files.filter(isNoHidden));
  });
}

/** The files of a dropped file or folder, those of folders within it too. */
async function filesIn(entry) {
  if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];
  const reader = entry.createReader();
  const files = [];
  for (;;) {
    // A reader tells a folder's entries in portions, the last of which is empty.
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return files;
    files.push(...(await Promise.all(some.map(filesIn))).flat());
  }
}

async function showExamples(open) {
  const examples = (await attempt(api.listExamples)) ?? [];
  fill(
    find("examples"),
    ...examples.map(({ name, title, picture }) =>
      make(
        "li",
        {},
        make("button", { type: "button", onclick: () => open(name) }, ...pictureOf(picture), make("span", {}, title || name)),
      ),
    ),
  );
}

function pictureOf(url) {
  return url ? [make("img", { src: url, alt: "", loading: "lazy" })] : [];
}

/** List earlier jobs, newest first. */
export async function showRecent() {
  const jobs = (await attempt(api.listJobs)) ?? [];
  find("recent-card").hidden = !jobs.length;
  fill(find("recent"), ...jobs.slice(0, 50).map(recentJob));
}

function recentJob(job) {
  const said = [job.pieces ? `${job.pieces} pieces` : "", STATES[job.state] ?? job.state, job.verdict ?? ""];
  const remove = async () => {
    if ((await attempt(() => api.removeJob(job.id).then(() => true))) === true) showRecent();
  };
  return make(
    "li",
    {},
    make("a", { href: `#${job.id}` }, job.name),
    make("span", { className: "hint" }, said.filter(Boolean).join(", ")),
    make("button", { type: "button", className: "plain", "aria-label": `Remove ${job.name}`, onclick: remove }, "✕"),
  );
}
