"""Pieces between straight edges and arcs of circles, such as sectors of a disc and rose windows."""
