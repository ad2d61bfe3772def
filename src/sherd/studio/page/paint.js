// Single strokes of the board: pictures, hatching, names, pins and crosses.

import { apply, matrix } from "./geometry.js";

const INK = "#10161d";
const TILE_PX = 8;
const LEAST_ROOM_PX = 12;
const hatches = new Map();

/** A picture in a frame whose y points up. */
export function drawPicture(context, { image, left, top, size }) {
  if (!image.complete || !image.naturalWidth) return;
  context.save();
  context.transform(1, 0, 0, -1, 0, 0);
  context.drawImage(image, left, -top, size, size);
  context.restore();
}

/** Stripes that have this direction on the screen, and the same width, however the piece lies. */
export function hatching(context, degrees, ratio) {
  if (!hatches.has(degrees)) {
    const tile = new OffscreenCanvas(TILE_PX, TILE_PX);
    const pen = tile.getContext("2d");
    pen.strokeStyle = INK;
    pen.lineWidth = 1.2;
    pen.moveTo(0, TILE_PX / 2);
    pen.lineTo(TILE_PX, TILE_PX / 2);
    pen.stroke();
    hatches.set(degrees, context.createPattern(tile, "repeat"));
  }
  const pattern = hatches.get(degrees);
  pattern.setTransform(context.getTransform().inverse().scale(ratio).rotate(degrees));
  return pattern;
}

/** Strike a piece out. */
export function drawCross(context, { path, box }) {
  context.save();
  context.clip(path, "evenodd");
  context.beginPath();
  context.moveTo(box.left, box.bottom);
  context.lineTo(box.right, box.top);
  context.moveTo(box.left, box.top);
  context.lineTo(box.right, box.bottom);
  context.stroke();
  context.restore();
}

/** A piece's name where it has room, or the end of it, and its pin; names that matter overflow their pieces. */
export function drawName(context, piece, pose, look, view) {
  const room = piece.name.width * view.scale;
  const [x, y] = view.toScreen(apply(matrix(pose), [piece.name.x, piece.name.y]));
  if (look.pinned) drawPin(context, x, y - (room > 2 * LEAST_ROOM_PX ? 14 : 0));
  if (room < LEAST_ROOM_PX) return;
  context.font = `${Math.max(10, Math.min(15, room / 4))}px system-ui, sans-serif`;
  const end = piece.id.match(/[\p{L}\p{N}]+$/u)?.[0] ?? "";
  const fits = (name) => name && context.measureText(name).width < room - 4;
  const text = look.named ? piece.id : [piece.id, end].find(fits);
  if (!text) return;
  if (look.outlined || look.painted || !fits(text)) {
    context.lineWidth = 3;
    context.strokeStyle = "#ffffffcc";
    context.strokeText(text, x, y);
  }
  context.fillStyle = INK;
  context.fillText(text, x, y);
}

function drawPin(context, x, y) {
  context.fillStyle = INK;
  context.strokeStyle = "#ffffff";
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, y + 9);
  context.lineTo(x - 4, y);
  context.arc(x, y - 2, 5, Math.PI * 0.85, Math.PI * 2.15);
  context.closePath();
  context.stroke();
  context.fill();
}
