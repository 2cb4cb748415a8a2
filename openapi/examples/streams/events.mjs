// A reader of server-sent events that comes back by itself. It needs Node 20, or a browser, and nothing else.
//
//     node events.mjs http://127.0.0.1:8000/v1/me/stream "$token"
//
// prints each event as a line of JSON. In a program: `for await (const event of events(url, token)) ...`.

const SILENCE_MS = 45_000; // A live stream sends something every 15 seconds.
const NO_RETURN = ["token_revoked", "access_lost", "replaced"];

/** Yield the lines of a stream, each without its end. */
async function* linesOf(body, onBytes) {
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    onBytes();
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    yield* lines;
  }
}

/**
 * Yield the `data` of each event, in order and without gaps; `after` is the id to go on after.
 *
 * Ends when the service says that it makes no sense to come back, and throws the problem of a refusal.
 */
export async function* events(url, token, after = null) {
  for (;;) {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const onBytes = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    const headers = { Authorization: `Bearer ${token}`, ...(after && { "Last-Event-ID": after }) };
    let refusal = null;
    try {
      const answer = await fetch(url, { headers, signal: silence.signal });
      if (!answer.ok && answer.status !== 429 && answer.status < 500) refusal = await answer.json();
      let fields = {};
      for await (const line of answer.ok ? linesOf(answer.body, onBytes) : []) {
        const colon = line.indexOf(":");
        if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, "");
        if (line !== "" || !fields.data) continue;
        after = fields.id ?? after;
        const event = JSON.parse(fields.data);
        fields = {};
        if (event.type !== "ping") yield event;
        if (event.type === "stream.closing" && NO_RETURN.includes(event.reason)) return;
      }
    } catch {
      // The line was cut, or silent for too long.
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
    if (refusal) throw refusal;
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

if (globalThis.process?.argv[1]?.endsWith("events.mjs")) {
  for await (const event of events(process.argv[2], process.argv[3])) console.log(JSON.stringify(event));
}
