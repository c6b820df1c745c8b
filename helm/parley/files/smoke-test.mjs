// `helm test`: speaks a sentence through the service, has it recognized, and begins a session with an agent.
const { BASE_URL: base = "", API_KEY: key = "", HAS_ROOMS: hasRooms } = process.env;
const sentence = "The quick brown fox jumps over the lazy dog.";
/** Of the sentence's words, these many must come back: the embedded recognizer is a small one. */
const FEWEST_WORDS = 5;
/** How long the service may refuse with Retry-After, or not be there: it may have begun a moment ago. */
const PATIENCE_MS = 120_000;

async function ask(method, path, body) {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const isForm = body instanceof FormData;
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body && !isForm ? { "content-type": "application/json" } : {}),
    };
    const answer = await fetch(base + path, {
      method,
      headers,
      body: isForm || !body ? body : JSON.stringify(body),
    }).catch((error) => error);
    if (answer instanceof Response && answer.ok) return answer;
    const isTemporary = !(answer instanceof Response) || answer.status === 503;
    const reason =
      answer instanceof Response ? `${answer.status} ${await answer.text()}` : String(answer.cause ?? answer);
    if (!isTemporary || Date.now() > until) throw new Error(`${method} ${path}: ${reason}`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

const say = (line) => process.stdout.write(`ok: ${line}\n`);

await ask("GET", "/ready");
say("the service is ready");

const audio = new Uint8Array(await (await ask("POST", "/v1/tts", { text: sentence, format: "wav" })).arrayBuffer());
if (audio.byteLength < 50_000) throw new Error(`only ${audio.byteLength} bytes of audio came`);
say(`${audio.byteLength} bytes of speech`);

const form = new FormData();
form.append("audio", new Blob([audio], { type: "audio/wav" }), "sentence.wav");
const { text } = await (await ask("POST", "/v1/asr", form)).json();
const words = new Set(text.toLowerCase().match(/[a-z]+/g) ?? []);
const found = sentence
  .toLowerCase()
  .match(/[a-z]+/g)
  .filter((word) => words.has(word));
if (found.length < FEWEST_WORDS) throw new Error(`of "${sentence}" was recognized: "${text}"`);
say(`recognized: ${text}`);

if (hasRooms === "true") {
  const agent = await (await ask("POST", "/v1/agent/agents", { name: `smoke test ${Date.now()}` })).json();
  try {
    await ask("POST", `/v1/agent/agents/${agent.agent_id}/publish`);
    const session = await (await ask("POST", "/v1/agent/sessions", { agent_id: agent.agent_id })).json();
    say(`a session was created, in a room at ${session.webrtc_url}`);
    await ask("POST", `/v1/agent/sessions/${session.session_id}/end`);
    say("the session was ended");
  } finally {
    await ask("DELETE", `/v1/agent/agents/${agent.agent_id}`);
  }
}
say("all of it works");
