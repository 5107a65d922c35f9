"""Several things beside each other, each in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

Result = TypeVar("Result")


def in_threads(tries: Sequence[Callable[[], Result]], at_a_time: int) -> list[Result]:
    """Their results in order; the first error ends the waiting, and the end of the run the containers."""
    pool = ThreadPoolExecutor(at_a_time, thread_name_prefix="verify")
    futures = [pool.submit(one) for one in tries]
    try:
        wait(futures, return_when=FIRST_EXCEPTION)
        found = [future.result() for future in futures if future.done()]
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()
    return found
