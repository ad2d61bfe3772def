from dataclasses import dataclass


@dataclass(frozen=True)
class Texture:
    pass
