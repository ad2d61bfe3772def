// What was understood of the files, on the board and in a sentence, and the few things to put right.

import { fill, find, make } from "./dom.js";
import { boundsOf } from "./geometry.js";
import { loadPicture, makePiece, UNKNOWN } from "./pieces.js";

const ROLES = { piece: "piece", target: "target", aside: "not used" };
const LISTED = 300;
const AT_REST = { x: 0, y: 0, angle_deg: 0, flipped: false };

/** The outlines as they were read, ready for the board; targets lie below the pieces. */
export function readingScene(reading) {
  const isTarget = ({ role }) => role === "target";
  const targets = reading.figures.filter(isTarget);
  const sorted = [...targets, ...reading.figures.filter((figure) => !isTarget(figure))];
  const pieces = new Map(
    sorted.map((figure, k) => [figure.id, { ...makePiece(figure, Math.max(0, k - targets.length)), role: figure.role }]),
  );
  const picture = reading.pixels && loadPicture(reading.pixels);
  const points = reading.figures.flatMap((figure) => figure.ring);
  const box = picture
    ? { left: picture.left, right: picture.left + picture.size, top: picture.top, bottom: picture.top - picture.size }
    : boundsOf(points);
  // The picture is a square of which outlines may fill a part: they are what is to be seen.
  return {
    pieces,
    poses: new Map([...pieces.keys()].map((id) => [id, AT_REST])),
    backdrop: { picture },
    box: points.length ? boundsOf(points) : box,
    lookOf: (piece) => readingLook(piece, picture !== null),
  };
}

function readingLook({ role, colour }, hasPicture) {
  if (role === "target") return { stroke: "#c2550a", width: 2.5, dashed: true, fill: hasPicture ? null : "#ffffff" };
  if (role === "aside") return { fill: UNKNOWN, faded: true, hatched: 45, dashed: true, outlined: true };
  return hasPicture
    ? { fill: `${colour}40`, stroke: "#0b5cad", width: 2, outlined: true }
    : { fill: colour };
}

/** The card beside the board: what was read, and its form. `change` tells the server what to read otherwise. */
export class ReadingCard {
  #form = find("settings");
  #change;
  #choose;

  constructor({ change, choose, draw }) {
    this.#change = change;
    this.#choose = choose;
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    this.#form.addEventListener("change", () => this.#send());
    find("draw").addEventListener("click", () => draw(find("draw").getAttribute("aria-pressed") !== "true"));
  }

  show(job) {
    const { reading, params } = job;
    find("sentence").textContent = reading?.sentence ?? "";
    fill(find("notes"), ...(reading?.notes ?? []).map((note) => make("li", {}, note)));
    this.#fillForm(params, reading);
    find("outlines").hidden = !reading?.figures.length;
    fill(find("figures"), ...(reading?.figures ?? []).slice(0, LISTED).map((figure) => this.#row(figure)));
  }

  mark(chosen) {
    for (const row of find("figures").children) {
      const is = chosen.has(row.dataset.id);
      row.classList.toggle("chosen", is);
      if (is) row.scrollIntoView({ block: "nearest" });
    }
  }

  /** The size of a rectangle that was drawn on the board. */
  setRectangle(width, height) {
    const { elements } = this.#form;
    elements.target.value = "rect";
    elements.width.value = Number(width.toPrecision(4));
    elements.height.value = Number(height.toPrecision(4));
    this.#send();
  }

  #row(figure) {
    const choices = Object.entries(ROLES).map(([value, text]) =>
      make("option", { value, selected: value === figure.role }, text),
    );
    const change = (event) => this.#change({ roles: { [figure.id]: event.target.value } });
    return make(
      "li",
      { "data-id": figure.id, title: figure.reason ?? "" },
      make("button", { type: "button", onclick: () => this.#choose(figure.id) }, figure.id),
      make("select", { "aria-label": `What ${figure.id} is`, onchange: change }, ...choices),
    );
  }

  #fillForm(params, reading) {
    const { elements } = this.#form;
    elements.unit.value = params.unit ?? "";
    elements.mm_per_px.value = params.mm_per_px ?? "";
    find("pixel-size").hidden = reading?.unit !== "px" && params.mm_per_px == null;
    elements.target.value = targetIn(params);
    const [, width = "", height = ""] = params.target?.match(/^\w+:([\d.e+-]+)(?:x([\d.e+-]+))?/) ?? [];
    elements.width.value = width;
    elements.height.value = height;
    elements.rotations.value = String(params.rotations ?? "free");
    elements.kerf.value = params.kerf || "";
    elements.tolerance.value = params.tolerance ?? "";
    elements.mirror.checked = Boolean(params.mirror);
    this.#showSizes();
  }

  #showSizes() {
    const { value } = this.#form.elements.target;
    find("sizes").hidden = value !== "rect" && value !== "circle";
    find("height").hidden = find("draw").hidden = value === "circle";
  }

  #send() {
    this.#showSizes();
    const target = targetFrom(this.#form.elements);
    if (!target || !this.#form.reportValidity()) return; // a size is still missing
    const { unit, mm_per_px, rotations, kerf, tolerance, mirror } = this.#form.elements;
    const number = (field) => (field.value === "" ? null : Number(field.value));
    const { value } = rotations;
    this.#change({
      params: {
        ...target,
        unit: unit.value || null,
        mm_per_px: number(mm_per_px),
        rotations: value === "free" ? value : Number(value),
        kerf: number(kerf) ?? 0,
        tolerance: number(tolerance),
        mirror: mirror.checked,
      },
    });
  }
}

function targetIn({ target, no_target, outline }) {
  if (no_target) return "none";
  if (outline) return outline;
  return target?.match(/^(rect|circle):/)?.[1] ?? "found";
}

/** What the form says of the target, as the server has it; null while a size is missing. */
function targetFrom({ target, width, height }) {
  const nothing = { target: null, no_target: false, outline: null };
  const kind = target.value;
  if (kind === "none") return { ...nothing, no_target: true };
  if (kind === "rectangle" || kind === "convex") return { ...nothing, outline: kind };
  if (kind === "found") return nothing;
  if (!(width.value > 0) || (kind === "rect" && !(height.value > 0))) return null;
  return { ...nothing, target: kind === "rect" ? `rect:${width.value}x${height.value}` : `circle:${width.value}` };
}
