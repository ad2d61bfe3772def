// Snapping: a piece that is nearly in place is moved a little so that its outline runs along what is next to it.

import { applyAll, boundsOf, shifted, turned, wrapped } from "./geometry.js";

const ROUNDS = 24;
const MOST_SAMPLES = 240;
// A corner that lies near to another is drawn to it by so many times the force of a point along an edge.
const CORNER_WEIGHT = 8;
const SHARP_DEG = 20;
// Outlines of more corners are torn or curved, and their corners tell nothing.
const MOST_CORNERS = 60;
// Fewer touching samples than this share of the outline are no reason to move.
const LEAST_SHARE = 0.06;

/**
 * The pose near `pose` that lays a ring along other rings of the world, or null where nothing is within reach.
 * Points of the outline are drawn to what is nearest to them, again and again; `mayTurn` lets the piece turn too.
 */
export function snapped(ring, pose, others, reach, mayTurn) {
  const own = { points: samplesOf(ring), corners: cornersOf(ring) };
  const box = boundsOf(applyAll(pose, ring));
  const edges = edgesWithin(others, box, 2 * reach);
  const corners = others.flatMap(cornersOf);
  let best = pose;
  for (let round = 0; round < ROUNDS; round += 1) {
    const within = reach * Math.max(0.25, 1 - round / ROUNDS);
    const along = pairUp(applyAll(best, own.points), (point) => nearestOnEdges(point, edges, within), 1);
    if (along.length < Math.max(2, LEAST_SHARE * own.points.length)) return null;
    const ends = pairUp(applyAll(best, own.corners), (point) => nearestOf(point, corners, within), CORNER_WEIGHT);
    best = nearer(best, [...along, ...ends], mayTurn);
  }
  return { ...best, angle_deg: wrapped(best.angle_deg) };
}

/** About as many points along a ring, at even distances. */
export function samplesOf(ring, most = MOST_SAMPLES) {
  const sides = sidesOf(ring);
  const step = sides.reduce((sum, [, , dx, dy]) => sum + Math.hypot(dx, dy), 0) / most;
  const samples = [];
  let next = 0;
  for (const [x, y, dx, dy] of sides) {
    const length = Math.hypot(dx, dy);
    for (; next < length; next += step) samples.push([x + (dx * next) / length, y + (dy * next) / length]);
    next -= length;
  }
  return samples;
}

function sidesOf(ring) {
  return ring.map(([x, y], k) => {
    const [nextX, nextY] = ring[(k + 1) % ring.length];
    return [x, y, nextX - x, nextY - y];
  });
}

function cornersOf(ring) {
  const headings = sidesOf(ring).map(([, , dx, dy]) => (Math.atan2(dy, dx) * 180) / Math.PI);
  const sharp = ring.filter((_, k) => Math.abs(wrapped(headings[k] - headings.at(k - 1))) > SHARP_DEG);
  return sharp.length > MOST_CORNERS ? [] : sharp;
}

function edgesWithin(rings, box, reach) {
  return rings.flatMap(sidesOf).filter(
    ([x, y, dx, dy]) =>
      Math.max(x, x + dx) > box.left - reach &&
      Math.min(x, x + dx) < box.right + reach &&
      Math.max(y, y + dy) > box.bottom - reach &&
      Math.min(y, y + dy) < box.top + reach,
  );
}

function pairUp(points, nearest, weight) {
  return points.map((from) => ({ from, to: nearest(from), weight })).filter(({ to }) => to !== null);
}

function nearestOnEdges([x, y], edges, reach) {
  let least = reach * reach;
  let nearest = null;
  for (const [ex, ey, dx, dy] of edges) {
    const along = ((x - ex) * dx + (y - ey) * dy) / (dx * dx + dy * dy || 1);
    const share = Math.min(1, Math.max(0, along));
    const away = (x - ex - share * dx) ** 2 + (y - ey - share * dy) ** 2;
    if (away < least) {
      least = away;
      nearest = [ex + share * dx, ey + share * dy];
    }
  }
  return nearest;
}

function nearestOf([x, y], points, reach) {
  let least = reach * reach;
  let nearest = null;
  for (const point of points) {
    const away = (x - point[0]) ** 2 + (y - point[1]) ** 2;
    if (away < least) [least, nearest] = [away, point];
  }
  return nearest;
}

/** The pose moved so that the points of the pairs lie as near to each other as they can (Kabsch, in the plane). */
function nearer(pose, pairs, mayTurn) {
  const all = pairs.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (side, axis) => pairs.reduce((sum, pair) => sum + pair.weight * pair[side][axis], 0) / all;
  const from = [mean("from", 0), mean("from", 1)];
  const to = [mean("to", 0), mean("to", 1)];
  let dot = 0;
  let cross = 0;
  for (const { from: [x, y], to: [u, v], weight } of pairs) {
    dot += weight * ((x - from[0]) * (u - to[0]) + (y - from[1]) * (v - to[1]));
    cross += weight * ((x - from[0]) * (v - to[1]) - (y - from[1]) * (u - to[0]));
  }
  const degrees = mayTurn ? (Math.atan2(cross, dot) * 180) / Math.PI : 0;
  return shifted(turned(pose, degrees, from), to[0] - from[0], to[1] - from[1]);
}
