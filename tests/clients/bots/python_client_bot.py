"""Play a sandbox game to its end with what openapi-python-client makes of the document.

python python_client_bot.py http://127.0.0.1:8000
"""

import json
import sys
from uuid import uuid4

from rummy500_client import AuthenticatedClient, Client
from rummy500_client.api.games import create_game, get_game
from rummy500_client.api.legal_moves import list_legal_moves
from rummy500_client.api.moves import (
    call_rummy,
    discard_card,
    draw_stock,
    keep_card,
    lay_meld,
    lay_off,
    pass_draw,
    ready_for_next_deal,
    take_discard,
)
from rummy500_client.api.players import create_player
from rummy500_client.models import (
    GameStatus,
    LegalCallRummy,
    LegalDiscard,
    LegalDrawStock,
    LegalKeep,
    LegalLayOff,
    LegalMeld,
    LegalNextDeal,
    LegalPass,
    LegalTakeDiscard,
    LevelName,
    MoveMade,
    NewGame,
    NewPlayer,
    NewVariant,
    Opponent,
    Overrides,
    PlayerKind,
    PresetName,
)

SECONDS = 60.0
#: The operation that each kind of legal move is posted to, the kind this bot likes best first.
METHODS = {
    LegalMeld: lay_meld,
    LegalLayOff: lay_off,
    LegalDrawStock: draw_stock,
    LegalDiscard: discard_card,
    LegalNextDeal: ready_for_next_deal,
    LegalKeep: keep_card,
    LegalPass: pass_draw,
    LegalTakeDiscard: take_discard,
    LegalCallRummy: call_rummy,
}


def main(url):
    with Client(base_url=url, timeout=SECONDS) as guest:
        newcomer = create_player.sync(client=guest, body=NewPlayer(name="Py", kind=PlayerKind.BOT))
    with AuthenticatedClient(base_url=url, token=newcomer.token, timeout=SECONDS) as client:
        print(json.dumps(play(client)))


def play(client):
    table = NewGame(
        variant=NewVariant(preset=PresetName.CLASSIC, overrides=Overrides(deals=2)),
        opponents=[Opponent(level=LevelName.STEADY)],
        sandbox=True,
        seed="generated",
    )
    view, moves = create_game.sync(client=client, body=table, idempotency_key=str(uuid4())), 0
    while view.status not in {GameStatus.FINISHED, GameStatus.ABORTED}:
        if view.turn is None or view.viewer.seat not in view.turn.may_act:
            tag = f'"{view.version}"'
            view = get_game.sync(view.id, client=client, if_none_match=tag, wait_ms=5000) or view
            continue
        legal = list_legal_moves.sync(view.id, client=client).moves
        move = min(legal, key=lambda one: list(METHODS).index(type(one)))
        made = METHODS[type(move)].sync(
            view.id,
            client=client,
            body=move.body,
            if_match=f'"{view.version}"',
            idempotency_key=str(uuid4()),
        )
        assert isinstance(made, MoveMade), made
        assert made.version == made.game.version > view.version
        view, moves = made.game, moves + 1
    return {"id": view.id, "status": view.status, "reason": view.reason, "moves": moves}


if __name__ == "__main__":
    main(sys.argv[1])
