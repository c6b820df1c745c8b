import { describe, expect, it } from "vitest";
import { defaultSampling } from "#protocol/speech/chunk";
import { VirtualClock } from "#common/clock";
import { LocalBus } from "#common/bus/testing/local-bus";
import { SubmissionClient } from "#submission/submission-client";
import { Chunker, type ChunkText } from "../chunking/chunker.js";
import { speechDefaults } from "#protocol/speech/request";
import type { Latency } from "../chunking/pace.js";
import { SpeechClient } from "../speech-client.js";
import { SAMPLE_RATE, ScriptedCluster } from "../testing/scripted-cluster.js";
import { livePacing } from "./stream-settings.js";

const sentence =
  "Before you bake the bread, let the dough rest in a warm place for at least one hour and a half so that it can rise " +
  "and fill the bowl, and then fold it twice.";

/**
 * Speaks a text of which a word comes every `wordMs`, as clients of a socket and agents' replies do; gives the pieces and
 * how long the player fell silent in between.
 */
async function speakSlowly(text: string, wordMs: number, latency: Latency = "balanced") {
  const bus = new LocalBus();
  const clock = new VirtualClock();
  const speech = new SpeechClient(new SubmissionClient({ bus, clock, ownerId: "edge-1" }));
  new ScriptedCluster({ bus, clock, model: "m", ownerId: "edge-1", faultOf: () => null });
  const pace = { latency, chunkLength: speechDefaults.chunk_length, minChunkLength: speechDefaults.min_chunk_length };
  const chunker = new Chunker({ pace, freeTags: false });
  const pieces: string[] = [];
  let [endsAtMs, silentMs] = [Number.POSITIVE_INFINITY, 0];
  const add = (made: ChunkText[]): void => {
    pieces.push(...made.map((piece) => piece.text));
    stream.add(made);
  };
  const stream = speech.open(
    {
      ...{ streamId: "s1", models: [{ name: "m", languages: ["*"] }], tier: "live", isAdmitted: false },
      ...{ voices: [{ speaker: null, language: null, speed: 1, traits: null }], normalize: true, maxSamples: 0 },
      ...{ sampling: defaultSampling, seedBase: "seed", traceparent: null, pacing: livePacing, firstAudioGoalMs: 200 },
    },
    (event) => {
      if (event.type === "text-wanted") add(chunker.releaseHeld());
      if (event.type !== "samples") return;
      silentMs += Math.max(0, clock.nowMs() - endsAtMs);
      const startsAtMs = endsAtMs === Number.POSITIVE_INFINITY ? clock.nowMs() : Math.max(endsAtMs, clock.nowMs());
      endsAtMs = startsAtMs + (event.samples.length / SAMPLE_RATE) * 1000;
    },
  );
  for (const word of text.split(" ")) {
    add(chunker.push(`${word} `));
    if (stream.wantsText) add(chunker.releaseHeld());
    await clock.advance(wordMs);
  }
  add(chunker.flush());
  stream.end();
  await clock.advance(60_000);
  return { pieces, silentMs };
}

describe("text that comes while it is spoken", () => {
  it("leaves no gap where it comes faster than it is spoken, however short the first clause", async () => {
    const { pieces, silentMs } = await speakSlowly(sentence, 100);
    expect(pieces[0]).toBe("Before you bake the bread,");
    expect(pieces.join(" ")).toBe(sentence);
    expect(silentMs).toBe(0);
  });

  it("is cut where it is when it comes at once", async () => {
    const { pieces } = await speakSlowly(sentence, 0);
    expect(pieces).toEqual([
      "Before you bake the bread,",
      "let the dough rest in a warm place for at least one hour and a half so that it can rise and fill the bowl,",
      "and then fold it twice.",
    ]);
  });

  it("is not waited for as long as a whole piece takes where it comes more slowly than it is spoken", async () => {
    const { pieces, silentMs } = await speakSlowly(sentence, 400);
    expect(pieces.every((piece) => piece.length >= 15)).toBe(true);
    // The last piece waits for its words, and a short one may have waited for the next.
    expect(silentMs).toBeLessThan(sentence.split(" ").length * 400 - sentence.length * 50 + 2 * 400);
  });

  it("keeps its sentences whole where nobody waits", async () => {
    const { pieces } = await speakSlowly(sentence, 100, "normal");
    expect(pieces).toEqual((await speakSlowly(sentence, 0, "normal")).pieces);
  });
});
