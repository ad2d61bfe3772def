"""Assembly from stretches of outline: pieces with jagged, curved and worn edges, with a target or without."""

from sherd.solvers.contours.assembling import assemble_contours
from sherd.solvers.contours.groups import FoundGroup, FoundJoint, Groups
from sherd.solvers.contours.params import ContoursParams

__all__ = ["ContoursParams", "FoundGroup", "FoundJoint", "Groups", "assemble_contours"]
