// Hands: pointers of any kind move, turn and choose pieces, or move the view.

import { HANDLE_RADIUS_PX } from "./board.js";

const CLICK_PX = 5;
const NOTCH_DEG = 15;

/**
 * Listen to the pointers over the board. `act` has what they do: choose(id, adds), mayMove(id), drag(dx, dy),
 * turn(degrees), drop(), turnStep(degrees), sketch(from, to), sketched(); `isDrawing()` asks for a rectangle.
 */
export function listen(element, board, act) {
  const pointers = new Map();
  let gesture = null;

  const at = (event) => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  element.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    const point = at(event);
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, point);
    if (pointers.size === 2 && gesture) bringSecond();
    if (pointers.size === 1) gesture = begin(event, point);
  });

  /** A second finger turns the piece that the first one is dragging; where that has not moved, they zoom. */
  function bringSecond() {
    gesture.second = true;
    if (gesture.kind === "drag" && !gesture.moved) gesture.kind = "pan";
  }

  function begin(event, point) {
    if (act.isDrawing()) return { kind: "sketch", start: board.view.toWorld(point) };
    if (event.button === 1) return { kind: "pan", start: point };
    if (board.handle && distance(board.handle, point) <= 1.6 * HANDLE_RADIUS_PX) return { kind: "turn", start: point };
    const id = board.pieceAt(point);
    if (id === null) return { kind: "pan", start: point, clears: true };
    const adds = event.shiftKey || event.ctrlKey || event.metaKey;
    if (adds || !board.chosen.has(id)) act.choose(id, adds);
    return { kind: act.mayMove() ? "drag" : "pan", start: point, id };
  }

  element.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    const point = at(event);
    if (!before || !gesture) return;
    const others = [...pointers].filter(([key]) => key !== event.pointerId).map(([, other]) => other);
    pointers.set(event.pointerId, point);
    gesture.moved ||= distance(gesture.start, point) > CLICK_PX;
    if (gesture.kind === "sketch") {
      act.sketch(gesture.start, board.view.toWorld(point));
    } else if (others.length) {
      together(before, point, others[0]);
    } else if (gesture.kind === "turn") {
      const middle = board.view.toScreen(board.middle);
      act.turn(angle(middle, before) - angle(middle, point));
    } else if (gesture.moved) {
      element.classList.add("grabbing");
      const [dx, dy] = [point[0] - before[0], point[1] - before[1]];
      if (gesture.kind === "drag") act.drag(dx / board.view.scale, -dy / board.view.scale);
      else board.pan(dx, dy);
    }
  });

  /** Two fingers: they turn what is being dragged, and zoom otherwise. */
  function together(before, point, other) {
    const turns = angle(other, before) - angle(other, point);
    if (gesture.kind === "drag") {
      act.turn(turns);
      return;
    }
    board.zoom(distance(other, point) / Math.max(1, distance(other, before)), other);
  }

  function end(event) {
    if (!pointers.delete(event.pointerId) || pointers.size || !gesture) return;
    element.classList.remove("grabbing");
    if (gesture.kind === "sketch") act.sketched();
    else if (gesture.kind === "pan" && gesture.clears && !gesture.moved && !gesture.second) act.choose(null, false);
    else if (gesture.kind === "turn" || (gesture.kind === "drag" && (gesture.moved || gesture.second))) act.drop();
    gesture = null;
  }
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);

  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const point = at(event);
      const notches = event.deltaY / (event.deltaMode === 0 ? 100 : 3);
      const over = gesture?.kind === "drag" || board.chosen.has(board.pieceAt(point));
      if (over && !event.ctrlKey && act.mayMove()) {
        act.turnStep(-Math.sign(notches) * (event.shiftKey ? 1 : NOTCH_DEG));
      } else {
        board.zoom(Math.exp(-notches * (event.ctrlKey ? 0.6 : 0.2)), point);
      }
    },
    { passive: false },
  );
}

function distance([x1, y1], [x2, y2]) {
  return Math.hypot(x1 - x2, y1 - y2);
}

/** The direction from one point of the screen to another, in degrees, clockwise as seen. */
function angle([x1, y1], [x2, y2]) {
  return (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
}
