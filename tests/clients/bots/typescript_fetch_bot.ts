// Play a sandbox game to its end with the client that openapi-generator (typescript-fetch) makes of the document.
//
//     node typescript_fetch_bot.js http://127.0.0.1:8000
import {
  Configuration,
  GamesApi,
  type GameView,
  type LegalMove,
  LegalMovesApi,
  type MoveAnswer,
  MovesApi,
  PlayersApi,
} from "./client/index.js";

// What this bot likes best comes first.
const LIKED: readonly LegalMove["type"][] = [
  "meld", "lay_off", "draw_stock", "discard", "next_deal", "keep", "pass", "take_discard", "call_rummy",
];

function made(api: MovesApi, view: GameView, move: LegalMove): Promise<MoveAnswer> {
  const asked = {
    gameId: view.id,
    ifMatch: `"${view.version}"`,
    idempotencyKey: crypto.randomUUID(),
  };
  switch (move.type) {
    case "draw_stock":
      return api.drawStock({ ...asked, body: move.body });
    case "take_discard":
      return api.takeDiscard({ ...asked, takeDiscardBody: move.body });
    case "meld":
      return api.layMeld({ ...asked, layMeldBody: move.body });
    case "lay_off":
      return api.layOff({ ...asked, layOffBody: move.body });
    case "discard":
      return api.discardCard({ ...asked, discardBody: move.body });
    case "pass":
      return api.passDraw({ ...asked, body: move.body });
    case "keep":
      return api.keepCard({ ...asked, body: move.body });
    case "call_rummy":
      return api.callRummy({ ...asked, callRummyBody: move.body });
    case "next_deal":
      return api.readyForNextDeal({ ...asked, body: move.body });
  }
}

/** Wait for a newer version; a 204, nothing new, has no body. */
async function news(api: GamesApi, view: GameView): Promise<GameView> {
  return (await api.getGame({ gameId: view.id, waitMs: 5000, newerThan: view.version })) ?? view;
}

async function main(basePath: string): Promise<void> {
  const newcomer = await new PlayersApi(new Configuration({ basePath })).createPlayer({
    newPlayer: { name: "Ge", kind: "bot" },
  });
  const configuration = new Configuration({ basePath, accessToken: newcomer.token });
  const games = new GamesApi(configuration);
  const legalMoves = new LegalMovesApi(configuration);
  const api = new MovesApi(configuration);
  let view = await games.createGame({
    idempotencyKey: crypto.randomUUID(),
    newGame: {
      variant: { preset: "classic", overrides: { deals: 2 } },
      opponents: [{ level: "steady" }],
      sandbox: true,
      seed: "generated",
    },
  });
  let moves = 0;
  while (view.status !== "finished" && view.status !== "aborted") {
    if (view.viewer.seat === null || !view.turn?.mayAct.includes(view.viewer.seat)) {
      view = await news(games, view);
      continue;
    }
    const legal = await legalMoves.listLegalMoves({ gameId: view.id });
    const rank = (move: LegalMove): number => LIKED.indexOf(move.type);
    const move = legal.moves.reduce((best, other) => (rank(other) < rank(best) ? other : best));
    const answer = await made(api, view, move);
    if (!("game" in answer) || !answer.game) throw new Error("a move was answered with a verdict");
    view = answer.game;
    moves += 1;
  }
  console.log(JSON.stringify({ id: view.id, status: view.status, reason: view.reason, moves }));
}

await main(process.argv[2]!);
