// What a piece is to the board: an outline drawn once, where its name has room, and its colour.

import { area, boundsOf, heightOf, widestAt } from "./geometry.js";

// The colours of sherd's own pictures: they stay apart for every kind of colour vision.
export const PALETTE = ["#7dc7fe", "#ffdc70", "#ec8f6a", "#3ec0a5", "#beb3d6", "#fbbdbf", "#7ca2d0", "#b4d388"];
const PALER = [0, 0.4, 0.7];
// How sure a placement is; hatching tells them apart where colours do not.
export const BANDS = { certain: "#7dc7fe", likely: "#ffdc70", loose: "#ec8f6a" };
export const UNKNOWN = "#b9c0ca";

/** A piece, or an outline of the reading, ready to be drawn and hit. */
export function makePiece({ id, ring, holes = [], may_flip = false, picture = null }, rank = 0) {
  const rings = [ring, ...holes];
  const path = new Path2D();
  for (const points of rings) {
    points.forEach(([x, y], k) => (k ? path.lineTo(x, y) : path.moveTo(x, y)));
    path.closePath();
  }
  const box = boundsOf(ring);
  return {
    id,
    rings,
    path,
    box,
    mayFlip: may_flip,
    area: rings.reduce((sum, points, k) => sum + Math.abs(area(points)) * (k ? -1 : 1), 0),
    radius: Math.max(...ring.map(([x, y]) => Math.hypot(x, y))),
    name: roomForName(rings, box),
    colour: shade(rank),
    image: picture && loadPicture(picture),
  };
}

/** The colour of a piece's rank: the palette, then the same with white mixed in. */
function shade(rank) {
  const white = PALER[Math.floor(rank / PALETTE.length) % PALER.length];
  const own = PALETTE[rank % PALETTE.length];
  const channels = [1, 3, 5].map((k) => parseInt(own.slice(k, k + 2), 16));
  return `#${channels.map((value) => Math.round(value + (255 - value) * white).toString(16).padStart(2, "0")).join("")}`;
}

/** A picture with the place of its top left corner and its size; `ready` is called once it can be drawn. */
export function loadPicture({ url, left, top, size }, ready = () => {}) {
  const image = new Image();
  const picture = { image, left, top, size, onready: ready };
  image.addEventListener("load", () => picture.onready());
  image.src = url;
  return picture;
}

/** Where a name has room: the widest place at one of three heights. */
function roomForName(rings, box) {
  const places = [0.5, 0.35, 0.65].map((share) => {
    const y = box.bottom + share * heightOf(box);
    return { ...widestAt(rings, y), y };
  });
  return places.reduce((best, place) => (place.width > 1.2 * best.width ? place : best));
}

/** The bounds of a piece under a pose, by its farthest corner: enough to see whether it is in view. */
export function reachOf(piece, pose) {
  const { x, y } = pose;
  return { left: x - piece.radius, right: x + piece.radius, bottom: y - piece.radius, top: y + piece.radius };
}
