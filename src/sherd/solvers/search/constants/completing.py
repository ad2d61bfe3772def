"""Completing: around a lost piece, silhouettes drawn by hand, and what is left over."""

from __future__ import annotations

# --- Completing: around a lost piece ------------------------------------------------------------------

# Placements in which one convex gap is looked for; rectangles can leave it in very many places. Not swept.
GAP_PLACEMENTS = 1000
# Times the tolerance: places that agree to this are the same. Not swept.
SAME_PLACE = 16.0
# Times the most stretched piece (the square of its outline over its area): a gap that is more so is no
# piece's. Merged, seeds 61000 to 61059: of the places of lost pieces 12 of 60 are more so. Not swept.
AS_STRETCHED = 1.0
# Placements that are tried at least, though pieces fit before; and times the shortest outline of a gap: what
# leaves one no longer may be meant as well. Not swept.
LOOKED_AT, ABOUT_AS_LONG = 60, 1.01
# Radians an angle may be off for each share of the size that a corner may: edges are short beside the target.
# Not swept.
ANGLE_FACTOR = 20.0
# Radians: how far a hand that lays a piece turns it at most. Drawn tangrams, seeds 0 to 9.
HAND_ANGLE = 0.02
# Pieces: more are not laid into a silhouette drawn by hand. Radians: angles of exact pieces that recur agree
# to this. Not swept.
MOST_DRAWN = 12
RECURRING = 1e-6
# Of its size: outlines that differ by less are of one shape. Not swept.
SAME_SHAPE = 1e-6
# Of the smallest piece: parts of a silhouette drawn by hand with less area are slivers. Not swept.
SLIVER_SHARE = 0.25
# Pieces: so many that are left are held into every corner. Drawn tangrams: with one, seed 868 stays open.
LAST_ANYWHERE = 2
# Of the size: tips of pieces that a hand lays reach no farther into others, and edges no longer are left by
# them. Drawn tangrams, seeds 400 to 479, closed by 0.1 to 1 %: 4 of 320 are left open at 0.02, none at 0.05.
HAND_TIP = 0.035
# Of the size: edges of pieces that a hand lays are flush to this; up to the second tolerance tips may lie
# deeper in others, and be longer in proportion. Drawn tangrams, seeds 0 to 479: true places of one in a
# hundred need that.
HAND_FLUSH, LOOSEST_DRAWN = 1e-3, 4e-3
# Of the smallest piece: exact pieces that lack so much area lack a piece. Drawn tangrams lack .07 at most of
# it, closed by 0.03 to 0.6 %, and .21, closed by 1 % (seeds 400 to 439).
LOST_SHARE = 0.25

# Pieces, and corners of each on average: more are not filled in where bent pieces are a little off. Of the
# size: how far they may be off; farther, wrong ones fit as well. Merged pieces, seeds 10 to 12.
MOST_BENT, MOST_BENT_CORNERS, LOOSEST_BENT = 20, 12, 6e-3
# Radians, and times how far corners are off: how far angles may be off, and how long tips are. Not swept.
BENT_ANGLE, BENT_TIP = 0.05, 5.0
# Radians: how far angles may be off where corners that no piece lies in are left. Frames and rectilinear
# pieces of 8 on a grid, corners moved by 0.3 %, seeds 1, 2, 4, 5 and 6, at three sizes: at 0.12 four of 10
# are filled so that they fit to 0.6 %, at 0.08 and 0.2 three each.
PAST_CORNERS_ANGLE = 0.12
# Times the area that the best wastes: what wastes no more may be meant as well. Not swept.
ABOUT_AS_WASTEFUL = 2.0

# --- Completing: pieces that are left over ------------------------------------------------------------

# Share of the time: answers wait for it to be over, for filling them in takes seconds and solves nothing. Not
# swept.
LATE = 0.8
# Pieces left over that are laid at most: the first, or of many pieces that share, but no more than take a
# fraction of a second: the third, and of very many pieces the fourth over their number. Binary, seeds 302
# and 342.
FEW_LEFTOVER, LEFTOVER_SHARE = 8, 0.75
MOST_LEFTOVER, MOST_LEFTOVER_PIECES = 48, 32_000
# Share of a piece's area that has to cover what was open. Binary, seeds 302 and 342: 0.7 laid fewer.
LEAST_GAIN = 0.5
# Share of the target: once so much is covered, what is laid in haste when time is up is laid no looser. Not
# swept.
LITTLE_COVERED = 0.5
# Answers, those that covered most in turn, in which left-over pieces are laid when time is up. Not swept.
MOST_COMPLETED = 4
# Questions whether to stop after which that tiling ends: a fraction of a second, whatever the pieces, and no
# clock, so that every machine gives the same answer. Not swept.
LAST_QUESTIONS = 4
# Moves of refining what was laid last; fewer where all corners, times those of the outline with most, are
# more than the second: 1,000 moves of 2,000 corners took 9 s. Not swept.
LAST_POLISH, LAST_POLISH_CORNERS = 1000, 12_800
# Moves of refining what was filled in in time, and what was seated anew. Not swept.
FILLED_POLISH, SEATED_POLISH = 2000, 1000
# Share of the target: what refining may gain at most. Not swept.
POLISH_GAIN = 0.01
# Shares of a piece's area: pieces of which more lies in others or outside are laid anew, in turn. Not swept.
SEATED_WRONG = (0.05, 0.1, 0.15, 0.25, 0.4)
# The same, of whole answers that nearly fit: more than rounding, and no more than a hair. Not swept.
SEATED_FLUSH = (1e-8, 1e-4)
# Share of the size: exact pieces that lie flush are no farther apart, but for rounding. Not swept.
FLUSH = 2e-5
# Pieces that are laid somewhere where none fits a corner, and ways that are tried for each: a fraction of a
# second. Not swept.
MOST_SOMEWHERE, MOST_WAYS_SOMEWHERE = 12, 1024
# Outlines of more corners are laid by simpler ones around them, and by shares of their size in turn these may
# stand off. Not swept.
MOST_CORNERS_SOMEWHERE, SIMPLER_SOMEWHERE = 100, (1e-3, 4e-3, 1.6e-2, 6.4e-2)
