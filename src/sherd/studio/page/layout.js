// Where all pieces lie, and which are pinned, put aside or forbidden. Layouts are never changed, only made anew.

import { AT_REST, boundsOf, heightOf, joined, widthOf } from "./geometry.js";
import { reachOf } from "./pieces.js";

// Room between loose pieces, and between these and the board, as shares of the board's size.
const BETWEEN = 0.02;
const BESIDE = 0.06;
// From this aspect on the tray lies beside the board, else below it.
const WIDE = 1.2;

/**
 * The board and, beside or below it, the tray: loose is what lies beyond the edge between them. Each piece has
 * its own slot in the tray, which is as wide as lets a screen of this aspect (width by height) show most.
 */
export function makeTable(pieces, region, aspect) {
  const isWide = aspect >= WIDE;
  const size = Math.max(widthOf(region), heightOf(region));
  const beside = BESIDE * size;
  const corner = isWide ? [region.right + 2 * beside, region.top] : [region.left, region.bottom - 2 * beside];
  const shown = ({ held }) => {
    const all = joined([region, held]);
    return Math.min(aspect / widthOf(all), 1 / heightOf(all));
  };
  const trays = widthsOf(pieces).map((width) => pack(pieces, corner, BETWEEN * size, width));
  const { slots, held } = trays.reduce((best, tray) => (shown(tray) > shown(best) ? tray : best));
  const tray = {
    left: held.left - beside,
    right: held.right + beside,
    bottom: held.bottom - beside,
    top: held.top + beside,
  };
  return { region, isWide, slots, tray, edge: isWide ? region.right + beside : region.bottom - beside };
}

/** Widths that a tray may have: from that of the widest piece to that of all in a row. */
function widthsOf(pieces) {
  const each = [...pieces.values()].map((piece) => widthOf(piece.box));
  const all = 1.1 * each.reduce((sum, width) => sum + width, 0);
  const widths = [];
  for (let width = 1.05 * Math.max(...each); width < 1.25 * all; width *= 1.2) widths.push(width);
  return widths;
}

/** Rows of pieces of at most this width, from a corner down, and the box that holds them. */
function pack(pieces, [left, top], room, width) {
  const slots = new Map();
  const held = { left, right: left, top, bottom: top };
  let x = left;
  let y = top;
  for (const { id, box } of pieces.values()) {
    if (x > left && x + widthOf(box) > left + width) {
      x = left;
      y = held.bottom - room;
    }
    slots.set(id, { ...AT_REST, x: x - box.left, y: y - box.top });
    x += widthOf(box) + room;
    held.right = Math.max(held.right, x - room);
    held.bottom = Math.min(held.bottom, y - heightOf(box));
  }
  return { slots, held };
}

/** What the board holds: the target, or, without one, what is placed, or room for all pieces. */
export function regionOf(puzzle, pieces, placements) {
  if (puzzle.target) return boundsOf(puzzle.target.parts.flatMap((part) => part.ring));
  const side = 1.4 * Math.sqrt([...pieces.values()].reduce((sum, piece) => sum + piece.area, 0));
  const placed = placements.filter(({ id }) => pieces.has(id)).map(({ id, pose }) => reachOf(pieces.get(id), pose));
  if (!placed.length) return { left: 0, bottom: 0, right: side, top: side };
  return joined(placed);
}

export function isLoose(table, pose) {
  return table.isWide ? pose.x > table.edge : pose.y < table.edge;
}

/** All pieces in the tray. */
export function inTray(table) {
  return { poses: new Map(table.slots), pinned: new Set(), aside: new Set(), forbidden: new Set() };
}

/** The layout with these pieces on the board and all others in the tray. */
export function withPlacements(layout, table, placements) {
  const poses = new Map(table.slots);
  for (const { id, pose } of placements) if (poses.has(id)) poses.set(id, pose);
  return { ...layout, poses };
}

/** What hands made, as the server keeps it. */
export function fromBoard(table, board) {
  const layout = withPlacements(inTray(table), table, board.placements);
  const known = (ids) => new Set((ids ?? []).filter((id) => table.slots.has(id)));
  return { ...layout, pinned: known(board.pinned), aside: known(board.aside), forbidden: known(board.forbidden) };
}

export function toBoard(table, layout) {
  const placements = [...layout.poses].filter(([, pose]) => !isLoose(table, pose)).map(([id, pose]) => ({ id, pose }));
  const on = new Set(placements.map(({ id }) => id));
  return {
    placements,
    pinned: [...layout.pinned].filter((id) => on.has(id)),
    aside: [...layout.aside],
    forbidden: [...layout.forbidden],
  };
}

/** The layout with some poses changed; what comes onto the board is no longer aside. */
export function moved(layout, table, changes) {
  const poses = new Map(layout.poses);
  const aside = new Set(layout.aside);
  for (const [id, pose] of changes) {
    poses.set(id, pose);
    if (!isLoose(table, pose)) aside.delete(id);
  }
  return { ...layout, poses, aside };
}

/** Pin pieces that lie on the board, or free them if all of them are pinned. */
export function pinned(layout, table, ids) {
  const lying = ids.filter((id) => !isLoose(table, layout.poses.get(id)));
  const all = lying.every((id) => layout.pinned.has(id));
  const next = new Set(layout.pinned);
  for (const id of lying) all ? next.delete(id) : next.add(id);
  return { ...layout, pinned: next };
}

/** Put pieces back into the tray; forbidden ones must not be used at all, and asking again allows them. */
export function putAway(layout, table, ids, forbid) {
  const all = forbid && ids.every((id) => layout.forbidden.has(id));
  const poses = new Map(layout.poses);
  const next = {
    poses,
    pinned: new Set(layout.pinned),
    aside: new Set(layout.aside),
    forbidden: new Set(layout.forbidden),
  };
  for (const id of ids) {
    poses.set(id, table.slots.get(id));
    next.pinned.delete(id);
    next.forbidden.delete(id);
    next.aside.delete(id);
    if (forbid && !all) next.forbidden.add(id);
    if (!forbid) next.aside.add(id);
  }
  return next;
}
