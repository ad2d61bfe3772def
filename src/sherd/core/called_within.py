"""Compiled functions that are called by compiled functions: no machine code of their own is made for that.

Numba makes machine code of every function and signature that it meets, with a door for Python, and optimises
all that a function calls again with the function. Here what is called is handed on as it was translated, and
optimised once, with the function that Python calls, which takes half of the time.
"""

from __future__ import annotations

from typing import Any, cast

import numba
from numba import _dynfunc  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
from numba.core import compiler_machinery, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder, Flags
from numba.core.typed_passes import NativeLowering

_make_function = cast(Any, _dynfunc).make_function
_register = cast(Any, compiler_machinery).register_pass(mutates_CFG=True, analysis_only=False)


def callable_by_compiled(dispatcher: Any) -> None:
    """Let compiled functions call this one as a translation of its own, the same for all numbers of a kind.

    Numba would make one for each constant that it is called with.
    """
    translated: Any = numba.njit(pipeline_class=Translation)(dispatcher.py_func)

    without_constant = cast(Any, types).unliteral

    def get_call_template(args: Any, kws: Any) -> Any:
        return translated.get_call_template(
            tuple([without_constant(one) for one in args]),
            {name: without_constant(one) for name, one in kws.items()},
        )

    dispatcher.get_call_template = get_call_template
    dispatcher.get_overload = translated.get_overload


class _Translated(JITCodeLibrary):
    """Code that others will be linked with, neither optimised nor ready to be run by itself."""

    def finalize(self) -> None:
        libraries: list[Any] = self._linking_libraries
        for library in dict.fromkeys(libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


@_register
class _Compilation(NativeLowering):
    """Numba's last step, without a door for C."""

    _name = "sherd_compilation"

    def run_pass(self, state: Any) -> Any:
        state.flags.no_cfunc_wrapper = True
        return super().run_pass(state)


@_register
class _Translation(NativeLowering):
    """Numba's last step, without machine code."""

    _name = "sherd_translation"

    def run_pass(self, state: Any) -> Any:
        library: Any = _Translated(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library = library
        state.flags.no_cfunc_wrapper = state.flags.no_cpython_wrapper = state.flags.no_compile = True
        changed = super().run_pass(state)
        lowered = state["cr"]
        # Numba knows a function by what Python would call; this is never called.
        name = lowered.fndesc.qualname.split(".")[-1]
        module = lowered.fndesc.lookup_module()
        known_as = _make_function(module, name, "", 0, lowered.env, (library,))
        state["cr"] = lowered._replace(cfunc=known_as)
        state.targetctx.insert_user_function(known_as, lowered.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        return changed


class _Flags(Flags):
    """Numba's settings of a compilation, which it compares with each other ten thousands of times."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and _settings(self) == _settings(other)

    def __hash__(self) -> int:
        return _HASH_OF_FLAGS


_HASH_OF_FLAGS = hash(Flags())  # numba's is one of the names of all settings, whatever they are set to


def _settings(flags: Any) -> dict[str, Any]:
    """What is set otherwise than by default."""
    return {name: value for name, value in flags._values.items() if value != flags.options[name].default}


class Compilation(Compiler):
    """Numba's steps for a function, the last one exchanged."""

    lowering: type[NativeLowering] = _Compilation

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, returned: Any, flags: Any, locals: Any
    ) -> None:
        super().__init__(typing, target, library, args, returned, _Flags(flags), locals)

    def define_pipelines(self) -> list[Any]:
        steps: Any = DefaultPassBuilder.define_nopython_pipeline(self.state)
        steps.passes = [
            (self.lowering, words) if step is NativeLowering else (step, words)
            for step, words in steps.passes
        ]
        steps._finalized = False
        steps.finalize()
        return [steps]


class Translation(Compilation):
    """The steps for a function that compiled functions call."""

    lowering = _Translation
