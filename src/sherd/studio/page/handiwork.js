// What hands do with the pieces on the board: every deed makes a new layout, which can be undone.

import { applyAll, heightOf, mirrored, shifted, turned, widthOf, wrapped } from "./geometry.js";
import { History } from "./history.js";
import { isLoose, moved, pinned, putAway, toBoard } from "./layout.js";
import { snapped } from "./snap.js";
import { say } from "./dom.js";

// A step of an arrow key, and how near edges must be to snap, as shares of the board's size.
const STEP = 0.01;
const REACH = 0.03;
const TURN_DEG = 15;
const ARROWS = { left: [-1, 0], right: [1, 0], up: [0, 1], down: [0, -1] };

export class Handiwork {
  snaps = true;
  /** Whether pieces may be moved now, and whether some are just being moved. */
  allowed = false;
  inHand = false;
  #board;
  #onchange;
  #onchoose;

  constructor(board, { onchange, onchoose }) {
    this.#board = board;
    this.#onchange = onchange;
    this.#onchoose = onchoose;
  }

  begin(puzzle, pieces, table, layout) {
    Object.assign(this, { puzzle, pieces, table });
    this.history = new History(layout);
  }

  get layout() {
    return this.history.now;
  }

  /** What lies on the board, as the server keeps it. */
  get board() {
    return toBoard(this.table, this.layout);
  }

  get chosen() {
    return [...this.#board.chosen];
  }

  /** Chosen pieces that are not pinned. */
  get free() {
    return this.chosen.filter((id) => !this.layout.pinned.has(id));
  }

  get size() {
    return Math.max(widthOf(this.table.region), heightOf(this.table.region));
  }

  /** The smallest allowed turn in degrees: 0 if any is, null if none. */
  get step() {
    const { rotations } = this.puzzle;
    if (rotations === "free") return 0;
    const bins = rotations === "fixed" ? 1 : Number(rotations);
    return bins > 1 ? 360 / bins : null;
  }

  /** Show a layout and remember it; steps of one kind are undone together. */
  commit(layout, kind = "") {
    this.inHand = false;
    this.history.push(layout, kind);
    this.#board.moveTo(layout.poses);
    this.#onchange();
  }

  undo() {
    this.#board.moveTo(this.history.undo().poses);
    this.#onchange();
  }

  redo() {
    this.#board.moveTo(this.history.redo().poses);
    this.#onchange();
  }

  choose(ids) {
    this.#board.choose(ids);
    this.#board.handled = this.allowed && this.step !== null && this.free.length > 0;
    this.#onchoose();
  }

  chooseAt(id, adds) {
    if (id === null) this.choose([]);
    else if (!adds) this.choose([id]);
    else this.choose(this.#board.chosen.has(id) ? this.chosen.filter((one) => one !== id) : [...this.chosen, id]);
  }

  chooseNext(direction) {
    const ids = [...this.pieces.keys()];
    const here = ids.indexOf(this.chosen.at(-1));
    const next = here < 0 ? (direction > 0 ? 0 : ids.length - 1) : (here + direction + ids.length) % ids.length;
    this.choose([ids[next]]);
    say(this.describe(ids[next]));
  }

  describe(id) {
    const { layout, table } = this;
    const where = isLoose(table, layout.poses.get(id)) ? "loose" : "on the board";
    const how = ["pinned", "aside", "forbidden"].filter((name) => layout[name].has(id));
    return [`piece ${id}`, where, ...how].join(", ");
  }

  mayMove() {
    return this.allowed && this.free.length > 0;
  }

  /** Move what is in the hand, without remembering it yet. */
  drag(dx, dy) {
    this.#hold((pose) => shifted(pose, dx, dy));
  }

  turnInHand(degrees) {
    if (this.step === null) return;
    const { middle } = this.#board;
    this.#hold((pose) => turned(pose, degrees, middle));
  }

  #hold(change) {
    const poses = this.free.map((id) => [id, change(this.#board.poseOf(id))]);
    this.#board.moveTo(poses, false);
    if (this.inHand) return;
    this.inHand = true;
    this.#onchange();
  }

  /** Let go: round to an allowed angle, snap, remember. */
  drop() {
    let poses = new Map(this.free.map((id) => [id, this.#rounded(this.#board.poseOf(id))]));
    if (this.snaps) poses = this.#snapped(poses) ?? poses;
    this.commit(moved(this.layout, this.table, poses));
  }

  snapNow() {
    const poses = this.#snapped(new Map(this.free.map((id) => [id, this.#board.poseOf(id)])));
    if (poses) this.commit(moved(this.layout, this.table, poses));
    say(poses ? "snapped" : "nothing within reach");
  }

  #rounded(pose) {
    if (!this.step) return pose;
    return { ...pose, angle_deg: wrapped(Math.round(pose.angle_deg / this.step) * this.step) };
  }

  /** Poses of one piece that is laid along its neighbours, or null; several are left as they are. */
  #snapped(poses) {
    const [[id, pose]] = [...poses, [null, null]];
    if (poses.size !== 1 || isLoose(this.table, pose)) return null;
    const others = (this.puzzle.target?.parts ?? []).flatMap((part) => [part.ring, ...part.holes]);
    const reach = REACH * this.size;
    const piece = this.pieces.get(id);
    for (const [other, lies] of this.layout.poses) {
      const { radius, rings } = this.pieces.get(other);
      const near = Math.hypot(lies.x - pose.x, lies.y - pose.y) < radius + piece.radius + 2 * reach;
      if (other !== id && near && !isLoose(this.table, lies)) others.push(applyAll(lies, rings[0]));
    }
    const found = snapped(piece.rings[0], pose, others, reach, this.step === 0);
    return found && new Map([[id, found]]);
  }

  #change(change, kind) {
    if (!this.mayMove()) return;
    this.commit(moved(this.layout, this.table, this.free.map((id) => [id, change(this.layout.poses.get(id))])), kind);
  }

  arrow(name, event) {
    const far = event.shiftKey ? 10 : event.altKey ? 0.1 : 1;
    const [dx, dy] = ARROWS[name].map((value) => value * far * STEP * this.size);
    this.#change((pose) => shifted(pose, dx, dy), "arrow");
  }

  turn(degrees) {
    const { step } = this;
    if (step === null) return say("pieces of this puzzle are not turned");
    const by = step ? Math.sign(degrees) * step : degrees;
    const { middle } = this.#board;
    this.#change((pose) => turned(pose, by, middle), "turn");
  }

  turnStep(direction) {
    this.turn(direction * TURN_DEG);
  }

  flip() {
    const refused = this.free.find((id) => !this.pieces.get(id).mayFlip);
    if (refused !== undefined) return say(`piece ${refused} may not be turned over`);
    const [x] = this.#board.middle ?? [0];
    this.#change((pose) => mirrored(pose, x), "");
  }

  bring() {
    const { region } = this.table;
    const middle = { x: (region.left + region.right) / 2, y: (region.bottom + region.top) / 2 };
    this.#change((pose) => (isLoose(this.table, pose) ? { ...pose, ...middle } : pose), "");
  }

  pin() {
    if (!this.allowed || !this.chosen.length) return;
    this.commit(pinned(this.layout, this.table, this.chosen));
    this.choose(this.chosen);
  }

  putAway(forbid) {
    if (this.allowed && this.chosen.length) this.commit(putAway(this.layout, this.table, this.chosen, forbid));
  }

  chooseAllOnBoard() {
    this.choose([...this.layout.poses].filter(([, pose]) => !isLoose(this.table, pose)).map(([id]) => id));
  }
}
