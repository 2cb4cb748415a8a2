"""How long the laws are tried: `HYPOTHESIS_PROFILE` names one of these profiles.

default    what `make test` runs: the same examples every time, so that a red build is about the change
thorough   new examples on every run, twenty-five times as many; hours, for a change of the rules
quick      a handful; while the rules are being changed
mutants    hardly any; for the tool that tries hundreds of mutants of the rules
"""

import os

from hypothesis import HealthCheck, Phase, settings

_COMMON = {
    # A game takes as long as it takes; only the suite as a whole is held to a time.
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    "print_blob": True,
    "report_multiple_bugs": False,
    # Not explained, for that plays a failing game hundreds of times more.
    "phases": [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
}
settings.register_profile("default", max_examples=60, stateful_step_count=30, derandomize=True, **_COMMON)
settings.register_profile("thorough", max_examples=1500, stateful_step_count=60, **_COMMON)
settings.register_profile("quick", max_examples=15, stateful_step_count=30, derandomize=True, **_COMMON)
settings.register_profile("mutants", max_examples=8, stateful_step_count=20, derandomize=True, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
