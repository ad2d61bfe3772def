"""From an answer to a plan that one can build from: order, contacts, gaps, and how sure each place is.

`sherd.plan.files.export` writes it into a folder, and `sherd.plan.pages` draws its pages.
"""

from __future__ import annotations

from sherd.layout.gaps import Gap, find_gaps
from sherd.layout.holding import Band, Hold
from sherd.layout.layout import Layout, Piece, lay_out
from sherd.layout.order import Step
from sherd.plan.plan import Plan, make_plan, plan_result

__all__ = [
    "Band",
    "Gap",
    "Hold",
    "Layout",
    "Piece",
    "Plan",
    "Step",
    "find_gaps",
    "lay_out",
    "make_plan",
    "plan_result",
]
