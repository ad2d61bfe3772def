"""Assembly from stretches of outline: pieces with jagged, curved and worn edges, with a target or without."""

from sherd.solvers.contours.assemble import assemble_contours
from sherd.solvers.contours.groups import Group, Groups, Joint
from sherd.solvers.contours.params import ContoursParams

__all__ = ["ContoursParams", "Group", "Groups", "Joint", "assemble_contours"]
