// Points, rings and poses. Lengths are in the drawing's unit, y points up, angles are degrees, counter-clockwise.

const RADIANS = Math.PI / 180;
/** Where a piece lies that was not moved. */
export const AT_REST = { x: 0, y: 0, angle_deg: 0, flipped: false };

/** The six numbers of a pose, as canvas and SVG have them: x' = a x + c y + e, y' = b x + d y + f. */
export function matrix({ x, y, angle_deg, flipped }) {
  const cos = Math.cos(angle_deg * RADIANS);
  const sin = Math.sin(angle_deg * RADIANS);
  const side = flipped ? -1 : 1;
  return [side * cos, side * sin, -sin, cos, x, y];
}

export function apply([a, b, c, d, e, f], [x, y]) {
  return [a * x + c * y + e, b * x + d * y + f];
}

export function applyAll(pose, points) {
  const moves = matrix(pose);
  return points.map((point) => apply(moves, point));
}

/** Where a point of the world lies in the frame of a piece with this pose. */
export function unapply(pose, [x, y]) {
  const [a, b, c, d, e, f] = matrix(pose);
  return [a * (x - e) + b * (y - f), c * (x - e) + d * (y - f)];
}

/** An angle between -180 (left out) and 180 degrees. */
export function wrapped(degrees) {
  const turn = ((degrees % 360) + 360) % 360;
  return turn > 180 ? turn - 360 : turn;
}

/** The pose shifted. */
export function shifted(pose, dx, dy) {
  return { ...pose, x: pose.x + dx, y: pose.y + dy };
}

/** The pose turned about a point of the world. */
export function turned(pose, degrees, [cx, cy]) {
  const cos = Math.cos(degrees * RADIANS);
  const sin = Math.sin(degrees * RADIANS);
  const dx = pose.x - cx;
  const dy = pose.y - cy;
  return {
    ...pose,
    x: cx + cos * dx - sin * dy,
    y: cy + sin * dx + cos * dy,
    angle_deg: wrapped(pose.angle_deg + degrees),
  };
}

/** The pose mirrored left to right, as seen on the board, about a vertical line. */
export function mirrored(pose, cx) {
  return { x: 2 * cx - pose.x, y: pose.y, angle_deg: wrapped(-pose.angle_deg), flipped: !pose.flipped };
}

/** The pose on the way from one to another; what is turned over turns over half way. */
export function between(from, to, share) {
  return {
    x: from.x + (to.x - from.x) * share,
    y: from.y + (to.y - from.y) * share,
    angle_deg: from.angle_deg + wrapped(to.angle_deg - from.angle_deg) * share,
    flipped: share < 0.5 ? from.flipped : to.flipped,
  };
}

export function samePose(one, other) {
  return (
    one === other ||
    (one.x === other.x && one.y === other.y && one.angle_deg === other.angle_deg && one.flipped === other.flipped)
  );
}

/** The farthest that any of these points lies apart under two poses. */
export function farthestApart(points, one, other) {
  const first = applyAll(one, points);
  const second = applyAll(other, points);
  return Math.max(...first.map(([x, y], k) => Math.hypot(x - second[k][0], y - second[k][1])));
}

/** The farthest that a corner under one pose lies from every corner under another: nil for what is its own image. */
export function farthestFromAny(points, one, other) {
  const second = applyAll(other, points);
  const nearest = ([x, y]) => Math.min(...second.map(([u, v]) => Math.hypot(x - u, y - v)));
  return Math.max(...applyAll(one, points).map(nearest));
}

export function area(ring) {
  let twice = 0;
  for (let k = 0, last = ring.length - 1; k < ring.length; last = k++) {
    twice += ring[last][0] * ring[k][1] - ring[k][0] * ring[last][1];
  }
  return twice / 2;
}

export function boundsOf(points) {
  const box = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
  for (const [x, y] of points) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.bottom = Math.min(box.bottom, y);
    box.top = Math.max(box.top, y);
  }
  return box;
}

export function joined(boxes) {
  return boundsOf(
    boxes.flatMap((box) => [
      [box.left, box.bottom],
      [box.right, box.top],
    ]),
  );
}

export function widthOf(box) {
  return box.right - box.left;
}

export function heightOf(box) {
  return box.top - box.bottom;
}

/** The middle and the width of the widest stretch inside of a ring at a height: where a name has room. */
export function widestAt(rings, y) {
  const crossings = [];
  for (const ring of rings) {
    for (let k = 0, last = ring.length - 1; k < ring.length; last = k++) {
      const [x1, y1] = ring[last];
      const [x2, y2] = ring[k];
      if (y1 > y !== y2 > y) crossings.push(x1 + ((x2 - x1) * (y - y1)) / (y2 - y1));
    }
  }
  crossings.sort((one, other) => one - other);
  let best = { x: 0, width: 0 };
  for (let k = 0; k + 1 < crossings.length; k += 2) {
    const width = crossings[k + 1] - crossings[k];
    if (width > best.width) best = { x: (crossings[k] + crossings[k + 1]) / 2, width };
  }
  return best;
}
