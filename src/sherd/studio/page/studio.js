// The studio: one job at a time, its board, and the cards beside it.

import { act } from "./actions.js";
import * as api from "./api.js";
import { attempt } from "./attempt.js";
import { Board } from "./board.js";
import { find, make, trouble } from "./dom.js";
import { farthestApart, farthestFromAny, joined } from "./geometry.js";
import { Handiwork } from "./handiwork.js";
import { listen } from "./hands.js";
import { Judge } from "./judge.js";
import { listenToKeys } from "./keys.js";
import { fromBoard, inTray, isLoose, makeTable, regionOf, withPlacements } from "./layout.js";
import { pieceLook } from "./looks.js";
import { bannerOf, isBusy, readingFor, showActions, showBanner, showChosen, showFiles, showLeaf, showProgress } from "./panels.js";
import { makePiece, reachOf } from "./pieces.js";
import { ReadingCard } from "./reading.js";
import { setUpStart, showRecent } from "./start.js";

// Pieces that moved by less than this share of the board's size lie where they were.
const SAME = 0.005;
const KEPT_MS = 60_000;
const TICK_MS = 250;

class Studio {
  job = null;
  mode = "reading";
  /** The answer that is shown, and the verdict on what hands made of it. */
  answer = null;
  judged = null;
  #answerLayout = null;
  #differs = new Set();
  #seenBefore = 0;
  #pieces = new Map();
  #unfollow = () => {};
  /** When progress was told last, or a search was first seen to run. */
  #toldAt = 0;

  constructor() {
    this.board = new Board(find("under"), find("over"));
    this.board.onresize = () => this.#resized();
    this.hands = new Handiwork(this.board, { onchange: () => this.#touched(), onchoose: () => this.#showChosen() });
    this.card = new ReadingCard(this.board, (change) => this.#readAgain(change));
    this.judge = new Judge(
      () => (this.job?.puzzle && !isBusy(this.job) ? { id: this.job.id, board: this.hands.board } : null),
      (judged) => {
        this.judged = judged;
        this.show();
      },
    );
    listen(find("canvas"), this.board, {
      choose: (id, adds) => (this.mode === "board" ? this.hands.chooseAt(id, adds) : this.card.choose(id)),
      mayMove: () => this.mode === "board" && this.hands.mayMove(),
      drag: (dx, dy) => this.hands.drag(dx, dy),
      turn: (degrees) => this.hands.turnInHand(degrees),
      turnStep: (degrees) => this.hands.turn(degrees),
      drop: () => this.hands.drop(),
      isDrawing: () => this.card.isDrawing,
      sketch: (from, to) => this.card.sketch(from, to),
      sketched: () => this.card.sketched(),
    });
    for (const radio of document.getElementsByName("mode")) {
      radio.addEventListener("change", () => this.setMode(radio.value));
    }
    find("colours").addEventListener("change", () => this.recolour());
    find("snap").addEventListener("change", (event) => (this.hands.snaps = event.target.checked));
    document.documentElement.addEventListener("shade", () => this.board.changed());
    setInterval(() => this.#tick(), TICK_MS);
  }

  /** Whether hands have changed what was found, or laid something where nothing was. */
  get isTouched() {
    if (!this.job?.puzzle) return false;
    const { layout, inHand, table } = this.hands;
    if (inHand) return true;
    if (this.#answerLayout) return layout.poses !== this.#answerLayout.poses;
    return [...layout.poses.values()].some((pose) => !isLoose(table, pose));
  }

  /** The verdict and the placements of what is shown: of the hands' work if there is some, else the answer. */
  get found() {
    return this.isTouched ? this.judged : this.answer;
  }

  // The job: opened, followed, and taken over when it has changed.

  async open(id) {
    const job = await attempt(() => api.readJob(id));
    if (job) this.begin(job);
    else this.close();
  }

  begin(job) {
    this.#unfollow();
    find("start").hidden = true;
    find("work").hidden = find("new-job").hidden = false;
    history.replaceState(null, "", `#${job.id}`);
    this.job = job;
    this.#load();
    this.#follow();
  }

  /** Back to the first screen. */
  close() {
    this.#unfollow();
    this.judge.forget();
    this.job = null;
    document.title = "sherd studio";
    find("job-name").textContent = "";
    find("start").hidden = false;
    find("work").hidden = find("new-job").hidden = true;
    showRecent();
  }

  /** Take over all that the job says: what was read, the pieces, the answer, and what hands made. */
  #load() {
    const { job } = this;
    document.title = `${job.name} – sherd studio`;
    find("job-name").textContent = job.name;
    this.judge.forget();
    this.answer = job.answer;
    this.judged = null;
    this.#forgetDifferences();
    this.card.show(job);
    if (job.puzzle) this.#setTable();
    const starts = job.state === "read" && !job.board;
    this.setMode(starts || (job.state === "failed" && !job.answer) ? "reading" : "board");
    if (job.progress && isBusy(job)) this.#progress(job.progress);
  }

  #setTable() {
    const { puzzle, answer, board } = this.job;
    this.#pieces = new Map(puzzle.pieces.map((piece, rank) => [piece.id, makePiece(piece, rank)]));
    const placements = answer?.placements ?? board?.placements ?? [];
    const table = makeTable(this.#pieces, regionOf(puzzle, this.#pieces, placements), this.#aspect);
    let first = withPlacements(inTray(table), table, answer?.placements ?? []);
    const made = board && fromBoard(table, board);
    const isFound = ([id, pose]) => this.#isSame(id, pose, first.poses.get(id), table, farthestApart);
    const untouched = made && [...made.poses].every(isFound);
    if (untouched) first = { ...made, poses: first.poses };
    this.#answerLayout = answer && first;
    this.hands.begin(puzzle, this.#pieces, table, first);
    if (made && !untouched) this.hands.history.push(made);
    if (this.isTouched) this.judge.soon();
    this.#offerPaint([...this.#pieces.values()].some((piece) => piece.image));
  }

  /** Pieces that have pictures are shown as pictured at first. */
  #offerPaint(has) {
    const option = find("colours").querySelector("[value=paint]");
    if (option.hidden === has) find("colours").value = has ? "paint" : "piece";
    option.hidden = !has;
  }

  #follow() {
    if (!isBusy(this.job)) return;
    const { id } = this.job;
    this.#unfollow = api.follow(id, {
      onJob: (news) => {
        Object.assign(this.job, news);
        this.show();
      },
      onProgress: (progress) => this.#progress(progress),
      onDone: () => this.#refresh(id),
    });
  }

  async #refresh(id) {
    const job = await attempt(() => api.readJob(id));
    if (!job || this.job?.id !== id) return;
    const same = this.job.puzzle && job.answer && JSON.stringify(job.puzzle) === JSON.stringify(this.job.puzzle);
    this.job = job;
    if (same) this.#arrive(job.answer);
    else this.#load();
    this.#follow();
  }

  /** A new answer: it is laid on the board, and can be undone like a deed of the hands. */
  #arrive(answer) {
    this.answer = answer;
    this.#forgetDifferences();
    this.#widen(answer.placements);
    this.#answerLayout = withPlacements(this.hands.layout, this.hands.table, answer.placements);
    this.hands.commit(this.#answerLayout);
    this.#setBackdrop();
    this.fit();
  }

  /** Time goes on, whether or not there is anything to tell. */
  #tick() {
    const isReading = this.job?.state === "reading";
    if (!isReading && this.job?.state !== "solving") {
      this.#toldAt = 0;
      return;
    }
    this.#toldAt ||= performance.now();
    const since = (performance.now() - this.#toldAt) / 1000;
    if (isReading) showBanner(readingFor(since));
    else showProgress(this.job.progress, since);
  }

  #progress(progress) {
    this.job.progress = progress;
    this.#toldAt = performance.now();
    showProgress(progress);
    if (!this.job.puzzle) return;
    if (this.mode !== "board") this.setMode("board");
    this.#widen(progress.placements);
    this.board.moveTo(withPlacements(this.hands.layout, this.hands.table, progress.placements).poses);
  }

  // What is asked of the server.

  async solve(request) {
    if (!this.job.puzzle || isBusy(this.job)) return;
    const all = Number(find("all").value);
    const forbid = [...this.hands.layout.forbidden];
    const asked = { seconds: Number(find("seconds").value), forbid, ...(all > 1 ? { all } : {}), ...request };
    await this.judge.flush();
    const job = await attempt(() => api.solve(this.job.id, asked));
    if (!job) return;
    this.job = job;
    this.#toldAt = 0;
    this.setMode("board");
    this.#follow();
  }

  /** Solve again around what is pinned or, where nothing is, around all that lies on the board. */
  solveAgain() {
    const { placements, pinned } = this.hands.board;
    const pins = placements.filter(({ id }) => pinned.includes(id));
    const all = placements.length === this.#pieces.size;
    return this.solve(pins.length || all ? { pins } : { start: "board" });
  }

  async stop() {
    if (!isBusy(this.job)) return;
    const job = await attempt(() => api.stop(this.job.id));
    if (job) this.#refresh(job.id);
  }

  /** Show the next answer, or the one before, and mark what lies otherwise. */
  async leaf(direction) {
    const { answer } = this;
    const number = (answer?.number ?? 1) + direction;
    if (!answer || number < 1 || number > answer.of) return;
    const next = await attempt(() => api.readAnswer(this.job.id, number));
    if (!next) return;
    this.#arrive(next);
    this.judge.forget(); // an answer that is looked at is nothing that hands made
    const poses = (of) => new Map(of.placements.map(({ id, pose }) => [id, pose]));
    const [before, after] = [poses(answer), poses(next)];
    const lies = (id) => this.#isSame(id, before.get(id), after.get(id), this.hands.table, farthestFromAny);
    this.#differs = new Set([...this.#pieces.keys()].filter((id) => !lies(id)));
    this.#seenBefore = answer.number;
    this.show();
  }

  async #readAgain(change) {
    const job = await attempt(() => api.changeReading(this.job.id, change));
    if (job) this.begin(job);
    else this.card.show(this.job);
  }

  async #take(name, ending) {
    await this.judge.flush();
    const which = this.isTouched ? { of: "board" } : { number: this.answer.number };
    const file = await attempt(() => api.download(this.job.id, name, which));
    if (!file) return;
    const link = make("a", { href: URL.createObjectURL(file), download: `${this.job.name}${ending}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
  }

  // The board, and what is shown of it.

  setMode(mode) {
    this.mode = mode === "board" && this.job.puzzle ? "board" : "reading";
    this.card.draw(false);
    this.board.handled = false;
    const { scene } = this.card;
    if (this.mode === "board") {
      this.board.lookOf = () => ({});
      this.board.setPieces(this.#pieces, this.hands.layout.poses, {});
      this.#setBackdrop();
    } else {
      this.board.lookOf = scene?.lookOf ?? this.board.lookOf;
      this.board.setPieces(scene?.pieces ?? new Map(), scene?.poses ?? new Map(), scene?.backdrop ?? {});
    }
    this.show();
    this.fit(false);
  }

  #setBackdrop() {
    // Where only the kind of the target is known, its size comes with the answer.
    const target = this.job.puzzle.target ?? this.answer?.target;
    const path = target && new Path2D();
    for (const part of target?.parts ?? []) path.addPath(makePiece({ id: "target", ...part }).path);
    this.board.backdrop = { target: path, tray: this.hands.table.tray };
    this.board.changed();
  }

  /** Show all that matters: the board, and what lies loose beside it. */
  fit(flies = true) {
    if (this.mode === "reading") {
      if (this.card.scene?.box) this.board.fit(this.card.scene.box, flies);
      return;
    }
    const { table, layout } = this.hands;
    const loose = [...this.#pieces.values()].filter(({ id }) => isLoose(table, layout.poses.get(id)));
    const boxes = isBusy(this.job) ? [table.tray] : loose.map((piece) => reachOf(piece, layout.poses.get(piece.id)));
    this.board.fit(joined([table.region, ...boxes]), flies);
  }

  get #aspect() {
    return this.board.view.width / Math.max(1, this.board.view.height);
  }

  #resized() {
    if (!this.job) return;
    if (this.job.puzzle) this.#turnTable();
    this.fit(false);
  }

  /** The tray goes below the board, or beside it, when the window changes its shape. */
  #turnTable() {
    const { hands } = this;
    const table = makeTable(this.#pieces, hands.table.region, this.#aspect);
    if (table.isWide === hands.table.isWide) return;
    const layout = withPlacements(hands.layout, table, hands.board.placements);
    if (!this.isTouched) this.#answerLayout &&= layout;
    hands.begin(hands.puzzle, hands.pieces, table, layout);
    if (this.mode !== "board") return;
    this.#setBackdrop();
    this.board.moveTo(layout.poses);
  }

  /** Without a target the board is as large as what lies on it. */
  #widen(placements) {
    if (this.job.puzzle.target || !placements.length) return;
    const region = regionOf(this.job.puzzle, this.#pieces, placements);
    this.hands.table = makeTable(this.#pieces, region, this.#aspect);
    this.#setBackdrop();
  }

  #isSame(id, one, other, { region }, apart) {
    if (!one || !other) return one === other;
    const size = Math.max(region.right - region.left, region.top - region.bottom);
    return apart(this.#pieces.get(id).rings[0], one, other) < SAME * size;
  }

  #forgetDifferences() {
    this.#differs = new Set();
    this.#seenBefore = 0;
  }

  #touched() {
    this.judged = null;
    if (this.isTouched) this.#forgetDifferences();
    if (!this.hands.inHand) this.judge.soon();
    this.show();
  }

  // The cards.

  /** Bring all cards up to date. */
  show() {
    const { job, mode, found } = this;
    const busy = isBusy(job);
    this.hands.allowed = mode === "board" && !busy;
    for (const radio of document.getElementsByName("mode")) {
      radio.checked = radio.value === mode;
      radio.disabled = radio.value === "board" ? !job.puzzle : !job.reading;
    }
    showBanner(bannerOf(this));
    find("another").hidden = busy || job.reading !== null;
    find("hand-tools").hidden = mode !== "board";
    find("progress").hidden = job.state !== "solving" && job.state !== "queued";
    if (job.state === "queued") showProgress(null);
    find("reading").hidden = mode !== "reading" || busy || !job.reading;
    find("solving").hidden = busy || !job.puzzle;
    if (job.puzzle) showActions(this);
    showLeaf(this.answer, this.#differs, this.#seenBefore);
    find("out").hidden = busy || !found || mode !== "board";
    if (!find("out").hidden) showFiles(job.puzzle, found, this.isTouched, (...file) => this.#take(...file));
    this.#showChosen();
    this.recolour();
  }

  #showChosen() {
    const { hands, found } = this;
    find("piece").hidden = this.mode !== "board" || !hands.chosen.length;
    if (!find("piece").hidden) showChosen(hands, found);
  }

  /** Colour the pieces by what is chosen to colour by. */
  recolour() {
    const by = find("colours").value;
    find("legend").hidden = by !== "sure" || this.mode !== "board";
    if (this.mode !== "board") return;
    const bands = new Map(this.found?.placements.map(({ id, band }) => [id, band]));
    const known = { by, bands, differs: this.#differs };
    this.board.lookOf = (piece) => pieceLook(piece, this.board.poseOf(piece.id), this.hands, known);
    this.board.changed();
  }
}

/** The one studio of this page. */
export const studio = new Studio();
setUpStart((job) => studio.begin(job));
listenToKeys((name, event) => act(studio, name, event));
find("help").addEventListener("click", () => act(studio, "help"));

function openFromAddress() {
  const id = decodeURIComponent(location.hash.slice(1));
  trouble();
  if (!id) studio.close();
  else if (id !== studio.job?.id) studio.open(id);
}
addEventListener("hashchange", openFromAddress);
addEventListener("pagehide", () => studio.judge.flush());
openFromAddress();
