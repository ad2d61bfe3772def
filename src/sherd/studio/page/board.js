// The board: two canvases, one of what lies still and one of what is chosen, drawn only when something changed.

import { AT_REST, between, matrix, samePose } from "./geometry.js";
import { drawCross, drawName, drawPicture, hatching } from "./paint.js";
import { reachOf } from "./pieces.js";
import { View } from "./view.js";

const TRAVEL_MS = 320;
// Beyond so many corners, not all is drawn anew for each step of the view, and again when it rests.
const HEAVY = 20_000;
const RESTS_MS = 100;
const HANDLE_PX = 30;
export const HANDLE_RADIUS_PX = 11;
const INKS = {
  light: { ink: "#1f2733", muted: "#667080", open: "#ffffff", tray: "#e3e7ec", chosen: "#0b5cad", casing: "#ffffff", differs: "#b3006b" },
  dark: { ink: "#0e1319", muted: "#9aa7b8", open: "#323c4a", tray: "#1b222b", chosen: "#8cc8ff", casing: "#0e1319", differs: "#ff7ac6" },
};

export class Board {
  view = new View();
  pieces = new Map();
  chosen = new Set();
  backdrop = {};
  /** How a piece looks: {fill, hatched, faded, dashed, differs, pinned, crossed, hidden}; set by who knows. */
  lookOf = () => ({});
  /** A rectangle that is being drawn, in the world, or null. */
  sketch = null;
  #poses = new Map();
  #goals = new Map();
  #travel = null;
  #flight = null;
  #under;
  #over;
  #dirty = { under: true, over: true };
  #asked = 0;
  #ratio = 1;
  #calm = matchMedia("(prefers-reduced-motion: reduce)");
  #drawn = { scale: 1, x: 0, y: 0 };
  #resting = 0;
  #isHeavy = false;

  constructor(under, over) {
    this.#under = under;
    this.#over = over;
    new ResizeObserver(() => this.#resize()).observe(under.parentElement);
    this.#resize();
  }

  /** Called after the size of the canvas has changed. */
  onresize = () => {};

  setPieces(pieces, poses, backdrop) {
    this.pieces = pieces;
    this.#isHeavy = cornersOf(pieces) > HEAVY;
    this.backdrop = backdrop;
    this.chosen.clear();
    this.#poses = new Map(poses);
    this.#goals = new Map(poses);
    this.#travel = null;
    for (const piece of pieces.values()) if (piece.image) piece.image.onready = () => this.changed();
    if (backdrop.picture) backdrop.picture.onready = () => this.changed();
    this.changed();
  }

  poseOf(id) {
    return this.#goals.get(id) ?? AT_REST;
  }

  /** Let pieces lie elsewhere; they travel there unless they are in somebody's hand. */
  moveTo(poses, travels = true) {
    const from = new Map();
    let still = true;
    for (const [id, pose] of poses) {
      const here = this.#poses.get(id);
      this.#goals.set(id, pose);
      if (!here || samePose(here, pose)) continue;
      if (travels && !this.#calm.matches && !this.#isHeavy) from.set(id, here);
      else this.#poses.set(id, pose);
      still &&= this.chosen.has(id);
    }
    this.#travel = from.size ? { from, start: performance.now() } : null;
    this.changed(!still);
  }

  /** Show a box whole. */
  fit(box, flies = true) {
    const to = this.view.fitting(box);
    if (!flies || this.#calm.matches) {
      Object.assign(this.view, to);
      this.#flight = null;
    } else {
      const { scale, x, y } = this.view;
      this.#flight = { from: { scale, x, y }, to, start: performance.now() };
    }
    this.changed();
  }

  /** Choose pieces, and only these. */
  choose(ids) {
    this.chosen = new Set(ids);
    this.changed();
  }

  pan(dx, dy) {
    this.view.pan(dx, dy);
    this.#moved();
  }

  zoom(factor, point = [this.view.width / 2, this.view.height / 2]) {
    this.view.zoom(factor, point);
    this.#moved();
  }

  /** The view has changed: much is first shown as it was drawn, shifted, and drawn again when the view rests. */
  #moved() {
    this.#flight = null;
    if (!this.#isHeavy) return this.changed();
    const scale = this.view.scale / this.#drawn.scale;
    const [x, y] = [this.view.x - this.#drawn.x * scale, this.view.y - this.#drawn.y * scale];
    for (const canvas of [this.#under, this.#over]) canvas.style.transform = `matrix(${scale}, 0, 0, ${scale}, ${x}, ${y})`;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.changed(), RESTS_MS);
  }

  changed(under = true) {
    this.#dirty.under ||= under;
    this.#dirty.over = true;
    this.#asked ||= requestAnimationFrame((now) => this.#frame(now));
  }

  /** The topmost piece at a point of the screen, chosen ones first. */
  pieceAt(point) {
    const context = this.#over.getContext("2d");
    const [x, y] = this.view.toWorld(point);
    const all = [...this.pieces.values()].reverse();
    const sorted = [...all.filter(({ id }) => this.chosen.has(id)), ...all.filter(({ id }) => !this.chosen.has(id))];
    context.setTransform(1, 0, 0, 1, 0, 0);
    for (const piece of sorted) {
      const [a, b, c, d, e, f] = matrix(this.poseOf(piece.id));
      const own = [a * (x - e) + b * (y - f), c * (x - e) + d * (y - f)];
      const { left, right, bottom, top } = piece.box;
      if (own[0] < left || own[0] > right || own[1] < bottom || own[1] > top) continue;
      if (this.lookOf(piece).hidden) continue;
      if (context.isPointInPath(piece.path, own[0], own[1], "evenodd")) return piece.id;
    }
    return null;
  }

  /** The middle of the chosen pieces in the world, or null. */
  get middle() {
    if (!this.chosen.size) return null;
    let x = 0;
    let y = 0;
    for (const id of this.chosen) {
      x += this.poseOf(id).x / this.chosen.size;
      y += this.poseOf(id).y / this.chosen.size;
    }
    return [x, y];
  }

  /** Where the handle that turns the chosen pieces is on the screen. */
  get handle() {
    if (!this.middle || !this.handled) return null;
    const [x, y] = this.view.toScreen(this.middle);
    let reach = 0;
    for (const id of this.chosen) {
      const pose = this.poseOf(id);
      const away = Math.hypot(pose.x - this.middle[0], pose.y - this.middle[1]);
      reach = Math.max(reach, away + this.pieces.get(id).radius);
    }
    const up = Math.min(reach * this.view.scale + HANDLE_PX, 0.45 * Math.min(this.view.width, this.view.height));
    const above = y - up > HANDLE_RADIUS_PX;
    return [x, above ? y - up : y + up];
  }

  /** Whether chosen pieces may be turned by a handle. */
  handled = false;

  #resize() {
    const { clientWidth, clientHeight } = this.#under.parentElement;
    this.#ratio = Math.min(devicePixelRatio || 1, 2);
    const before = this.view.width > 1 ? [this.view.width, this.view.height] : null;
    this.view.width = clientWidth;
    this.view.height = clientHeight;
    for (const canvas of [this.#under, this.#over]) {
      canvas.width = Math.max(1, Math.round(clientWidth * this.#ratio));
      canvas.height = Math.max(1, Math.round(clientHeight * this.#ratio));
    }
    if (before) this.view.pan((clientWidth - before[0]) / 2, (clientHeight - before[1]) / 2);
    this.changed();
    this.onresize();
  }

  #frame(now) {
    this.#asked = 0;
    const travelling = this.#step(now);
    const { scale, x, y } = this.view;
    if (!this.#dirty.under && (scale !== this.#drawn.scale || x !== this.#drawn.x || y !== this.#drawn.y)) {
      this.#dirty.under = true;
    }
    this.#drawn = { scale, x, y };
    this.#under.style.transform = this.#over.style.transform = "";
    if (this.#dirty.under) {
      this.#clear(this.#under);
      this.#drawBackdrop(this.#under.getContext("2d"));
      this.#drawPieces(this.#under, (id) => !this.chosen.has(id));
    }
    if (this.#dirty.over) {
      this.#clear(this.#over);
      this.#drawPieces(this.#over, (id) => this.chosen.has(id));
      this.#drawHandle(this.#over.getContext("2d"));
    }
    this.#dirty = { under: false, over: false };
    if (travelling) this.changed();
  }

  /** Let pieces and camera go on; whether they are still on their way. */
  #step(now) {
    const share = (start) => {
      const linear = Math.min(1, Math.max(0, (now - start) / TRAVEL_MS));
      return linear * linear * (3 - 2 * linear);
    };
    if (this.#travel) {
      const done = share(this.#travel.start);
      for (const [id, from] of this.#travel.from) {
        const to = this.#goals.get(id);
        this.#poses.set(id, done === 1 ? to : between(from, to, done));
      }
      if (done === 1) this.#travel = null;
      this.#dirty.under = true;
    }
    if (this.#flight) {
      const { from, to, start } = this.#flight;
      const done = share(start);
      for (const name of ["scale", "x", "y"]) this.view[name] = from[name] + (to[name] - from[name]) * done;
      if (done === 1) this.#flight = null;
      this.#dirty.under = true;
    }
    return this.#travel !== null || this.#flight !== null;
  }

  get inks() {
    return INKS[document.documentElement.dataset.shade] ?? INKS.light;
  }

  #clear(canvas) {
    const context = canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
  }

  #at(context, pose) {
    context.setTransform(...this.view.transformOf(matrix(pose), this.#ratio));
  }

  #drawBackdrop(context) {
    const { picture, target, tray } = this.backdrop;
    const { inks, view } = this;
    this.#at(context, AT_REST);
    if (tray) {
      context.fillStyle = inks.tray;
      context.fillRect(tray.left, tray.bottom, tray.right - tray.left, tray.top - tray.bottom);
    }
    if (picture) drawPicture(context, picture);
    if (target) {
      context.fillStyle = inks.open;
      context.strokeStyle = inks.muted;
      context.lineWidth = 1.5 / view.scale;
      context.fill(target, "evenodd");
      context.stroke(target);
    }
    if (tray) {
      context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
      context.fillStyle = inks.muted;
      context.font = "12px system-ui, sans-serif";
      context.textAlign = "left";
      context.textBaseline = "bottom";
      context.fillText("loose pieces", ...view.toScreen([tray.left, tray.top]).map((value) => value - 3));
    }
  }

  #drawPieces(canvas, wanted) {
    const context = canvas.getContext("2d");
    const shown = [];
    for (const piece of this.pieces.values()) {
      const pose = this.#poses.get(piece.id);
      if (!wanted(piece.id) || !pose || !this.view.sees(reachOf(piece, pose))) continue;
      const look = this.lookOf(piece);
      if (look.hidden) continue;
      this.#drawPiece(context, piece, pose, look);
      shown.push([piece, pose, look]);
    }
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.globalAlpha = 1;
    for (const [piece, pose, look] of shown) drawName(context, piece, pose, look, this.view);
  }

  #drawPiece(context, piece, pose, look) {
    const { view, inks } = this;
    const chosen = this.chosen.has(piece.id);
    this.#at(context, pose);
    context.globalAlpha = look.faded ? 0.45 : 1;
    const image = look.painted && piece.image?.image.complete ? piece.image : null;
    if (image) {
      drawPicture(context, image);
    } else if (look.fill) {
      context.fillStyle = look.fill;
      context.fill(piece.path, "evenodd");
      if (look.hatched !== undefined) {
        context.fillStyle = hatching(context, look.hatched, this.#ratio);
        context.fill(piece.path, "evenodd");
      }
    }
    context.globalAlpha = 1;
    context.strokeStyle = chosen ? inks.chosen : look.differs ? inks.differs : (look.stroke ?? inks.ink);
    context.lineWidth = (chosen || look.differs ? 3 : look.pinned ? 2.2 : (look.width ?? 1)) / view.scale;
    context.lineJoin = "round";
    if (chosen) this.#drawCasing(context, piece);
    context.setLineDash(look.dashed || look.differs ? [7 / view.scale, 4 / view.scale] : []);
    context.stroke(piece.path);
    context.setLineDash([]);
    if (look.crossed) drawCross(context, piece);
  }

  /** A rim of the other shade around a chosen outline, which so stands out from any colour. */
  #drawCasing(context, { path }) {
    const { strokeStyle, lineWidth } = context;
    context.strokeStyle = this.inks.casing;
    context.lineWidth = 2.2 * lineWidth;
    context.stroke(path);
    Object.assign(context, { strokeStyle, lineWidth });
  }

  #drawHandle(context) {
    if (this.sketch) this.#drawSketch(context);
    const { handle, middle, inks } = this;
    if (!handle) return;
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    const [x, y] = this.view.toScreen(middle);
    context.strokeStyle = context.fillStyle = inks.chosen;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(...handle);
    context.stroke();
    context.beginPath();
    context.arc(...handle, HANDLE_RADIUS_PX, 0, 2 * Math.PI);
    context.fill();
    context.strokeStyle = inks.casing;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(...handle, 5, -0.4 * Math.PI, 1.2 * Math.PI);
    context.stroke();
  }

  #drawSketch(context) {
    const { left, right, bottom, top } = this.sketch;
    this.#at(context, AT_REST);
    context.strokeStyle = this.inks.chosen;
    context.lineWidth = 2.5 / this.view.scale;
    context.setLineDash([8 / this.view.scale, 5 / this.view.scale]);
    context.strokeRect(left, bottom, right - left, top - bottom);
    context.setLineDash([]);
  }
}

function cornersOf(pieces) {
  let count = 0;
  for (const piece of pieces.values()) for (const ring of piece.rings) count += ring.length;
  return count;
}
