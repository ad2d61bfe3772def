// How pieces look on the board, by what is known of them; hatching says again what colours say.

import { isLoose } from "./layout.js";
import { BANDS, UNKNOWN } from "./pieces.js";

// The direction of the lines, in degrees, clockwise from level.
const HATCHES = { likely: 0, loose: -45 };

/** An outline of the reading, by its role, with the picture below it or without. */
export function readingLook({ role, colour }, hasPicture) {
  if (role === "target") return { stroke: "#c2550a", width: 2.5, dashed: true, fill: hasPicture ? null : "#ffffff" };
  if (role === "aside") return { fill: UNKNOWN, faded: true, hatched: 45, dashed: true, outlined: true };
  if (!hasPicture) return { fill: colour, named: true };
  return { fill: `${colour}40`, stroke: "#0b5cad", width: 2, outlined: true, named: true };
}

/** A piece of the puzzle: coloured by piece, by how sure its place is (bands), or as pictured. */
export function pieceLook(piece, pose, { layout, table }, { by, bands, differs }) {
  const { id, colour } = piece;
  const look = {
    fill: colour,
    painted: by === "paint",
    faded: layout.aside.has(id),
    pinned: layout.pinned.has(id),
    differs: differs.has(id),
  };
  if (by === "sure") {
    const band = isLoose(table, pose) ? null : bands.get(id);
    look.fill = BANDS[band] ?? UNKNOWN;
    look.hatched = HATCHES[band];
  }
  if (!layout.forbidden.has(id)) return look;
  return { ...look, fill: UNKNOWN, hatched: undefined, painted: false, faded: true, crossed: true, dashed: true };
}
