"""Every tuned number of the search in one place: its unit, what it does, and what it was tuned on.

"Of the size" means as a share of the target's size, which is the longer side of its bounding box. Where
a number was tried against others, the suites and seeds are named; all seeds are below 1,000, and
experiments/LOG.md has the figures. "Not swept" means that the first sensible value was kept. Which
attempts are made, and at which tolerances, is the table in `ladder`. Numbers that say how far rounding
goes stay beside their formulas.
"""
