"""Every operation: the scope it needs, the game it is requested in, and how each kind of caller is answered.

An operation that is missing here fails tests: adding one means to declare who may call it. An answer is a
status, with the problem's code where there is one.
"""

READ, PLAY, TOKENS, WEBHOOKS = "games:read", "games:play", "tokens:write", "webhooks:write"
WAITING, PLAYING, OVER, ANYWHERE = "waiting", "playing", "over", "anywhere"
GAME = "/v1/games/{game_id}"

#: A stranger does not learn that the game exists; a spectator gets the reason why they may not move.
HIDDEN = "404 not_found"
WATCHES = "403 not_seated"
NOT_YET, TOO_EARLY, OFF = "409 not_your_turn", "409 wrong_phase", "409 option_off"

#: Operations that need no token, each with its request and answer.
OPEN = {
    "getHealth": ("GET /healthz", "200"),
    "getReadiness": ("GET /readyz", "200"),
    "getMeta": ("GET /v1/meta", "200"),
    "getProblem": ("GET /problems/not_found", "200"),
    "getRules": ("GET /v1/rules/classic", "200"),
    "getRulesText": ("GET /v1/rules/classic.md", "200"),
    "getRuleBook": ("GET /v1/rule-book.md", "200"),
    "getRuleSheetPdf": ("GET /v1/rules/classic/sheet.pdf", "200"),
    "getEmptyScoreSheetPdf": ("GET /v1/rules/classic/score-sheet.pdf", "200"),
    "getScoreSheetPdf": ("GET /v1/score-sheets/s00x/sheet.pdf", "404 not_found"),
    "createPlayer": ("POST /v1/players", "201"),
    "claimDeviceLink": ("POST /v1/device-links/claim", "404 not_found"),
    "claimRecoveryCode": ("POST /v1/recovery-codes/claim", "404 not_found"),
    "getScoreSheet": ("GET /v1/score-sheets/s00x", "404 not_found"),
}

#: Operations for which a token is optional: the scope that one needs, the request, and its answer. A score
#: sheet is open to all who know its link.
OPTIONAL = {
    "createScoreSheet": (PLAY, "POST /v1/score-sheets", "201"),
    "recordDeal": (PLAY, "POST /v1/score-sheets/s00x/deals", "404 not_found"),
    "amendDeal": (PLAY, "PUT /v1/score-sheets/s00x/deals/1", "404 not_found"),
    "undoDeal": (PLAY, "POST /v1/score-sheets/s00x/undo", "404 not_found"),
}

#: operation: its scope, the game, the request, and the answers to the game's creator, the player on the other
#: seat, a spectator and a stranger.
GUARDED = {
    # The caller's own account.
    "getMe": (READ, ANYWHERE, "GET /v1/me", "200", "200", "200", "200"),
    "updateMe": (PLAY, ANYWHERE, "PATCH /v1/me", "200", "200", "200", "200"),
    "deleteMe": (TOKENS, ANYWHERE, "DELETE /v1/me", "204", "204", "204", "204"),
    "listMyGames": (READ, ANYWHERE, "GET /v1/me/games", "200", "200", "200", "200"),
    "listTokens": (READ, ANYWHERE, "GET /v1/tokens", "200", "200", "200", "200"),
    "createToken": (TOKENS, ANYWHERE, "POST /v1/tokens", "201", "201", "201", "201"),
    "revokeToken": (TOKENS, ANYWHERE, "DELETE /v1/tokens/{token_id}", "204", HIDDEN, HIDDEN, HIDDEN),
    "createDeviceLink": (TOKENS, ANYWHERE, "POST /v1/device-links", "201", "201", "201", "201"),
    "createRecoveryCode": (TOKENS, ANYWHERE, "POST /v1/me/recovery-code", "201", "201", "201", "201"),
    "createStreamTicket": (READ, ANYWHERE, "POST /v1/stream-tickets", "201", "201", "201", "201"),
    "streamMyEvents": (READ, ANYWHERE, "GET /v1/me/stream", "200", "200", "200", "200"),
    "listWebhooks": (WEBHOOKS, ANYWHERE, "GET /v1/webhooks", "200", "200", "200", "200"),
    "createWebhook": (WEBHOOKS, ANYWHERE, "POST /v1/webhooks", "201", "201", "201", "201"),
    "deleteWebhook": (WEBHOOKS, ANYWHERE, "DELETE /v1/webhooks/{webhook_id}", "204", HIDDEN, HIDDEN, HIDDEN),
    "testWebhook": (WEBHOOKS, ANYWHERE, "POST /v1/webhooks/{webhook_id}/test", "202", HIDDEN, HIDDEN, HIDDEN),
    "listBlocks": (READ, ANYWHERE, "GET /v1/me/blocks", "200", "200", "200", "200"),
    "blockPlayer": (PLAY, ANYWHERE, "PUT /v1/me/blocks/{other_id}", "200", "200", "200", "200"),
    "unblockPlayer": (PLAY, ANYWHERE, "DELETE /v1/me/blocks/p0", HIDDEN, HIDDEN, HIDDEN, HIDDEN),
    "reportPlayer": (PLAY, ANYWHERE, "POST /v1/players/{other_id}/reports", "201", "201", "201", "201"),
    "exportMe": (TOKENS, ANYWHERE, "GET /v1/me/export", "200", "200", "200", "200"),
    # The lobby.
    "createGame": (PLAY, ANYWHERE, "POST /v1/games", "201", "201", "201", "201"),
    "listGames": (READ, ANYWHERE, "GET /v1/games", "200", "200", "200", "200"),
    "createSeek": (PLAY, ANYWHERE, "POST /v1/seeks", "201", "201", "201", "201"),
    "renewSeek": (PLAY, ANYWHERE, "PUT /v1/seeks/{seek_id}", "200", HIDDEN, HIDDEN, HIDDEN),
    "cancelSeek": (PLAY, ANYWHERE, "DELETE /v1/seeks/{seek_id}", "204", HIDDEN, HIDDEN, HIDDEN),
    "getPlayer": (READ, ANYWHERE, "GET /v1/players/{player_id}", "200", "200", "200", "200"),
    "getLeaderboard": (READ, ANYWHERE, "GET /v1/leaderboards/people", "200", "200", "200", "200"),
    # A table that waits for players.
    "joinGame": (PLAY, WAITING, f"POST {GAME}/seats", "409 seat_taken", "409 seat_taken", "201", HIDDEN),
    "leaveGame": (PLAY, WAITING, f"DELETE {GAME}/seats/me", "204", "204", WATCHES, HIDDEN),
    "seatComputer": (
        PLAY,
        WAITING,
        f"PUT {GAME}/seats/2/computer",
        "200",
        "403 not_creator",
        WATCHES,
        HIDDEN,
    ),
    "setAutoPass": (PLAY, PLAYING, f"PUT {GAME}/seats/me/auto-pass", "200", "200", WATCHES, HIDDEN),
    "sendReaction": (PLAY, PLAYING, f"POST {GAME}/reactions", "204", "204", WATCHES, HIDDEN),
    "startGame": (PLAY, WAITING, f"POST {GAME}/start", "409 seats_empty", "403 not_creator", WATCHES, HIDDEN),
    "abortGame": (PLAY, WAITING, f"POST {GAME}/abort", "200", "403 not_creator", WATCHES, HIDDEN),
    "renewInviteCodes": (
        PLAY,
        WAITING,
        f"POST {GAME}/invite-codes",
        "200",
        "403 not_creator",
        WATCHES,
        HIDDEN,
    ),
    # Reading a game.
    "getGame": (READ, PLAYING, f"GET {GAME}", "200", "200", "200", HIDDEN),
    "getGameRules": (READ, PLAYING, f"GET {GAME}/rules", "200", "200", "200", HIDDEN),
    "listLegalMoves": (READ, PLAYING, f"GET {GAME}/legal-moves", "200", "200", WATCHES, HIDDEN),
    "listEvents": (READ, PLAYING, f"GET {GAME}/events", "200", "200", "200", HIDDEN),
    "streamGame": (READ, PLAYING, f"GET {GAME}/stream", "200", "200", "200", HIDDEN),
    "streamGameNdjson": (READ, PLAYING, f"GET {GAME}/stream.ndjson", "200", "200", "200", HIDDEN),
    "getReplay": (READ, PLAYING, f"GET {GAME}/replay", "200", "200", "200", HIDDEN),
    "getReplayText": (READ, PLAYING, f"GET {GAME}/replay.txt", "200", "200", "200", HIDDEN),
    "getDealProof": (READ, PLAYING, f"GET {GAME}/deals/1/proof", "200", "200", "200", HIDDEN),
    # Advice, on the creator's turn; a job is visible to the player who requested it only.
    "requestHint": (PLAY, PLAYING, f"POST {GAME}/hints", "202", NOT_YET, WATCHES, HIDDEN),
    "getJob": (READ, PLAYING, "GET /v1/jobs/{job_id}", "200", HIDDEN, HIDDEN, HIDDEN),
    # Moves, where it is the creator's turn to draw.
    "drawStock": (PLAY, PLAYING, f"POST {GAME}/draw-stock", "201", NOT_YET, WATCHES, HIDDEN),
    "takeDiscard": (PLAY, PLAYING, f"POST {GAME}/take-discard", "201", NOT_YET, WATCHES, HIDDEN),
    "layMeld": (PLAY, PLAYING, f"POST {GAME}/melds", "409 draw_first", NOT_YET, WATCHES, HIDDEN),
    "layOff": (PLAY, PLAYING, f"POST {GAME}/lay-offs", "409 draw_first", NOT_YET, WATCHES, HIDDEN),
    "discardCard": (PLAY, PLAYING, f"POST {GAME}/discard", "409 draw_first", NOT_YET, WATCHES, HIDDEN),
    "passDraw": (PLAY, PLAYING, f"POST {GAME}/pass", "409 stock_not_empty", NOT_YET, WATCHES, HIDDEN),
    "keepCard": (PLAY, PLAYING, f"POST {GAME}/keep", OFF, OFF, WATCHES, HIDDEN),
    "callRummy": (PLAY, PLAYING, f"POST {GAME}/rummy-calls", OFF, OFF, WATCHES, HIDDEN),
    "playTurn": (PLAY, PLAYING, f"POST {GAME}/turns", "201", NOT_YET, WATCHES, HIDDEN),
    "readyForNextDeal": (
        PLAY,
        PLAYING,
        f"POST {GAME}/next-deal",
        TOO_EARLY,
        TOO_EARLY,
        WATCHES,
        HIDDEN,
    ),
    "resignGame": (PLAY, PLAYING, f"POST {GAME}/resignation", "201", "201", WATCHES, HIDDEN),
    # After the game.
    "requestReview": (PLAY, OVER, f"POST {GAME}/review", "202", "202", WATCHES, HIDDEN),
    "getReview": (READ, OVER, f"GET {GAME}/review", "404 not_found", "404 not_found", WATCHES, HIDDEN),
    "rematchGame": (PLAY, OVER, f"POST {GAME}/rematch", "201", "201", WATCHES, HIDDEN),
}

#: The scope of every operation; None for those that need no token.
SCOPE_OF = {**dict.fromkeys([*OPEN, *OPTIONAL]), **{name: row[0] for name, row in GUARDED.items()}}
