import { beforeAll, describe, expect, it } from "vitest";
import type { TimestampEvent } from "#protocol/speech/timestamps";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { postSpeech, speech } from "../harness/http-speech.js";

describe("POST /v1/tts/stream/with-timestamp", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await sharedCluster();
  });

  async function events(body: Record<string, unknown>): Promise<TimestampEvent[]> {
    const response = await postSpeech(cluster, body, { path: "/v1/tts/stream/with-timestamp" });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    const parts = (await response.text()).split("\n\n");
    expect(parts.pop()).toBe("");
    return parts.map((part) => {
      expect(part).toMatch(/^data: [^\n]*$/);
      return JSON.parse(part.slice(6)) as TimestampEvent;
    });
  }

  const text =
    "Dr. Smith paid $5.20 on Monday, “really”. After that, the 3 dogs didn't bark for 1,200 seconds; 99% of us knew why! Then it rained.";

  it("gives the file in pieces, equal to the plain route's", async () => {
    for (const format of ["mp3", "wav", "opus", "pcm"]) {
      const audio = Buffer.concat(
        (await events({ text, format })).map((event) => Buffer.from(event.audio_base64, "base64")),
      );
      expect(Buffer.compare(audio, await speech(cluster, { text, format }))).toBe(0);
    }
  });

  it("has every key in every event, and chunks whose offsets and durations join", async () => {
    const all = await events({ text, format: "pcm", sample_rate: 24_000 });
    const keys = ["audio_base64", "content", "alignment", "chunk_seq", "chunk_audio_offset_sec"].sort();
    for (const event of all) expect(Object.keys(event).sort()).toEqual(keys);
    const last = new Map(all.map((event) => [event.chunk_seq, event]));
    expect([...last.keys()]).toEqual([...last.keys()].map((_, index) => index));
    let offset = 0;
    for (const event of last.values()) {
      expect(event.chunk_audio_offset_sec).toBeCloseTo(offset, 2);
      offset += event.alignment!.audio_duration;
    }
    const audioBytes = all.reduce((sum, event) => sum + Buffer.from(event.audio_base64, "base64").byteLength, 0);
    expect(audioBytes / 2 / 24_000).toBeCloseTo(offset, 1);
  });

  it("times every word as written, without punctuation, in order, inside its chunk", async () => {
    const last = new Map((await events({ text })).map((event) => [event.chunk_seq, event]));
    const segments = [...last.values()].flatMap(({ alignment, chunk_audio_offset_sec }) =>
      alignment!.segments.map((segment) => ({
        ...segment,
        at: chunk_audio_offset_sec + segment.start,
        chunkEnd: alignment!.audio_duration,
      })),
    );
    expect(segments.map((segment) => segment.text).join(" ")).toBe(
      "Dr Smith paid $5.20 on Monday really After that the 3 dogs didn't bark for 1,200 seconds 99% of us knew why Then it rained",
    );
    for (const [index, segment] of segments.entries()) {
      expect(segment.end).toBeGreaterThan(segment.start);
      expect(segment.end).toBeLessThanOrEqual(segment.chunkEnd + 0.001);
      expect(segment.at).toBeGreaterThanOrEqual(segments[index - 1]?.at ?? 0);
    }
    const price = segments.find((segment) => segment.text === "$5.20")!;
    expect(price.end - price.start, "five dollars and twenty cents").toBeGreaterThan(0.8);
  });

  it("snapshots grow: a later alignment of a chunk holds what the earlier ones held", async () => {
    const seen = new Map<number, string[]>();
    for (const { chunk_seq, alignment } of await events({ text: text.repeat(3) })) {
      if (alignment === null) continue;
      const words = alignment.segments.map((segment) => segment.text);
      expect(words.slice(0, seen.get(chunk_seq)?.length ?? 0)).toEqual(seen.get(chunk_seq) ?? []);
      seen.set(chunk_seq, words);
    }
    expect(seen.size).toBeGreaterThan(2);
  });
});
