"""The simulator: whole deals on plain integers, for players that search.

A card is a number, a hand a bit mask. Nothing in here decides what the rules are: they stand in
`service.rummy`, and a test plays whole games through both and compares them move by move. The
modules are plain Python and stay so. Where `deploy/compile_simulator.py` has made extension modules
of these very files, they are used in their place and play some ten times as fast;
`SIMULATOR=plain` in the environment leaves them alone.
"""

import os

from workers.bots.engine.compiled_build import FOLDER, is_compiled

if os.environ.get("SIMULATOR") != "plain" and is_compiled():
    __path__.insert(0, str(FOLDER))
    try:
        import workers.bots.engine.card_bits  # noqa: F401 - one module brings in all that was compiled
    except ImportError:
        # Made for another machine, or half copied: the plain modules do the same.
        __path__.remove(str(FOLDER))
