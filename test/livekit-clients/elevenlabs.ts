import { strict as assert } from "node:assert";
import { describe, it } from "node:test";
import {
  apiKey,
  assertSpeech,
  assertTranscript,
  baseUrl,
  clipFrame,
  collect,
  once,
  plugin,
  reportedBy,
  sentences,
  speakTurn,
  transcribeTurn,
} from "./livekit.js";

const { STT, TTS } = plugin("elevenlabs");
const own = { apiKey, baseURL: `${baseUrl}/compat/elevenlabs/v1` };
const [text = ""] = sentences;

describe("LiveKit's plugin of ElevenLabs", () => {
  it("speaks a text", async () => {
    assertSpeech(await collect(new TTS({ ...own, encoding: "pcm_24000" }).synthesize(text)), 24_000);
  });

  it("speaks turn after turn, with the times of the words", async () => {
    const speaker = new TTS({ ...own, encoding: "pcm_44100" });
    for (const turn of [text, sentences.join(" ")]) {
      const pieces = await speakTurn(speaker, turn);
      const seconds = assertSpeech(pieces, 44_100, { longest: 8 });
      const words = pieces.flatMap(({ timedTranscripts }) => timedTranscripts ?? []);
      assert.equal(
        words
          .map((word) => word.text)
          .join("")
          .trim(),
        turn,
      );
      const times = words.flatMap(({ startTime, endTime }) => [startTime, endTime]);
      assert.deepEqual(
        times,
        [...times].sort((a, b) => a - b),
      );
      assert.ok(
        (times.at(-1) ?? 0) > seconds / 2 && (times.at(-1) ?? 0) < seconds + 0.1,
        `${times.at(-1)} of ${seconds} s`,
      );
    }
    await speaker.close();
  });

  it("is told at the handshake that its default of 22.05 kHz is not spoken, and does not wait for audio", async () => {
    const speaker = new TTS(own);
    const begunMs = performance.now();
    const error = await reportedBy(speaker, async () => {
      const stream = speaker.stream({ connOptions: once });
      stream.pushText(text);
      stream.endInput();
      await collect(stream);
    });
    assert.match(error.message, /could not connect/);
    assert.ok(performance.now() - begunMs < 10_000);
  });

  it("transcribes a recording with the time of each word", async () => {
    const recognizer = new STT({ ...own, tagAudioEvents: false, languageCode: "en" });
    const [alternative] = (await recognizer.recognize(await clipFrame(16_000))).alternatives ?? [];
    assertTranscript(alternative?.text);
    assert.equal(alternative?.language, "en");
    assertTranscript(alternative?.words?.map((word) => word.text).join(""));
    assert.ok((alternative?.endTime ?? 0) > 1);
  });

  it("transcribes what it commits, with and without times", async () => {
    const realtime = { ...own, model: "scribe_v2_realtime", languageCode: "en" };
    for (const change of [
      {},
      { sampleRate: 48_000 },
      { includeTimestamps: true },
      { includeLanguageDetection: true, languageCode: undefined },
    ]) {
      const { alternatives } = await transcribeTurn(
        new STT({ ...realtime, ...change }),
        "sampleRate" in change ? 48_000 : 16_000,
      );
      assertTranscript(alternatives?.[0]?.text);
      if ("includeTimestamps" in change) assertTranscript(alternatives?.[0]?.words?.map((word) => word.text).join(""));
    }
  });
});
