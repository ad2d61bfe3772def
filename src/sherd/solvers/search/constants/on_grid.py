"""Tiling on a grid of squares."""

from __future__ import annotations

# --- Tiling on a grid ---------------------------------------------------------------------------------

# Of the size: how far rounding may move the corners of a puzzle that lies on a grid. Not swept.
GRID_DOUBT = 1e-9
# Of a square's side: corners farther from the grid's points are not on it, however loose. Not swept.
MOST_GRID_DOUBT = 1e-2
# The same of corners of a target that was drawn by hand. Not swept.
MOST_DRAWN_DOUBT = 0.25
# Of the size: how far rounding may move the corners of pieces whose target is drawn by hand. Not swept.
DRAWN_ON_GRID = 1e-6
# Pieces: fewer are left to tiling, which has them in no time and need not be compiled for a grid. Not swept.
FEWEST_ON_GRID = 10
# Pieces that are looked at before all are: two of 4,096 cut anyhow seemed to lie on a grid. Not swept.
LOOKED_AT_ON_GRID = 8
# Squares: a target is no larger than this on its grid. Not swept.
MOST_GRID = 2048
# Numbers: rings that may touch in one point, candidates of all levels together, states that are remembered.
# Memory.
MOST_TOUCHING = 8
MOST_GRID_CANDIDATES = 1 << 20
GRID_STATES = 1 << 20
# Candidates of a slot that are listed at most while others have fewer. Not swept.
MOST_LISTED = 24
# Cells of a box that are the bits of one word. Memory.
MOST_CELLS = 64
# Placements between two questions whether to stop. Not swept.
GRID_STRIDE = 1024
COVER_STRIDE = 1 << 16
# States of a beam that are expanded between two questions whether to stop, and children of each at most, on
# average. Not swept.
BEAM_STRIDE = 32
CHILDREN_A_STATE = 64
# States in the beams of each round, and how many beams it has; the last is gone on with. Not swept.
GRID_BEAMS = ((16, 2), (64, 6), (512, 12), (2048, 12))
# What a corner of the pieces laid counts for, in corners of what is left. Equal pieces of 45, seeds 41
# and 43, two beams of 128: of 7 puzzles 3 were filled with 0, 4 with 0.3, 6 with 0.7 and with 1.
GRID_WEIGHTS = (1.0, 0.7)
# Beams that go on side by side, one in each thread where there are several. Not swept.
BEAMS_AT_ONCE = 2
# How much tighter, as a logarithm, a slot must be at the end of the target that a beam leans away from.
# Rectilinear of 30, seeds 40 and 41, ten puzzles, beams of 1,024 at four sides: 11 filled with 1, 8 with 3,
# 5 with 8.
LEAN = 1.0
# Placements of the search that goes back before there is a beam, times pieces. Not swept.
FIRST_TRIES = 4
# Placements of the search that goes back for each that a beam has tried. Not swept.
DEPTH_SHARE = 0.5

# --- Tiling on a grid, right angles only ---------------------------------------------------------------

# Pieces in a corner that are listed at most, corners of bays, and children of an assembly at most, on
# average. Memory.
MOST_IN_A_BAY = 512
MOST_BAYS = 1024
CELL_CHILDREN = 16
# Assemblies that are looked at between two questions whether to stop. Not swept.
CELL_STRIDE = 256
# Assemblies in the beams of each round, and how many beams it has; the last is gone on with. Rectilinear of
# 30, seeds 40 and 41: of ten puzzles 17 beams of 1,024 that lean differently filled 6, two of 6,144 4.
CELL_BEAMS = ((64, 4), (512, 16), (2048, 24), (8192, 24))
# Words of the boards of a beam, but for one assembly. Memory.
MOST_BEAM_WORDS = 1 << 25
# Once no more pieces are left, beams are so many times as wide: what is left is soon looked through.
# Rectilinear of 45, seed 40: 7 of 24 for 5, in a sixth longer; from 14 pieces on no more.
LATE_PIECES, LATE_BEAM = 8, 8
# What beams of a round rank by, in corners: a piece of average size, a corner that a piece brings, an outline
# of average length, and all of an outline flush with the border. Rectilinear of 45, seed 40; the length on
# nine puzzles of seeds 46 to 48, beams of 256 for 4 s each: 83 fill with 4, 10 in 5 s with 0.
CELL_WEIGHTS = ((0.0, 1.0, 4.0, 0.0), (2.0, 1.0, 4.0, 6.0), (0.0, 0.5, 4.0, 0.0))
# Placements of the search that goes back for each that such a beam has tried; they take longer. Not swept.
CELL_DEPTH_SHARE = 0.005
# Share of the size: pieces on a grid within this lie so surely. At 1e-6 ones cut anywhere seem to. Not swept.
SURELY_ON_GRID = 1e-8
