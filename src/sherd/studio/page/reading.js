// What was understood of the files, on the board and in a sentence, and the few things to put right.

import { fill, find, make, say } from "./dom.js";
import { AT_REST, boundsOf, heightOf, widthOf } from "./geometry.js";
import { readingLook } from "./looks.js";
import { loadPicture, makePiece } from "./pieces.js";

const ROLES = { piece: "piece", target: "target", aside: "not used" };
const LISTED = 300;

/** The outlines as they were read, ready for the board; targets lie below the pieces. */
function readingScene(reading) {
  const isTarget = ({ role }) => role === "target";
  const targets = reading.figures.filter(isTarget);
  const sorted = [...targets, ...reading.figures.filter((figure) => !isTarget(figure))];
  const pieces = new Map(
    sorted.map((figure, k) => [figure.id, { ...makePiece(figure, Math.max(0, k - targets.length)), role: figure.role }]),
  );
  const picture = reading.pixels && loadPicture(reading.pixels);
  const points = reading.figures.flatMap((figure) => figure.ring);
  return {
    pieces,
    poses: new Map([...pieces.keys()].map((id) => [id, AT_REST])),
    backdrop: { picture },
    box: points.length ? boundsOf(points) : null,
    lookOf: (piece) => readingLook(piece, picture !== null),
  };
}

/** The card beside the board: what was read, and its form. `change` tells the server what to read otherwise. */
export class ReadingCard {
  /** Whether a rectangle is being drawn. */
  isDrawing = false;
  scene = null;
  #form = find("settings");
  #board;
  #change;

  constructor(board, change) {
    this.#board = board;
    this.#change = change;
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    this.#form.addEventListener("change", () => this.#send());
    find("draw").addEventListener("click", () => this.draw(!this.isDrawing));
  }

  show(job) {
    const { reading, params } = job;
    this.scene = reading && readingScene(reading);
    find("sentence").textContent = reading?.sentence ?? "";
    this.#offer(reading?.choices ?? []);
    fill(find("notes"), ...(reading?.notes ?? []).map((note) => make("li", {}, note)));
    this.#fillForm(params, reading);
    find("outlines").hidden = !reading?.figures.length;
    fill(find("figures"), ...(reading?.figures ?? []).slice(0, LISTED).map((figure) => this.#row(figure)));
  }

  /** Choose an outline on the board and in the list, or none. */
  choose(id) {
    this.#board.choose(id === null ? [] : [id]);
    if (id !== null) find("outlines").open = true;
    for (const row of find("figures").children) {
      const is = row.dataset.id === id;
      row.classList.toggle("chosen", is);
      if (is) row.scrollIntoView({ block: "nearest" });
    }
  }

  chooseNext(direction) {
    const ids = [...(this.scene?.pieces.keys() ?? [])];
    if (!ids.length) return;
    const here = ids.indexOf([...this.#board.chosen][0]);
    const id = ids[(here + direction + ids.length) % ids.length];
    this.choose(id);
    say(`${id}: ${ROLES[this.scene.pieces.get(id).role]}`);
  }

  /** Begin to draw a rectangle on the board, or end it. */
  draw(is) {
    this.isDrawing = is;
    this.#board.sketch = null;
    this.#board.changed(false);
    find("draw").setAttribute("aria-pressed", String(is));
    find("canvas").classList.toggle("drawing", is);
    if (is) say("Draw the rectangle on the board.");
  }

  sketch(from, to) {
    this.#board.sketch = boundsOf([from, to]);
    this.#board.changed(false);
  }

  /** The rectangle is drawn: its size is that of the target. */
  sketched() {
    const { sketch } = this.#board;
    this.draw(false);
    if (!sketch) return;
    const { elements } = this.#form;
    elements.target.value = "rect";
    elements.width.value = Number(widthOf(sketch).toPrecision(4));
    elements.height.value = Number(heightOf(sketch).toPrecision(4));
    this.#send();
  }

  /** Buttons for what pieces may make, where nothing says it; the last one asks for the size. */
  #offer(choices) {
    find("choices").hidden = !choices.length;
    const button = (text, onclick) => make("button", { type: "button", onclick }, text);
    const known = choices.map(({ text, params }) => button(text, () => this.#change({ params })));
    fill(find("choices"), ...known, button("Another size …", () => this.#askForSize()));
    if (choices.length) find("choices").firstChild.classList.add("main");
  }

  #askForSize() {
    this.#form.elements.target.value = "rect";
    this.#showSizes();
    this.#form.elements.width.focus();
  }

  #row(figure) {
    const choices = Object.entries(ROLES).map(([value, text]) =>
      make("option", { value, selected: value === figure.role }, text),
    );
    const change = (event) => this.#change({ roles: { [figure.id]: event.target.value } });
    return make(
      "li",
      { "data-id": figure.id, title: figure.reason ?? "" },
      make("button", { type: "button", onclick: () => this.choose(figure.id) }, figure.id),
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
