// Undo and redo: states are never changed, so remembering them is enough.

// Steps of one kind that follow each other within this many milliseconds are undone together.
const TOGETHER_MS = 800;
const MOST = 500;

export class History {
  #states;
  #at = 0;
  #kind = "";
  #when = 0;

  constructor(first) {
    this.#states = [first];
  }

  get now() {
    return this.#states[this.#at];
  }

  get canUndo() {
    return this.#at > 0;
  }

  get canRedo() {
    return this.#at < this.#states.length - 1;
  }

  /** Go on with a new state; one of the same non-empty kind right after the last takes its place. */
  push(state, kind = "") {
    const when = performance.now();
    const again = kind !== "" && kind === this.#kind && when - this.#when < TOGETHER_MS && this.canUndo;
    this.#states.length = this.#at + (again ? 0 : 1);
    this.#states.push(state);
    if (this.#states.length > MOST) this.#states.shift();
    this.#at = this.#states.length - 1;
    this.#kind = kind;
    this.#when = when;
  }

  undo() {
    if (this.canUndo) this.#at -= 1;
    this.#kind = "";
    return this.now;
  }

  redo() {
    if (this.canRedo) this.#at += 1;
    this.#kind = "";
    return this.now;
  }
}
