"""Assembly from stretches of outline: pieces with jagged, curved and worn edges, with a target or without."""

from sherd.solvers.contours.assemble import assemble_contours
from sherd.solvers.contours.groups import Group, Groups, Joint
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.solver import ContoursSolver

__all__ = ["ContoursParams", "ContoursSolver", "Group", "Groups", "Joint", "assemble_contours"]
