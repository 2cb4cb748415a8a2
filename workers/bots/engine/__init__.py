"""The fast engine: whole deals on plain integers, for bots that search.

A card is an integer, a hand a bit mask. The rules are those of `service.rummy`; a test plays whole games
in both and compares them move by move. The modules are plain Python. If `deploy/compile_simulator.py` has
compiled these same files to extension modules, those are imported instead and are about ten times as fast.
`SIMULATOR=plain` in the environment turns that off.
"""

import os

from workers.bots.engine.compiled_build import FOLDER, is_compiled

if os.environ.get("SIMULATOR") != "plain" and is_compiled():
    __path__.insert(0, str(FOLDER))
    try:
        import workers.bots.engine.card_bits  # noqa: F401 - one module loads the whole compiled group
    except ImportError:
        # Built for another machine, or copied in part: the plain modules do the same.
        __path__.remove(str(FOLDER))
