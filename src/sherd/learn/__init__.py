"""The networks: what they are, how they are trained and kept. Torch lives here alone, and is an extra."""

from __future__ import annotations

from importlib.util import find_spec

from sherd.core.errors import UnsupportedError

# What the extra `learn` installs; none of it is loaded here.
PACKAGES = ("torch", "safetensors", "tensorboard")

_missing = [name for name in PACKAGES if find_spec(name) is None]
if _missing:
    _named = " and ".join(filter(None, (", ".join(_missing[:-1]), _missing[-1])))
    raise UnsupportedError(f"the networks need {_named}, not installed here: pip install 'sherd[learn]'")
