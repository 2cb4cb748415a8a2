"""The jobs that RQ calls by name: computers' turns, advice, and webhook deliveries.

The name of a job is stored in the queue, so it is a contract between releases: it stays when the
function moves. `resolve_job` maps each name to the function that does the work today.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

#: The name in the queue, and where the function stands now. A name that is no longer enqueued
#: stays for one release, for the jobs that an older process has left behind.
JOB_FUNCTIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "workers.jobs.play_turn": ("workers.jobs.turns", "play_turn"),
        "workers.jobs.think_turn": ("workers.jobs.turns", "think_turn"),
        "workers.advising.advise": ("workers.jobs.hints_and_reviews", "advise"),
        "workers.deliveries.deliver": ("workers.jobs.deliveries", "deliver"),
    }
)


def resolve_job(name: str) -> Callable[..., Any] | None:
    """Return the function of a job; None for a name that no release has enqueued."""
    if name not in JOB_FUNCTIONS:
        return None
    module, function = JOB_FUNCTIONS[name]
    resolved: Callable[..., Any] = getattr(import_module(module), function)
    return resolved
