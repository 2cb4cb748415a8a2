// A bot that plays Rummy 500. Copy it and write your own `choose`; it needs Node 20 and nothing else.
//
//     node bot.mjs http://127.0.0.1:8000 '{"opponents": [{"level": "steady"}]}'
//
// Its token is kept in bot.token. Started again, it goes on with the game that it was in.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const LIKED = ["meld", "lay_off", "draw_stock", "discard", "next_deal"];
const WORTH = { A: 15, T: 10, J: 10, Q: 10, K: 10, X: 15 };

/** Return the move to make: lay what can be laid, else draw, else throw the dearest card. */
function choose(view, moves) {
  const kind = LIKED.find((kind) => moves.some((move) => move.type === kind)) ?? moves[0].type;
  const liked = moves.filter((move) => move.type === kind);
  return liked.reduce((best, move) => (worth(move) > worth(best) ? move : best));
}

function worth({ body }) {
  const cards = body.cards ?? [body.card ?? "-"];
  return cards.reduce((sum, card) => sum + (WORTH[card[0]] ?? 5), 0);
}

/** The service said no, and would again: its problem has a `code` for programs and a `detail` for you. */
class Refused extends Error {
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

const [url, table] = [process.argv[2].replace(/\/$/, ""), JSON.parse(process.argv[3])];
const always = { "Content-Type": "application/json" };

/** Send a request until it is answered. Return the answer, or null for 304: nothing new. */
async function call(method, path, body, headers = {}) {
  // One key for all tries: what was done already is not done again, its answer is sent again.
  const key = method === "POST" ? { "Idempotency-Key": crypto.randomUUID() } : {};
  const sent = { method, headers: { ...always, ...key, ...headers }, body: body && JSON.stringify(body) };
  for (let tried = 0; tried < 12; tried += 1) {
    let wait = 0;
    try {
      const answer = await fetch(url + path, { ...sent, signal: AbortSignal.timeout(60_000) });
      if (answer.status === 304) return null;
      if (answer.ok) return await answer.json();
      wait = 1000 * Number(answer.headers.get("Retry-After") ?? 0);
      const ours = answer.headers.get("Content-Type")?.startsWith("application/problem+json");
      const problem = ours ? await answer.json() : { detail: await answer.text() };
      const busy = [408, 429].includes(answer.status) || answer.status >= 500;
      if (!busy && problem.code !== "idempotency_in_progress") throw new Refused(problem);
    } catch (error) {
      if (error instanceof Refused) throw error;
      // No answer, or half of one: nobody knows whether it was done.
    }
    await sleep(wait + 100 + Math.random() * Math.min(30_000, 500 * 2 ** tried));
  }
  throw new Error(`${method} ${path} was not answered.`);
}

/** Return the game that was left, or a new one. */
async function sitDown() {
  for (const status of ["playing", "deal_over"]) {
    const { games } = await call("GET", `/v1/me/games?status=${status}&sandbox=${table.sandbox ?? false}`);
    if (games.length > 0) return call("GET", `/v1/games/${games[0].id}`);
  }
  return call("POST", "/v1/games", table);
}

/** Play to the end of the game and return how it ended. */
async function play(view) {
  while (view.status !== "finished" && view.status !== "aborted") {
    const [game, tag] = [`/v1/games/${view.id}`, `"${view.version}"`];
    if (!view.turn?.may_act.includes(view.viewer.seat)) {
      // The version is the cursor: this is answered as soon as there is a newer one.
      view = (await call("GET", `${game}?wait_ms=25000`, undefined, { "If-None-Match": tag })) ?? view;
      continue;
    }
    const move = choose(view, (await call("GET", `${game}/legal-moves`)).moves);
    try {
      view = (await call(move.method, move.path, move.body, { "If-Match": tag })).game;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      console.error(error.message); // Nothing was changed, but perhaps by others: look again.
      view = await call("GET", game);
    }
  }
  return { id: view.id, status: view.status, reason: view.reason, winners: view.winners };
}

if (!existsSync("bot.token")) {
  const newcomer = await call("POST", "/v1/players", { name: "Example", kind: "bot" });
  writeFileSync("bot.token", newcomer.token, { mode: 0o600 });
}
always.Authorization = `Bearer ${readFileSync("bot.token", "utf8")}`;
console.log(JSON.stringify(await play(await sitDown())));
