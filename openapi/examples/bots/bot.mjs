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

/** The service refuses the request, and would again: `code` is for programs, `detail` for people. */
class Refused extends Error {
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

const [url, table] = [process.argv[2].replace(/\/$/, ""), JSON.parse(process.argv[3])];
const always = { "Content-Type": "application/json" };

/** Send a request until it is answered, and return the answer. */
async function call(method, path, body, headers = {}) {
  // One key for all tries: what was done already is not done again, its answer is sent again.
  const key = method === "POST" ? { "Idempotency-Key": crypto.randomUUID() } : {};
  const sent = { method, headers: { ...always, ...key, ...headers }, body: body && JSON.stringify(body) };
  for (let tried = 0; tried < 12; tried += 1) {
    let wait = 0;
    try {
      const answer = await fetch(url + path, { ...sent, signal: AbortSignal.timeout(60_000) });
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
  const { games } = await call("GET", `/v1/me/games?sandbox=${table.sandbox ?? false}`);
  const left = games.find(({ status }) => status === "playing" || status === "deal_over");
  return left ?? (await call("POST", "/v1/games", table));
}

/** Yield the lines of a stream; end when nothing came for 45 seconds. */
async function* linesOf(path) {
  const silence = new AbortController();
  let [timer, rest] = [setTimeout(() => silence.abort(), 45_000), ""];
  try {
    const answer = await fetch(url + path, { headers: always, signal: silence.signal });
    if (!answer.ok) return;
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      timer.refresh();
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      yield* lines.filter(Boolean);
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Yield the game now and after each change, with the legal moves: from a stream, or by a look. */
async function* follow(game) {
  for (;;) {
    try {
      for await (const line of linesOf(`${game}/stream.ndjson?include=game,legal_moves`)) {
        const frame = JSON.parse(line);
        if (frame.type === "snapshot") yield frame.game;
      }
    } catch {
      // No stream, a broken one or a silent one: go on with the game as it is.
    }
    await sleep(1000);
    yield call("GET", `${game}?include=legal_moves`);
  }
}

/** Play to the end of the game and return how it ended. */
async function play({ id }) {
  let seen = 0;
  for await (let view of follow(`/v1/games/${id}`)) {
    while (view.version > seen && view.legal_moves.length > 0) {
      seen = view.version;
      const move = choose(view, view.legal_moves);
      const match = { "If-Match": `"${seen}"` };
      try {
        view = (await call(move.method, `${move.path}?include=legal_moves`, move.body, match)).game;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        console.error(error.message); // Nothing was changed, but perhaps by others: look again.
        [view, seen] = [await call("GET", `/v1/games/${id}?include=legal_moves`), 0];
      }
    }
    if (view.status === "finished" || view.status === "aborted") {
      return { id: view.id, status: view.status, reason: view.reason, winners: view.winners };
    }
  }
}

if (!existsSync("bot.token")) {
  const newcomer = await call("POST", "/v1/players", { name: "Example", kind: "bot" });
  writeFileSync("bot.token", newcomer.token, { mode: 0o600 });
}
always.Authorization = `Bearer ${readFileSync("bot.token", "utf8")}`;
console.log(JSON.stringify(await play(await sitDown())));
