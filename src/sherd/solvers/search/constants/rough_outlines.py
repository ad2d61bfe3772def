"""What rough outlines may have been: moved corners, pixels and wear."""

from __future__ import annotations

# --- Beliefs: how rough outlines are taken to be ------------------------------------------------------

# Of the size: guesses at the pixels that outlines were traced from, and at how far corners were moved. The
# former are for pixels of the third, what masks are made with, and are scaled where the puzzle tells others;
# the first is for grey ones, whose outlines are fitted to less than a pixel. Masks, binary, damage and noise,
# seeds 5 to 11; 0.0055, 0.0065 and 0.027 were no better.
TRACED_GUESSES = (0.0006, 0.008, 0.01, 0.012, 0.018)
MOVED_GUESSES = (0.002, 0.005, 0.01, 0.015, 0.02)
USUAL_PIXEL = 1 / 128
# Times the loosest guess at the puzzle's own pixels: usual ones are tried as well if they are looser, for
# pieces may be off by more than pixels. Not swept.
LOOSER_THAN_PIXELS = 1.1
# Pixels: gaps between edges that were fitted to pixels. Not swept.
TRACED_SEAM = 0.1
# Of the size: the largest radius of a disc that rough pieces may share. Distorted pieces share discs of up to
# 0.02 in their true places. Damage, binary and noise, seeds 11 and 21: at 0.02 a right answer was refused.
DEEPEST = 0.025
# Of the size: how well the target's outline is known where corners were moved. Not swept.
TARGET_DOUBT = 1e-3
# Radians: corners that turn by less are none. Not swept.
NEARLY_STRAIGHT = 1e-3
# Of the size: pieces that fit each other to this were never damaged. Not swept.
FITS_EXACTLY = 1e-6
# Of the size: edges of such pieces that are no farther apart lie on one line. Not swept.
ON_ONE_LINE = 1e-5
# Share of the guess: how far corners of parts that fit exactly give way to what is glued to them. Damage,
# seed 5: 1e-6 of the size lost true joints.
EXACT_DOUBT = 0.2

# --- Beliefs: outlines traced from pixels -------------------------------------------------------------

# Squared pixels: an edge's ends are off by this over its length. Binary, seed 5.
EDGE_SPREAD = 4.0
# Pixels: how far lines along rows of pixels, or across their corners, are off in one piece. Binary, seed 5.
ROW_SPREAD = 0.3
DIAGONAL_SPREAD = 0.2
# Share of that shift by which such a line may be tilted. Not swept.
TILT = 0.6
# Pixels: how far a sharp tip may be off along the line that halves it. Not swept.
FARTHEST_TIP = 4.0
# Pixels: shorter edges may be a tip cut off, which lies no farther from them than the second. Binary, seed 5.
SHORT_EDGE = 6.0
FARTHEST_CUT_TIP = 12.0
# Radians: sharper corners may be a short end; pixels: about as wide as this. Binary, seed 5.
SHARP = 1.0
SHORT_END = 1.5
# Half a chi-squared: how much less likely a drawn-out tip and a short end are than what was traced. Not
# swept.
TIP_COST = 1.0
END_COST = 3.0

# --- Beliefs: eroded outlines -------------------------------------------------------------------------

# Of the size: how deep edges may be worn. Damage, seeds 5 and 6, where edges are worn by up to 0.01; worn
# half as deep (seed 510), half and twice this solve the same 8 of 8.
WEAR = 0.009
# Corners: an outline with no more is not eroded, for wear leaves many; if it bends, a corner was moved.
# Damage, seed 301.
MOST_MOVED_CORNERS = 8
# Of the size: where the others are rougher, what eroded pieces were like is doubted in proportion. Not swept.
SURE = 2e-3
# Costs against a run as wide as edges may be worn: a vertex between two runs that is in neither. Not swept.
SKIPPED_COST = 0.7
# Numbers of runs, of vertices that may be in no run between two, and of vertices of an outline, beyond which
# walks would take too long. Not swept.
MOST_RUNS = 8
MOST_SKIPPED = 1
MOST_VERTICES = 60
# Half a chi-squared: how much less likely an outline with one edge more is. Not swept.
ONE_MORE_EDGE = 2.0
# Radians: neighbouring edges turn left by at least this. Not swept.
LEAST_TURN = 0.05
# Times: an edge lies this many times as far out as its outermost vertices, from their middle. Damage, seed 5.
BEYOND = 2.0
# How far a line is off at its ends: times the scatter of its vertices, plus a share of the wear; and the
# share of that by which it is off all in one piece. Not swept.
CAUTION, LEAST_SCATTER, EDGE_SHIFT = 1.4, 0.05, 0.7
# Of the size: no corner is off by more. Not swept.
FARTHEST_CORNER = 0.03
