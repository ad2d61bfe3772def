"""joblib's backend for Dask, with word of tasks whose worker died.

joblib's own calls back for outcomes alone: of a task that Dask gave up, since it ended worker after worker,
it would wait for ever to hear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from joblib._dask import DaskDistributedBackend

from sherd.core.errors import UnsupportedError


class DaskBackend(DaskDistributedBackend):
    """Tasks as futures of a client, told of when they are finished, come what may."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._out: set[Any] = set()

    def __reduce__(self) -> tuple[Any, ...]:
        return DaskDistributedBackend, ()  # what a worker makes of it

    def effective_n_jobs(self, n_jobs: int) -> int:
        """How many workers there are, but never one: joblib would do the work of one by itself."""
        return max(2, sum(cast(Any, self.client).ncores().values()))

    def submit(self, func: Any, callback: Callable[[Any], Any] | None = None) -> Any:
        """Hand out a task."""
        # The calls alone: what joblib has wrapped them in cannot be read by the scheduler.
        future: Any = self.client.submit(partial(_do, tuple(func.items)), pure=False)
        self._out.add(future)

        def tell(finished: Any) -> None:
            self._out.discard(finished)
            if callback is not None and not finished.cancelled():
                callback(finished)

        future.add_done_callback(tell)
        return future

    def retrieve_result_callback(self, out: Any) -> Any:
        """The outcome of a finished task, or what it raised."""
        try:
            return out.result()
        except RuntimeError as error:
            if "deserialization" not in str(error):
                raise
            reason = str(error.__cause__ or error).splitlines()[0]
            raise UnsupportedError(f"the scheduler runs other versions: {reason}") from None

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """Forget all that is handed out."""
        self.client.cancel(list(self._out))
        self._out.clear()


def _do(calls: Sequence[tuple[Callable[..., Any], Any, Any]]) -> list[Any]:
    return [function(*positional, **named) for function, positional, named in calls]
