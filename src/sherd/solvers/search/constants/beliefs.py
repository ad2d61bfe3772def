"""Beliefs: the chart, what lacks a joint, and what assemblies and their evidence are worth."""

from __future__ import annotations

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
# Exchanges tried in one arrangement, and fits of cuts at first, over the number of pieces, twice as many in
# all; a fit of 8 takes 0.5 ms. Not swept.
MOST_EXCHANGES = 80
MOST_FITTED = 3200
# The same where some pieces lie exactly, so that most are soon seen not to. Distorted pieces, seed 802: the
# truth was the 86th exchange.
MOST_EXCHANGES_EXACT = 500
MOST_FITTED_EXACT = 24_000
# Of the size: a piece whose corners are off by no more lies exactly, as it was cut. Rounds of weighing pieces
# by how far they are off, after which those show; the share of the size that counts as near at first, and by
# how much less in each round. Distorted pieces of 8 and 16, seed 802, in true places: all show in 23 of 24.
LIES_EXACTLY = 1e-5
ROUNDS_OF_WEIGHING, FIRST_NEAR, NEARER = 10, 0.02, 0.25
# Angles that are allowed: of no more, a piece is not glued at one beside its own. Of 16 distorted pieces at
# 20 angles small ones were (seeds 802 and 808).
FEW_BINS = 4
# Times as certain as others: pieces that lie exactly. Not swept.
SURE_AS_EXACT = 1e3
# Singular values, over the largest, that are none: of slopes of corners by poses and cuts. Not swept.
NO_SLOPE = 1e-7
# Numbers that agree beyond what places and cuts give: with fewer nothing is taken to lie exactly. Not swept.
FEWEST_TIES = 4
# Logarithm: how much likelier each of these makes an arrangement, for chance would have it off by the noise,
# not by a thousandth of that. Not swept.
TIE = 6.0
# Arrangements that are looked at for pieces that lie exactly, before none are taken to do so. Not swept.
LOOKED_AT_FOR_EXACT = 6
# Half a chi-squared of all corners alike: no farther behind, an arrangement is looked at for what lies
# exactly. Not swept.
FARTHEST_BEHIND = 30.0
# Half a chi-squared: if what is less likely by no more was not gone on from, others may be as likely. Not
# swept.
ABOUT_AS_LIKELY = 3.0
# Squares of what is believed of corners from pixels, on average in true places, and times one over the root
# of their number more by chance. Black and white masks, seeds 604 and 710: true places of 32 and 64 pieces
# have 0.32 to 0.82, of 8 up to 1.45; one of 64 that was all wrong had 0.97.
FAIR_SQUARES, FAIR_BY_CHANCE = 0.5, 5.0
# The same of worn pieces, of what is believed of the outlines that they had. Eroded pieces of 8 and 16, seed
# 805: true places have 0.6 to 2.0, but where an outline is not what it was: 9 and more.
FAIR_WORN = 3.0
# Times what corners that are so far off make of it by chance: if more area lacks, a piece is lost. Seed 760:
# of what was wrongly called solved, with moved corners, it was 1.56 to 2.29; of 27 right ones with no piece
# lost one had more than 0.98 (1.65).
LACKING_BY_CHANCE = 1.5
# Of what pieces have on average: a lost one is taken to be no smaller. Not swept.
SMALL_PIECE = 0.25
# Of the size: how far corners of sound pieces are taken to be off beside worn ones, before they are seen to
# lie exactly. Not swept.
SOUND_DOUBT = 2e-3
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
