import { strict as assert } from "node:assert";
import { describe, it } from "node:test";
import { decodeWithFfmpeg, durationSeconds } from "../harness/audio.js";
import {
  apiKey,
  assertSpeech,
  assertTranscript,
  baseUrl,
  clipFrame,
  collect,
  plugin,
  sentences,
  transcribeTurn,
} from "./livekit.js";

const { STT, TTS } = plugin("openai");
const own = { apiKey, baseURL: `${baseUrl}/compat/v1` };
const [text = ""] = sentences;

describe("LiveKit's plugin of OpenAI", () => {
  it("speaks with its defaults at the rate that it plays", async () => {
    const seconds = assertSpeech(await collect(new TTS(own).synthesize(text)), 24_000);
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "tts-1", input: text, response_format: "wav" });
    const wav = await fetch(`${own.baseURL}/audio/speech`, { method: "POST", headers, body });
    const wavSeconds = durationSeconds(await decodeWithFfmpeg(Buffer.from(await wav.arrayBuffer())));
    assert.ok(Math.abs(seconds - wavSeconds) < 0.2, `${seconds} s of pcm, ${wavSeconds} s of wav`);
  });

  it("speaks faster", async () => {
    const speak = async (speed: number): Promise<number> =>
      assertSpeech(
        await collect(new TTS({ ...own, model: "gpt-4o-mini-tts", voice: "default", speed }).synthesize(text)),
        24_000,
      );
    assert.ok((await speak(1.2)) / (await speak(0.8)) < 0.85);
  });

  it("raises what is refused", async () => {
    const recording = await clipFrame(16_000);
    for (const [change, message] of [
      [{ apiKey: "wrong" }, /^401 No permission/],
      [{ model: "no-model" }, /^400 /],
    ] as const) {
      await assert.rejects(
        new STT({ ...own, model: "whisper-1", useRealtime: false, ...change }).recognize(recording),
        { message },
      );
    }
  });

  it("transcribes a recording", async () => {
    assertTranscript(
      (await new STT({ ...own, model: "whisper-1", useRealtime: false }).recognize(await clipFrame(16_000)))
        .alternatives?.[0]?.text,
    );
  });

  it("transcribes what its default, a transcription session, commits", async () => {
    // Null: the agent says when a turn ends, not the plugin's own voice activity detector.
    const { alternatives } = await transcribeTurn(new STT({ ...own, vad: null }), 24_000);
    assertTranscript(alternatives?.[0]?.text);
    assert.equal(alternatives?.[0]?.language, "en");
  });

  it("transcribes two turns at once", async () => {
    const recognizer = new STT({ ...own, vad: null });
    for (const { alternatives } of await Promise.all([
      transcribeTurn(recognizer, 24_000),
      transcribeTurn(recognizer, 24_000),
    ]))
      assertTranscript(alternatives?.[0]?.text);
  });
});
