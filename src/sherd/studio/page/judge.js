// The verdict on what hands made: the server keeps the board and judges it, a moment after the last deed.

import * as api from "./api.js";
import { attempt } from "./attempt.js";

const AFTER_MS = 250;

export class Judge {
  #board;
  #onjudged;
  #timer = 0;
  #asked = 0;

  /** `board()` tells the job's id and the board as it is now, or null; `onjudged` gets the verdict on it. */
  constructor(board, onjudged) {
    this.#board = board;
    this.#onjudged = onjudged;
  }

  soon() {
    this.forget();
    this.#timer = setTimeout(() => this.#ask(), AFTER_MS);
  }

  /** What was asked of an earlier board counts no more. */
  forget() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#asked += 1;
  }

  /** Let the server know of the board now, if it does not. */
  async flush() {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    await this.#ask();
  }

  async #ask() {
    this.#timer = 0;
    const asked = this.#asked;
    const now = this.#board();
    if (!now) return;
    const judged = await attempt(() => api.putBoard(now.id, now.board));
    if (judged && asked === this.#asked) this.#onjudged(judged);
  }
}
