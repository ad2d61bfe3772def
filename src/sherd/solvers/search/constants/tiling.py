"""What pieces are like, why none fit, tiling off a grid, and gluing exact outlines."""

from __future__ import annotations

# --- The case: what pieces are like -------------------------------------------------------------------

# Ratio of areas: a piece whose hull is larger than this many times the piece was cut bent; wear and tracing
# bend less. Damage, seed 3: hulls of eroded pieces came to 1.07 times of 8 pieces and 1.10 of 32.
BENT_BY_CUTTING = 1.15
# Share of the target's area: a piece of four corners lacks no more of its hull where noise has moved one
# inward. Heavy noise of 3 %, 16 pieces, seed 600: 18 of 180 puzzles have such a piece, of up to 0.0093.
MOVED_INWARD = 0.01
# Radians: a corner that is reflex by more bends inward. Not swept.
REFLEX = 1e-3
# Share of the target's area: where pieces lack more, one may be lost. Not swept.
LACKING_AREA = 1e-3

# --- Why a puzzle was not solved ----------------------------------------------------------------------

# Share of the target's area: what rounding and tracing make areas differ by. Not swept.
UNEXPLAINED_AREA = 2e-3
# Of the size: how far a corner may be off when pieces are tried once more in what remains. Not swept.
STUCK_TOLERANCE = 1e-5

# --- Tiling -------------------------------------------------------------------------------------------

# Placements for each piece after which a quick attempt gives up. Not swept.
QUICK_PLACEMENTS = 100
# Questions whether to stop, beyond those that its placements alone ask, after which a quick attempt gives up:
# where corners are very many, few placements take long. Not swept.
QUICK_QUESTIONS = 8
# Of the size: tiling is no looser where the puzzle gives no tolerance. Torn sheets, seeds 0 to 7.
LOOSEST_TILING = 2e-3
# Placements between two questions whether to stop. Not swept.
STRIDE = 64
# Puzzles of more pieces than this are never searched by plain Python. Not swept.
MOST_PLAIN_PIECES = 64
# Pairs of corners compared between two questions whether to stop: a tenth of a second or two. Not swept.
MOST_WORK = 20_000_000
# Decimals of radians: angles that agree in these are one angle, as traced right angles must be. Not swept.
ANGLE_DECIMALS = 3
# Numbers: corners and candidates of all levels together, and states that are remembered. Memory.
MOST_CORNERS = 4_000_000
STATES = 1 << 18
# Radians: angles are taken to be no more uncertain, however short their edges. Not swept.
CORNER_DOUBT = 1e-2
# Pairs of corners that could be compared while an angle is looked up, or a pose worked out. Measured once.
LOOKUP_WORK = 16
POSE_WORK = 40
# Candidates: an edge exactly as long as the region's tells where a piece lies if no more of them have one so
# long. Not swept.
MOST_MATCHES = 3
# Edges: one is rare if no more are as long, itself included: both banks of a cut, and chance. Not swept.
RARE = 4
# Times the tolerance: the grids to which corners are rounded for a hash, and lengths for a look. Not swept.
HASH_GRID = 16.0
LOOK_GRID = 64.0
# Times the tolerance: distances between corners of one part, made in two ways, agree to this. Not swept.
SAME_DISTANCE = 16.0
# Times the tolerance: assemblies whose outlines are closer are the same. Not swept.
SAME_ASSEMBLY = 100.0

# --- Gluing exact outlines ----------------------------------------------------------------------------

# Times their uncertainty: edges and angles farther apart do not match. Masks, seed 5.
FARTHEST_MATCH = 3.0
# Radians: no outline is so uncertain that angles farther apart could be the same. Not swept.
MOST_ANGLE_DOUBT = 0.4
# Sequences kept side by side, and ways on from each, where the best fit alone fails. Masks, seed 5.
WIDE_BEAM, WIDE_WAYS = 16, 6
