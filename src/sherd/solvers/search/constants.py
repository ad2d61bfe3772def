"""Every tuned number of the search in one place: its unit, what it does, and what it was tuned on.

"Of the size" means as a share of the target's size, which is the longer side of its bounding box. Where
a number was tried against others, the suites and seeds are named; all seeds are below 1,000, and
experiments/LOG.md has the figures. "Not swept" means that the first sensible value was kept. Which
attempts are made, and at which tolerances, is the table in `ladder`. Numbers that say how far rounding
goes stay beside their formulas.
"""

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

# --- Tiling on a grid ---------------------------------------------------------------------------------

# Of the size: how far rounding may move the corners of a puzzle that lies on a grid. Not swept.
GRID_DOUBT = 1e-9
# Of a square's side: corners farther from the grid's points are not on it, however loose. Not swept.
MOST_GRID_DOUBT = 1e-2
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
# What beams of a round rank by, in corners: a piece of average size, a corner that a piece brings, and all of
# an outline flush with the border. Rectilinear of 45, seed 40.
CELL_WEIGHTS = ((0.0, 1.0, 0.0), (2.0, 1.0, 6.0), (0.0, 0.5, 0.0))
# Placements of the search that goes back for each that such a beam has tried; they take longer. Not swept.
CELL_DEPTH_SHARE = 0.005

# --- Gluing exact outlines ----------------------------------------------------------------------------

# Times their uncertainty: edges and angles farther apart do not match. Masks, seed 5.
FARTHEST_MATCH = 3.0
# Radians: no outline is so uncertain that angles farther apart could be the same. Not swept.
MOST_ANGLE_DOUBT = 0.4
# Sequences kept side by side, and ways on from each, where the best fit alone fails. Masks, seed 5.
WIDE_BEAM, WIDE_WAYS = 16, 6

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

# --- Beliefs: the chart -------------------------------------------------------------------------------

# Chi-squared, by how many misfits it counts: a joint above it is not made, one in a thousand that are true.
# Binary, seed 6: 30 and 50 brought no joint back.
FARTHEST_JOINT = {3: 16.3, 4: 18.5}
# Chi-squared of 5 degrees or more: what misses the target's corners by more is not it. Not swept.
FARTHEST_WHOLE = 60.0
# Radians: no two angles farther from a straight one belong together, whatever the uncertainty. Not swept.
MOST_ANGLE_MISFIT = 1.6
# Weight of how unlikely a joint fits so well by chance. Noise, seed 5: 0 to 1 did not matter.
CHANCE = 0.5
# Half a chi-squared: a part whose joints took more each is held back by the excess. Not swept.
FAIR_COST = 2.5
# Times the uncertainty of their angles: about as many cuts look like a side of the target. Not swept.
SIDE_LIKE_CUTS = 12.0
# Outlines kept of each set of pieces; of the size and radians: sides and angles that differ by less than that
# and their uncertainty are the same. Binary, seed 5.
MOST_OUTLINES = 4
SAME_LENGTH = 1e-3
SAME_ANGLE = 0.1
# Of the size: how far a part may stick out, and times the guess at how far corners were moved. Noise, seeds
# 700 and 701: at 2 and 3 % 9 of 11 puzzles had no assembly at 0.06, and 1 at 0.15. Radians: by how much a
# corner of it may be reflex; not swept.
STICKING_OUT = 0.06
STICKING_OUT_BY_NOISE = 8.0
MOST_REFLEX = 0.8
# Assemblies found after the first to be weighed against it, and the share of joints more spent on them at
# most. Not swept.
MOST_WHOLES = 30
JOINTS_AFTER = 0.5

# --- Beliefs: finishing what lacks a joint ------------------------------------------------------------

# Times the guess: how far corners may be off when parts are laid into the target. Binary, seed 5.
FINISH_SLACK = 2.0
# Assemblies laid so that are weighed. Not swept.
MOST_FINISHED = 8
# Share of the target's area: where the pieces' areas differ by more, something is missing. Not swept.
MOST_AREA_OFF = 0.1
# Share of the size: of more than a few pieces whose corners are off by more than this, others than the charts
# hold may be meant as well. Of 16 distorted pieces all 22 that were called solved lay within it and right
# (seed 740); of 19 others three were wrong, off by 0.018 to 0.029 (seed 9430).
FEW_PIECES, ROUGH_FOR_MANY = 8, 0.016
# Share of the target's area: if seams take more, nothing tells them from a wrong assembly. Binary and damage,
# seeds 6 and 9: 0.03 solved fewer.
MOST_SEAMS = 0.045
# Pieces left that are laid by area, into this many last regions at most. Not swept.
MOST_LAID_BY_AREA = 3
MOST_LAST_REGIONS = 12
# Pieces left that are glued anew into a region, until there are enough ways. Binary, seed 302: with 16 or 20
# pieces 2 more of 6, in 2 to 9 s a guess.
MOST_GLUED_ANEW = 12
ENOUGH_ANEW = 3
# Parts held against regions in about the time that gluing anew takes. Measured once.
FITS_ANEW = 40_000
# Share of the guess's joints for a chart of the pieces that are left; of this many ways the best is taken.
# Not swept.
JOINTS_ANEW = 0.25
WAYS_ANEW = 5
# Parts held against regions when time is up: a fraction of a second. Binary and noise, seeds 5 and 11.
LAST_FITS = 60_000
# Regions looked at of each set of pieces that is left, and ways to lay a part into one. Not swept.
REGIONS_A_SET = 3
MOST_WAYS_INWARDS = 256
# Share of the edge: a cut ends no nearer to a corner of the region. Not swept.
NEAREST_TO_CORNER = 0.02
# Ways kept at each step of laying single pieces by area; radians: corners of a hull that turn by less are
# none. Not swept.
WAYS_KEPT = 4
BLUNT = 0.1

# --- Beliefs: weighing assemblies ---------------------------------------------------------------------

# Assemblies of a guess that are refined and weighed where pieces overlap more than by chance, and looser
# guesses whose assemblies are. Damage, seeds 301 and 311: four and three found one more of 180, in 3 to 8
# times as long.
MOST_WEIGHED = 3
LOOSER_GUESSES = 1
# Joints that a looser guess is given for that. Not swept.
LOOSER_JOINTS = 3000
# Half a chi-squared: assemblies that cost more above the likeliest are not weighed. Not swept.
DEAREST = 5.0
# Of the size, and radians: assemblies that differ by less are weighed once. Not swept.
REFINED_ALIKE = 0.006
REFINED_ALIKE_ANGLE = 0.1
# Of the size: the first and last step of refining on area what beliefs have laid. Noise and damage, seed 5.
POLISH_FIRST_STEP, POLISH_LAST_STEP = 4e-3, 5e-4
# Share of a piece: refinement must not hide more of it behind others. Not swept.
MOST_HIDDEN = 0.5
# Moves of refinement at most: many pieces would take seconds, for next to nothing. Not swept.
MOST_POLISH = 5000

# --- Beliefs: what the evidence is worth --------------------------------------------------------------

# Times what is known of both: squared distances of corners, in all, of outlines that agree. Not swept.
AGREEING = 2.0
# Probability: a piece is sure of its place if all likely assemblies that have it elsewhere have less
# together. Heavy noise, seed 705: of five between 0.02 and 0.1 the two above 0.05 were wrong.
DOUBTED = 0.03
# The same where cuts fit, which is the likelihood itself. Heavy noise, seed 603, 128 puzzles: of five whose
# likeliest rival had between this and 0.05 one was wrong.
DOUBTED_BY_CUTS = 0.006
# Of the size: overlaps and gaps that are narrower on average are those of exact pieces. Noise of 0.3 %, seed
# 707: at 3e-4 a wrong mondrian of 16 pieces passed for exact.
AS_EXACT = 1e-4
# Times its spread by chance: how much more the corners of a rival must be off, in chi-squared, before that
# speaks against it. Heavy noise, seeds 703 and 704: without it a pentagon of 2 % with three pieces turned was
# taken for solved, and strips that lie in any order.
BY_CHANCE = 3.0
# Half a chi-squared in units of the noise that the likeliest assembly shows: those that are less likely by
# more are not looked at, nor are more of a chart than that many. Not swept. Joints that are made to find
# them: heavy noise, seed 705, with 300 a wrong pentagon of 3 % had no rivals.
UNLIKELY = 7.0
MOST_RIVALS = 600
JOINTS_FOR_RIVALS = 3000
# Times the squares that are left of an arrangement: parts whose outlines differ by more are not exchanged.
# Heavy noise, seed 600: at 3 the truth was reached that no chart had.
FARTHEST_EXCHANGE = 3.0
# Parts of an arrangement that are exchanged, those of few pieces first. Not swept.
MOST_PARTS = 120
# Exchanges tried in one arrangement, arrangements that they are tried in, and fits of cuts in all, over the
# number of pieces; a fit of 8 takes 0.5 ms. Not swept.
MOST_EXCHANGES = 80
MOST_EXPANDED = 16
MOST_FITTED = 3200
# Half a chi-squared: if what is less likely by no more was not gone on from, others may be as likely. Not
# swept.
ABOUT_AS_LIKELY = 3.0
# Squares of what is believed of corners from pixels, on average in true places, and times one over the root
# of their number more by chance. Black and white masks, seeds 604 and 710: true places of 32 and 64 pieces
# have 0.32 to 0.82, of 8 up to 1.45; one of 64 that was all wrong had 0.97.
FAIR_SQUARES, FAIR_BY_CHANCE = 0.5, 5.0
# Times the guess: where the noise is larger, a chart at the noise itself shows the rivals. Of the size: no
# chart is looser. Not swept.
NOISIER = 1.2
MOST_NOISE = 0.03
# Times the noise: the largest radius of a disc that pieces may share that are sure of their places; and the
# radius, of the size, beyond which none may. Noise, seed 700: discs of true places have up to 2.
EVIDENT_DEPTH = 2.5
DEEPEST_EVIDENT = 0.05
# The same where cuts fit. Heavy noise, seed 604, 180 puzzles: discs of true places at rest have up to 2.4.
DEPTH_BY_CUTS = 4.0
DEEPEST_BY_CUTS = 0.08
# Times the noise along all outlines: the area that such pieces may waste in seams; and the share of the
# target beyond which none may. Heavy noise, seed 600, 96 puzzles: true places at rest waste 0.44 at most.
SEAMS_BY_CUTS = 0.5
WIDEST_BY_CUTS = 0.16
# Times the noise, a share of the target: rivals that cover less than the answer by more are none. Heavy
# noise, seed 710: true places cover less than a wrong answer by up to 0.85. And rivals that are refined.
LESS_COVERED = 1.5
# Of a pixel: how far edges are off that are rounded to pixels, evenly spread (one over the root of twelve).
# Not swept.
PIXEL_NOISE = 0.29
MOST_SETTLED = 12
# Rivals that are told of an assembly. Not swept.
MOST_TOLD = 3
# Times that noise, and times the area over the length of an outline, about a quarter of its width: a piece
# whose corners are nearer lies alike. So does one that is turned and whose outline is nearer than this many
# times the noise. Not swept.
ALIKE, ALIKE_WIDTH = 4.0, 1.0
ALIKE_TURNED = 2.0

# --- Completing: around a lost piece ------------------------------------------------------------------

# Placements in which one convex gap is looked for; rectangles can leave it in very many places. Not swept.
GAP_PLACEMENTS = 1000
# Times the tolerance: places that agree to this are the same. Not swept.
SAME_PLACE = 16.0
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

# Pieces, and corners of each on average: more are not filled in where bent pieces are a little off. Of the
# size: how far they may be off; farther, wrong ones fit as well. Merged pieces, seeds 10 to 12.
MOST_BENT, MOST_BENT_CORNERS, LOOSEST_BENT = 20, 12, 6e-3
# Radians, and times how far corners are off: how far angles may be off, and how long tips are. Not swept.
BENT_ANGLE, BENT_TIP = 0.05, 5.0
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
# Moves of refining what was laid last; of more corners than the second fewer, as their square: 1,000 moves of
# 2,000 corners took 9 s. Not swept.
LAST_POLISH, LAST_POLISH_CORNERS = 1000, 320
# Moves of refining what was filled in in time, and what was seated anew. Not swept.
FILLED_POLISH, SEATED_POLISH = 2000, 1000
# Share of the target: what refining may gain at most. Not swept.
POLISH_GAIN = 0.01
# Shares of a piece's area: pieces of which more lies in others or outside are laid anew, in turn. Not swept.
SEATED_WRONG = (0.05, 0.1, 0.15, 0.25, 0.4)
# Share of the size: exact pieces that lie flush are no farther apart, but for rounding. Not swept.
FLUSH = 2e-5
