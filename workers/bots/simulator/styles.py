"""The styles in use: other programs' as their rules say, and our own as it was trained.

`weights.json` is what `python -m workers.bots.training` found.
"""

import json
from pathlib import Path
from typing import Final

from workers.bots.simulator.policies import DEEPEST, SHALLOWEST, WEIGHED, style

#: As `srs` of the arena: deepest take, a random card without a link.
SRS: Final = style(DEEPEST, {"any_link": -1}, blind=True)
#: As `srs-d`: deepest take, discards weighed.
SRS_D: Final = style(DEEPEST, {"value": 0.5, "own": -4, "pile": -4, "fits": -8, "luck": 0.01})
#: As `strategic`: the first take that melds, the dearest card that is safe.
STRATEGIC: Final = style(SHALLOWEST, {"value": 1, "beside": -100, "twice": -100, "luck": 0.01})
#: As `greedy`: the first take that melds, lays nothing off, throws blindly.
GREEDY: Final = style(SHALLOWEST, {}, lays_off=False, blind=True)

#: Trained to score against the others and against itself.
OWN: Final = style(WEIGHED, json.loads(Path(__file__).with_name("weights.json").read_text(encoding="utf-8")))


#: Opponents to reckon with, each as often as it stands here.
MIX: Final = (SRS_D, SRS_D, SRS_D, SRS, SRS, SRS, OWN, OWN, OWN, STRATEGIC)
