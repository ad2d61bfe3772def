"""How the contour solver runs. Lengths are in roots of the mean piece area unless said otherwise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ContoursParams:
    """Tuned on broken squares of 8 to 64 pieces, seeds below 1000."""

    spacing: float = 1 / 64  # of outline points
    smoothing: float = 1.6  # along the arc, in tolerances
    window_lengths: tuple[float, ...] = (0.3, 0.6, 1.0)
    telling_length: float = 0.2  # on either side of a point, over which it is told how straight an outline is
    bending_length: float = 0.6  # the same over a longer way, which wavy edges need to tell
    degrees: int = 10  # polynomials a window
    most_windows: int = 24_000  # of all outlines; where they have more, the likest are looked up in a tree
    nearest: int = 16  # that are looked up of a stretch
    nearest_step: float = 13.0  # points from one stretch that is looked up to the next, of a length of 1
    nearest_per_bit: int = 12
    softening: float = 0.45  # tolerances: stretches that differ by less are equally alike
    least_likeness: float = 0.2
    per_pair: int = 150  # candidates a pair and length, at most
    bit_length: float = 0.16  # a bit of outline that chooses its own candidates
    per_bit: int = 20
    tolerances: tuple[float, ...] = (0.003, 0.006, 0.012)  # of contact, that are tried
    pixel_tolerance: float = 0.45  # pixels: what outlines traced from black and white are known to
    traced_weight: float = 1.25  # on the contrast of joints under that guess
    worn_weight: float = 0.85  # and, without a target, that pieces are worn
    rough_tolerances: tuple[float, ...] = (6.0, 4.0, 2.5)  # steps of a first fit, in tolerances
    rough_stride: int = 3  # a first fit takes one point in this many
    fit_tolerances: tuple[float, ...] = (2.0, 1.4, 1.0)  # steps of the fit, in tolerances
    least_worth: float = 0.03
    joints_per_pair: int = 12
    same_shift: float = 0.04
    same_turn: float = 0.05  # radians
    band: float = 0.12  # fields reach so far from outlines
    loop_gap: float = 5.0  # tolerances: how far the ends of a loop of joints may be apart
    loop_turn: float = 7.0  # the same, as radians
    least_loop: float = 0.004  # finer tolerances count as this one there
    loop_share: float = 1.2  # of the lesser joint of a loop that counts for the third
    slack: float = 1.5  # tolerances: how far apart outlines may lie while clusters are not yet at rest
    straight: float = 1.0  # tolerances that a straight stretch may be off its line
    least_edge: float = 0.45  # of a straight stretch between corners: wavy edges have many shorter ones
    corner_joints_per_pair: int = 4
    fused_window_lengths: tuple[float, ...] = (0.5, 1.0, 2.0)  # along the outlines of clusters
    fused_joints: int = 6  # a pair of clusters
    fused_straight: float = 2.5  # tolerances that an edge of several pieces may be off its line
    steps_between_fusing: int = 60  # steps without anything better before clusters are fused
    fused_whole: float = 0.3  # chance that several clusters are fused as they are
    fused_cut: tuple[float, float] = (0.2, 0.8)  # share of bonds, the weakest, that are cut before else
    most_corner_candidates: int = 12_000
    least_merge: float = 0.08  # what two clusters must share to be merged
    most_inside: float = 0.3  # how far two pieces may lie in each other, as length of outline
    emptiness: float = 0.35  # what a unit of area that is empty in the hull of a cluster costs
    rim_worth: float = 0.12  # what a unit of straight edges along that hull is worth
    temperature: float = 0.03  # of the search, as a share of the best worth
    growths: tuple[float, ...] = (0.01, 0.0145, 0.02, 0.04)  # wear that is tried without a target
    compared_tolerance: float = 0.006  # under which arrangements of several guesses are compared
    wear_tolerance: float = 0.6  # of contact between worn edges, in what they are grown by
    least_growth: float = 0.003
    most_growth: float = 0.12
    clear_evidence: float = 3.2  # contrast of joints under the first guess above which it is the only one
    least_contrast: float = 0.7  # of the clearest guess, below which another is not tried
    weighed_share: float = 0.3  # of the time, after which no other guess is weighed before the first search
    closing: float = 0.008  # outlines that touch in a finished assembly are no farther apart
    rank_of_chance: int = 20  # the joint of a piece that stands for chance
    closed: float = 0.97  # mean share of outlines that touch in a finished assembly
    closed_least: float = 0.88  # and of each piece
    joints_per_piece: int = 80
    turn_slack: float = 0.06  # radians: how far a joint's turn may be from an allowed one
    contact_stride: int = 2  # merging takes one point in this many
    patience: int = 40  # steps of a search without anything better before it begins anew
    patience_a_piece: int = 12
    grown_steps: float = 0.1  # share of steps that add pieces one by one instead
    first_patience: float = 0.4  # share of these in the first search under a guess
    last_steps: int = 4  # of least squares on the answer
    least_held: float = 0.13  # of what a piece typically shares: a piece that shares less does not belong
    least_held_parts: float = 0.16  # the same of parts of several pieces
    most_strangers: float = 0.25  # share of pieces that may be strangers to a whole of the others
    stranger_held: float = 0.6  # of what a piece typically shares: a stranger to a whole shares less
