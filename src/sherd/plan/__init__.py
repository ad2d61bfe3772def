"""From an answer to a plan that one can build from: order, contacts, gaps, and how sure each place is.

`sherd.plan.files.export` writes it into a folder, and `sherd.plan.pages` draws its pages.
"""

from __future__ import annotations

from sherd.core.hold import Band, Hold
from sherd.layout.gaps import Gap, find_gaps
from sherd.layout.layout import DrawnPiece, Layout, lay_out
from sherd.layout.order import Step
from sherd.plan.plan import Plan, make_plan, plan_result

__all__ = [
    "Band",
    "DrawnPiece",
    "Gap",
    "Hold",
    "Layout",
    "Plan",
    "Step",
    "find_gaps",
    "lay_out",
    "make_plan",
    "plan_result",
]
