// Play a sandbox game to its end with the types that openapi-typescript makes of the document; openapi-fetch
// sends what they allow.
//
//     node typescript_types_bot.js http://127.0.0.1:8000
import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "./schema.js";

type GameView = components["schemas"]["GameView"];
type LegalMove = components["schemas"]["LegalMove"];
type MoveAnswer = components["schemas"]["MoveAnswer"];

// What this bot likes best comes first.
const LIKED: readonly LegalMove["type"][] = [
  "meld", "lay_off", "draw_stock", "discard", "next_deal", "keep", "pass", "take_discard", "call_rummy",
];

/** Return what an operation answered; its problem becomes an error. */
function told<T>(answer: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

async function made(client: Client<paths>, view: GameView, move: LegalMove): Promise<MoveAnswer> {
  const params = {
    path: { game_id: view.id },
    header: { "If-Match": `"${view.version}"`, "Idempotency-Key": crypto.randomUUID() },
  };
  switch (move.type) {
    case "draw_stock":
      return told(await client.POST("/v1/games/{game_id}/draw-stock", { params, body: move.body }));
    case "take_discard":
      return told(await client.POST("/v1/games/{game_id}/take-discard", { params, body: move.body }));
    case "meld":
      return told(await client.POST("/v1/games/{game_id}/melds", { params, body: move.body }));
    case "lay_off":
      return told(await client.POST("/v1/games/{game_id}/lay-offs", { params, body: move.body }));
    case "discard":
      return told(await client.POST("/v1/games/{game_id}/discard", { params, body: move.body }));
    case "pass":
      return told(await client.POST("/v1/games/{game_id}/pass", { params, body: move.body }));
    case "keep":
      return told(await client.POST("/v1/games/{game_id}/keep", { params, body: move.body }));
    case "call_rummy":
      return told(await client.POST("/v1/games/{game_id}/rummy-calls", { params, body: move.body }));
    case "next_deal":
      return told(await client.POST("/v1/games/{game_id}/next-deal", { params, body: move.body }));
  }
}

async function main(url: string): Promise<void> {
  const guest = createClient<paths>({ baseUrl: url });
  const newcomer = told(await guest.POST("/v1/players", { body: { name: "Ty", kind: "bot" } }));
  const client = createClient<paths>({
    baseUrl: url,
    headers: { Authorization: `Bearer ${newcomer.token}` },
  });
  let view: GameView = told(
    await client.POST("/v1/games", {
      params: { header: { "Idempotency-Key": crypto.randomUUID() } },
      body: {
        variant: { preset: "classic", overrides: { deals: 2 } },
        opponents: [{ level: "steady" }],
        sandbox: true,
        seed: "generated",
      },
    }),
  );
  let moves = 0;
  while (view.status !== "finished" && view.status !== "aborted") {
    const path = { game_id: view.id };
    if (view.viewer.seat === null || !view.turn?.may_act.includes(view.viewer.seat)) {
      const news = await client.GET("/v1/games/{game_id}", {
        params: { path, query: { wait_ms: 5000 }, header: { "If-None-Match": `"${view.version}"` } },
      });
      view = news.response.status === 304 ? view : told(news);
      continue;
    }
    const legal = told(await client.GET("/v1/games/{game_id}/legal-moves", { params: { path } }));
    const rank = (move: LegalMove): number => LIKED.indexOf(move.type);
    const move = legal.moves.reduce((best, other) => (rank(other) < rank(best) ? other : best));
    const answer = await made(client, view, move);
    if (!("game" in answer)) throw new Error("a move was answered with a verdict");
    view = answer.game;
    moves += 1;
  }
  console.log(JSON.stringify({ id: view.id, status: view.status, reason: view.reason, moves }));
}

await main(process.argv[2]!);
