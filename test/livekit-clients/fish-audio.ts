import { strict as assert } from "node:assert";
import { before, describe, it } from "node:test";
import {
  apiKey,
  assertSpeech,
  baseUrl,
  collect,
  once,
  plugin,
  reportedBy,
  sentences,
  speakTurn,
  tlsBaseUrl,
} from "./livekit.js";

const { TTS } = plugin("fishaudio");
const [text = ""] = sentences;
let voiceId = "";

/** It has no way to ask for the model's own voice. */
before(async () => {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const sample = await fetch(`${baseUrl}/v1/tts`, {
    method: "POST",
    headers,
    body: JSON.stringify({ text: sentences.join(" "), format: "wav" }),
  });
  const voice = {
    type: "tts",
    train_mode: "fast",
    title: "Ann",
    visibility: "private",
    texts: [sentences.join(" ")],
    voices: [Buffer.from(await sample.arrayBuffer()).toString("base64")],
  };
  const made = await fetch(`${baseUrl}/model`, { method: "POST", headers, body: JSON.stringify(voice) });
  voiceId = ((await made.json()) as { _id: string })._id;
});

describe("LiveKit's plugin of Fish Audio", () => {
  const own = (change: object = {}) => new TTS({ apiKey, baseURL: baseUrl, voiceId, ...change });

  it("speaks a text", async () => {
    assertSpeech(await collect(own({ baseURL: tlsBaseUrl }).synthesize(text)), 24_000);
  });

  it("speaks turn after turn, each the same every time", async () => {
    const speaker = own();
    const lengths = [];
    for (const turn of [text, sentences.join(" "), text])
      lengths.push(assertSpeech(await speakTurn(speaker, turn), 24_000, { longest: 8 }));
    assert.equal(lengths[0], lengths[2]);
    await speaker.close();
  });

  it("speaks two turns at once", async () => {
    const speaker = own({ sampleRate: 44_100, speed: 1.2 });
    for (const pieces of await Promise.all(sentences.map((sentence) => speakTurn(speaker, sentence))))
      assertSpeech(pieces, 44_100, { shortest: 1 });
    await speaker.close();
  });

  it("reports a voice that there is not", async () => {
    const speaker = own({ voiceId: "f".repeat(32) });
    const error = await reportedBy(speaker, async () => {
      const stream = speaker.stream({ connOptions: once });
      stream.pushText(text);
      stream.endInput();
      await collect(stream);
    });
    assert.match(error.message, /reported an error/);
  });
});
