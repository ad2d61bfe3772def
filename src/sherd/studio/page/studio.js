// The studio: one job at a time, its board, and the cards beside it.

import * as api from "./api.js";
import { attempt } from "./attempt.js";
import { Board } from "./board.js";
import { find, make, say, trouble } from "./dom.js";
import { boundsOf, farthestApart, joined } from "./geometry.js";
import { listen } from "./hands.js";
import { Handiwork } from "./handiwork.js";
import { listenToKeys } from "./keys.js";
import { fromBoard, inTray, isLoose, makeTable, regionOf, toBoard, withPlacements } from "./layout.js";
import { bannerOf, isBusy, showBanner, showChosen, showFiles, showLeaf, showProgress } from "./panels.js";
import { BANDS, makePiece, UNKNOWN } from "./pieces.js";
import { ReadingCard, readingScene } from "./reading.js";
import { setUpStart, showRecent } from "./start.js";
import { switchShade } from "./theme.js";

const JUDGE_AFTER_MS = 250;
// Pieces that moved by less than this share of the board's size lie where they were.
const SAME = 0.005;
const HATCHES = { certain: 0, likely: 90, loose: 45 };

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
  #reading = null;
  #unfollow = () => {};
  #timer = 0;
  #asked = 0;
  #drawing = false;

  constructor() {
    this.board = new Board(find("under"), find("over"));
    this.board.onresize = () => this.#resized();
    this.hands = new Handiwork(this.board, { onchange: () => this.#touched(), onchoose: () => this.#showChosen() });
    this.card = new ReadingCard({
      change: (change) => this.#readAgain(change),
      choose: (id) => this.#chooseFigure(id),
      draw: (is) => this.#draw(is),
    });
    listen(find("canvas"), this.board, {
      choose: (id, adds) => (this.mode === "board" ? this.hands.chooseAt(id, adds) : this.#chooseFigure(id)),
      mayMove: () => this.mode === "board" && this.hands.mayMove(),
      drag: (dx, dy) => this.hands.drag(dx, dy),
      turn: (degrees) => this.hands.turnInHand(degrees),
      turnStep: (degrees) => this.hands.turn(degrees),
      drop: () => this.hands.drop(),
      isDrawing: () => this.#drawing,
      sketch: (from, to) => this.#sketch(from, to),
      sketched: () => this.#sketched(),
    });
    for (const radio of document.getElementsByName("mode")) {
      radio.addEventListener("change", () => this.#setMode(radio.value));
    }
    find("colours").addEventListener("change", () => this.#recolour());
    find("snap").addEventListener("change", (event) => (this.hands.snaps = event.target.checked));
    document.documentElement.addEventListener("shade", () => this.board.changed());
  }

  // ---- the job

  /** Open a job by its id, as it stands. */
  async open(id) {
    const job = await attempt(() => api.readJob(id));
    if (!job) return this.close();
    this.begin(job);
  }

  begin(job) {
    this.#unfollow();
    find("start").hidden = true;
    find("work").hidden = false;
    find("new-job").hidden = false;
    history.replaceState(null, "", `#${job.id}`);
    this.job = job;
    this.#load();
    this.#follow();
  }

  /** Back to the first screen. */
  close() {
    this.#unfollow();
    this.job = null;
    document.title = "sherd studio";
    find("job-name").textContent = "";
    find("start").hidden = false;
    find("work").hidden = true;
    find("new-job").hidden = true;
    showRecent();
  }

  /** Take over all that the job says: what was read, the pieces, the answer, and what hands made. */
  #load() {
    const { job } = this;
    document.title = `${job.name} – sherd studio`;
    find("job-name").textContent = job.name;
    this.answer = job.answer;
    this.judged = null;
    this.#forgetDifferences();
    this.#reading = job.reading && readingScene(job.reading);
    this.card.show(job);
    if (job.puzzle) this.#setTable();
    const starts = job.state === "read" && !job.board;
    this.#setMode(job.puzzle && !starts && (job.state !== "failed" || job.answer) ? "board" : "reading");
    if (job.progress && isBusy(job)) this.#progress(job.progress);
  }

  #setTable() {
    const { job } = this;
    const { puzzle } = job;
    this.#pieces = new Map(puzzle.pieces.map((piece, rank) => [piece.id, makePiece(piece, rank)]));
    const placements = job.answer?.placements ?? job.board?.placements ?? [];
    const table = makeTable(this.#pieces, regionOf(puzzle, this.#pieces, placements), this.#aspect);
    const first = withPlacements(inTray(table), table, job.answer?.placements ?? []);
    this.#answerLayout = job.answer && first;
    this.hands.begin(puzzle, this.#pieces, table, first);
    if (job.board) {
      const made = fromBoard(table, job.board);
      const same = [...made.poses].every(([id, pose]) => pose === first.poses.get(id) || this.#isSame(id, pose, first.poses.get(id)));
      if (same && job.answer) Object.assign(first, { pinned: made.pinned, forbidden: made.forbidden, aside: made.aside });
      else this.hands.history.push(made);
    }
    const painted = [...this.#pieces.values()].some((piece) => piece.image);
    const option = find("colours").querySelector("[value=paint]");
    if (option.hidden === painted) find("colours").value = painted ? "paint" : "piece";
    option.hidden = !painted;
    if (this.isTouched && !isBusy(job)) this.#judgeSoon();
  }

  get #aspect() {
    return this.board.view.width / Math.max(1, this.board.view.height);
  }

  get isTouched() {
    if (!this.job?.puzzle) return false;
    const { layout, inHand } = this.hands;
    if (inHand) return true;
    if (this.#answerLayout) return layout.poses !== this.#answerLayout.poses;
    return [...layout.poses.values()].some((pose) => !isLoose(this.hands.table, pose));
  }

  /** The verdict and its placements on what is shown: of the hands' work if there is some, else the answer. */
  get found() {
    return this.isTouched ? this.judged : this.answer;
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
    const again = this.job.puzzle && job.answer && JSON.stringify(job.puzzle) === JSON.stringify(this.job.puzzle);
    this.job = job;
    if (again) this.#arrive(job.answer);
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
    this.#fit();
    this.show();
  }

  /** Without a target the board is as large as what lies on it. */
  #widen(placements) {
    if (this.job.puzzle.target || !placements.length) return;
    const region = regionOf(this.job.puzzle, this.#pieces, placements);
    this.hands.table = makeTable(this.#pieces, region, this.#aspect);
    this.#setBackdrop();
  }

  #progress(progress) {
    this.job.progress = progress;
    showProgress(progress);
    if (!this.job.puzzle || !progress.placements) return;
    if (this.mode !== "board") this.#setMode("board");
    this.#widen(progress.placements);
    this.board.moveTo(withPlacements(this.hands.layout, this.hands.table, progress.placements).poses);
  }

  // ---- what is asked of the server

  async solve(request) {
    if (!this.job?.puzzle || isBusy(this.job)) return;
    const asked = { seconds: Number(find("seconds").value), forbid: [...this.hands.layout.forbidden], ...request };
    const all = Number(find("all").value);
    if (all > 1) asked.all = all;
    await this.#flush();
    const job = await attempt(() => api.solve(this.job.id, asked));
    if (!job) return;
    this.job = { ...job, reading: job.reading ?? this.job.reading, puzzle: job.puzzle ?? this.job.puzzle };
    this.#setMode("board");
    this.#follow();
  }

  /** Solve again around what is pinned or, where nothing is, around all that lies on the board. */
  solveAgain() {
    const { placements, pinned } = toBoard(this.hands.table, this.hands.layout);
    const pins = placements.filter(({ id }) => pinned.includes(id));
    const all = placements.length === this.#pieces.size;
    return this.solve(pins.length || all ? { pins } : { start: "board" });
  }

  async stop() {
    if (!isBusy(this.job)) return;
    const job = await attempt(() => api.stop(this.job.id));
    if (job) this.#refresh(job.id);
  }

  async leaf(direction) {
    const { answer } = this;
    const number = (answer?.number ?? 1) + direction;
    if (!answer || number < 1 || number > answer.of || isBusy(this.job)) return;
    const next = await attempt(() => api.readAnswer(this.job.id, number));
    if (!next) return;
    const before = new Map(answer.placements.map(({ id, pose }) => [id, pose]));
    this.#arrive(next);
    this.#seenBefore = answer.number;
    const poses = new Map(next.placements.map(({ id, pose }) => [id, pose]));
    this.#differs = new Set(
      [...this.#pieces.keys()].filter((id) => !this.#isSame(id, before.get(id), poses.get(id))),
    );
    this.show();
  }

  #isSame(id, one, other) {
    if (!one || !other) return one === other;
    return farthestApart(this.#pieces.get(id).rings[0], one, other) < SAME * this.hands.size;
  }

  #forgetDifferences() {
    this.#differs = new Set();
    this.#seenBefore = 0;
  }

  async #readAgain(change) {
    const job = await attempt(() => api.changeReading(this.job.id, change));
    if (job) this.begin(job);
    else this.card.show(this.job);
  }

  async #take(name, ending) {
    await this.#flush();
    const which = this.isTouched ? { of: "board" } : { number: this.answer.number };
    const file = await attempt(() => api.download(this.job.id, name, which));
    if (!file) return;
    const link = make("a", { href: URL.createObjectURL(file), download: `${this.job.name}${ending}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  // ---- what hands made

  #touched() {
    this.judged = null;
    if (this.isTouched) this.#forgetDifferences();
    if (!this.hands.inHand) this.#judgeSoon();
    this.show();
  }

  #judgeSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#judge(), JUDGE_AFTER_MS);
  }

  /** Let the server keep the board and judge it; only the answer to the latest question counts. */
  async #judge() {
    this.#timer = 0;
    const asked = ++this.#asked;
    const { job } = this;
    if (!job?.puzzle || isBusy(job)) return;
    const judged = await attempt(() => api.putBoard(job.id, toBoard(this.hands.table, this.hands.layout)));
    if (asked !== this.#asked || job !== this.job || !judged) return;
    this.judged = judged;
    this.show();
  }

  /** Let the server know of the board now, if it does not. */
  async #flush() {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    await this.#judge();
  }

  // ---- the board

  #setMode(mode) {
    if (mode === "board" && !this.job.puzzle) mode = "reading";
    this.mode = mode;
    this.#draw(false);
    if (mode === "board") {
      this.board.showNames = true;
      this.board.lookOf = (piece) => this.#lookOf(piece);
      this.board.setPieces(this.#pieces, this.hands.layout.poses, {});
      this.#setBackdrop();
    } else if (this.#reading) {
      this.board.lookOf = this.#reading.lookOf;
      this.board.setPieces(this.#reading.pieces, this.#reading.poses, this.#reading.backdrop);
    } else {
      this.board.setPieces(new Map(), new Map(), {});
    }
    this.board.handled = false;
    this.show();
    this.#fit(false);
  }

  #setBackdrop() {
    // Where only the kind of the target is known, its size comes with the answer.
    const target = this.job.puzzle.target ?? this.answer?.target;
    const path = target && new Path2D();
    for (const part of target?.parts ?? []) path.addPath(makePiece({ id: "target", ...part }).path);
    const { tray, region } = this.hands.table;
    this.board.backdrop = { target: path, tray, region };
    this.board.changed();
  }

  /** Show all that matters: the board, and the tray if something lies there. */
  #fit(flies = true) {
    if (this.mode === "reading") {
      if (this.#reading) this.board.fit(this.#reading.box, flies);
      return;
    }
    const { table, layout } = this.hands;
    const loose = isBusy(this.job) || [...layout.poses.values()].some((pose) => isLoose(table, pose));
    this.board.fit(loose ? joined([table.region, table.tray]) : table.region, flies);
  }

  #resized() {
    if (!this.job) return;
    if (this.job.puzzle && this.hands.table) this.#turnTable();
    this.#fit(false);
  }

  /** The tray goes below the board, or beside it, when the window changes its shape. */
  #turnTable() {
    const { hands } = this;
    const table = makeTable(this.#pieces, hands.table.region, this.#aspect);
    if (table.isWide === hands.table.isWide) return;
    const { placements } = toBoard(hands.table, hands.layout);
    const touched = this.isTouched;
    hands.table = table;
    const layout = withPlacements(hands.layout, hands.table, placements);
    if (!touched) this.#answerLayout &&= layout;
    hands.begin(hands.puzzle, hands.pieces, hands.table, layout);
    if (this.mode === "board") {
      this.#setBackdrop();
      this.board.moveTo(layout.poses);
    }
  }

  #lookOf(piece) {
    const { layout, table } = this.hands;
    const loose = isLoose(table, this.board.poseOf(piece.id));
    const forbidden = layout.forbidden.has(piece.id);
    const by = find("colours").value;
    const look = {
      fill: piece.colour,
      painted: by === "paint",
      faded: layout.aside.has(piece.id),
      pinned: layout.pinned.has(piece.id),
      differs: this.#differs.has(piece.id),
      crossed: forbidden,
      dashed: forbidden,
    };
    if (by === "sure") {
      const band = loose ? null : this.found?.placements.find(({ id }) => id === piece.id)?.band;
      look.fill = BANDS[band] ?? UNKNOWN;
      if (HATCHES[band]) look.hatched = HATCHES[band];
    }
    return forbidden ? { ...look, fill: UNKNOWN, painted: false, faded: true } : look;
  }

  #recolour() {
    find("legend").hidden = find("colours").value !== "sure" || this.mode !== "board";
    this.board.changed();
  }

  // ---- the reading on the board

  #chooseFigure(id) {
    this.board.choose(id === null ? [] : [id]);
    if (id !== null) find("outlines").open = true;
    this.card.mark(this.board.chosen);
  }

  #draw(is) {
    this.#drawing = is;
    this.board.sketch = null;
    this.board.changed();
    find("draw").setAttribute("aria-pressed", String(is));
    find("canvas").classList.toggle("drawing", is);
    if (is) say("Draw the rectangle on the board.");
  }

  #sketch(from, to) {
    this.board.sketch = boundsOf([from, to]);
    this.board.changed(false);
  }

  #sketched() {
    const { sketch } = this.board;
    if (sketch) this.card.setRectangle(sketch.right - sketch.left, sketch.top - sketch.bottom);
    this.#draw(false);
  }

  // ---- the cards

  /** Bring all cards up to date. */
  show() {
    const { job, mode, found } = this;
    const busy = isBusy(job);
    const board = mode === "board";
    this.hands.allowed = board && !busy;
    for (const radio of document.getElementsByName("mode")) {
      radio.checked = radio.value === mode;
      radio.disabled = radio.value === "board" ? !job.puzzle : !job.reading;
    }
    showBanner(bannerOf(this));
    find("hand-tools").hidden = !board;
    find("progress").hidden = job.state !== "solving" && job.state !== "queued";
    if (busy && !job.progress) showProgress(null);
    find("reading").hidden = mode !== "reading" || busy || !job.reading;
    find("another").hidden = busy || job.reading !== null;
    find("solving").hidden = busy || !job.puzzle;
    this.#showActions();
    showLeaf(this.answer, this.#differs, this.#seenBefore);
    find("out").hidden = busy || !found || !board;
    if (!find("out").hidden) showFiles(job.puzzle, found, this.isTouched, (...file) => this.#take(...file));
    this.#showChosen();
    this.#recolour();
  }

  #showActions() {
    const { job } = this;
    if (!job.puzzle) return;
    const { history: steps, layout, table } = this.hands;
    const solved = this.answer?.verdict.word === "solved";
    find("solve").textContent = this.answer ? "Solve anew" : "Put together";
    find("solve").classList.toggle("main", !this.answer);
    find("go-on").hidden = !this.answer || solved || this.isTouched;
    const hasHands = this.isTouched || layout.pinned.size > 0 || layout.forbidden.size > 0;
    find("again").hidden = !hasHands || [...layout.poses.values()].every((pose) => isLoose(table, pose));
    find("again").classList.toggle("main", Boolean(this.answer));
    document.querySelector("[data-key=undo]").disabled = !steps.canUndo || isBusy(job);
    document.querySelector("[data-key=redo]").disabled = !steps.canRedo || isBusy(job);
    document.querySelector("[data-key=previous-answer]").disabled = this.answer?.number === 1;
    document.querySelector("[data-key=next-answer]").disabled = this.answer?.number === this.answer?.of;
  }

  #showChosen() {
    const { hands, found } = this;
    find("piece").hidden = this.mode !== "board" || !hands.chosen.length;
    if (!find("piece").hidden) showChosen(hands, found);
  }

  // ---- keys and buttons

  /** Do what a key or a button asks for; whether there was something to do. */
  act(name, event) {
    const always = { help: () => find("keys").showModal(), shade: switchShade };
    const viewing = {
      mode: () => this.#setMode(this.mode === "board" ? "reading" : "board"),
      closer: () => this.#zoom(1.25),
      farther: () => this.#zoom(0.8),
      fit: () => this.#fit(),
      solve: () => this.solve({}),
      stop: () => this.stop(),
      nothing: () => (this.mode === "board" ? this.hands.choose([]) : this.#chooseFigure(null)),
      next: () => this.#nextFigure(1),
      previous: () => this.#nextFigure(-1),
    };
    const { hands } = this;
    const handling = {
      next: () => hands.chooseNext(1),
      previous: () => hands.chooseNext(-1),
      everything: () => hands.chooseAllOnBoard(),
      "turn-right": () => hands.turnStep(-1),
      "turn-left": () => hands.turnStep(1),
      "turn-fine": () => hands.turn(-1),
      "turn-fine-back": () => hands.turn(1),
      flip: () => hands.flip(),
      snap: () => hands.snapNow(),
      bring: () => hands.bring(),
      pin: () => hands.pin(),
      aside: () => hands.putAway(false),
      forbid: () => hands.putAway(true),
      undo: () => hands.undo(),
      redo: () => hands.redo(),
      again: () => this.solveAgain(),
      "go-on": () => this.solve({ start: "answer" }),
      "previous-answer": () => this.leaf(-1),
      "next-answer": () => this.leaf(1),
      colours: () => this.#nextColours(),
    };
    for (const arrow of ["left", "right", "up", "down"]) handling[arrow] = () => this.#arrow(arrow, event);
    const known = this.job ? { ...always, ...viewing, ...(hands.allowed ? handling : {}) } : always;
    known[name]?.();
    return name in known;
  }

  #arrow(name, event) {
    if (this.hands.mayMove()) return this.hands.arrow(name, event);
    const [dx, dy] = { left: [40, 0], right: [-40, 0], up: [0, 40], down: [0, -40] }[name];
    this.board.view.pan(dx, dy);
    this.board.changed();
  }

  #zoom(factor) {
    this.board.view.zoom(factor, [this.board.view.width / 2, this.board.view.height / 2]);
    this.board.changed();
  }

  #nextColours() {
    const options = [...find("colours").options].filter((option) => !option.hidden);
    const here = options.findIndex((option) => option.selected);
    options[(here + 1) % options.length].selected = true;
    this.#recolour();
    say(`coloured ${find("colours").selectedOptions[0].textContent}`);
  }

  #nextFigure(direction) {
    const ids = [...(this.#reading?.pieces.keys() ?? [])];
    if (!ids.length) return;
    const here = ids.indexOf([...this.board.chosen][0]);
    const id = ids[(here + direction + ids.length) % ids.length];
    this.#chooseFigure(id);
    say(`${id}: ${this.#reading.pieces.get(id).role}`);
  }
}

/** The one studio of this page. */
export const studio = new Studio();
setUpStart((job) => studio.begin(job));
listenToKeys((name, event) => studio.act(name, event));
find("help").addEventListener("click", () => studio.act("help"));

function openFromAddress() {
  const id = decodeURIComponent(location.hash.slice(1));
  trouble();
  if (!id) studio.close();
  else if (id !== studio.job?.id) studio.open(id);
}
addEventListener("hashchange", openFromAddress);
openFromAddress();
