import { describe, expect, it } from "vitest";
import type { RecordingRole, RecordingSegment } from "#protocol/bus/recording";
import { createOpusPackets } from "#audio/encoding/opus-packets";
import { ffmpegDecode } from "#audio/testing/ffmpeg";
import { tone } from "#audio/testing/signals";
import { joinSegments } from "./join-segments.js";

const RATE = 16_000;

/** The segments of several runtimes: each is a list of `[startFrame, frames, frequency]`. */
async function join(runtimes: [startFrame: number, frames: number, hz: number][][]) {
  const all = await Promise.all(
    runtimes.map(async (segments) => {
      const encoder = createOpusPackets({ sampleRate: RATE, bitsPerSecond: 32_000 });
      const encoded: RecordingSegment[] = [];
      for (const [startFrame, frames, hz] of segments) {
        const packets = await encoder.encode(tone(hz, frames / 50, RATE));
        encoded.push({ startFrame, packets: { agent: packets, user: packets } });
      }
      encoder.free();
      return encoded;
    }),
  );
  const files: Record<RecordingRole, Uint8Array[]> = { agent: [], user: [] };
  const frames = await joinSegments(
    runtimes.length,
    async (attempt, index) => all[attempt - 1]?.[index] ?? null,
    async (role, pages) => void files[role].push(...pages),
  );
  return { frames, agent: Buffer.concat(files.agent), user: Buffer.concat(files.user) };
}

/** What is heard in each tenth of a second: the frequency by its crossings of zero, 0 for silence. */
function tonesIn(file: Uint8Array): number[] {
  const samples = ffmpegDecode(file, RATE);
  return Array.from({ length: Math.round(samples.length / 1600) }, (_, tenth) => {
    const part = samples.subarray(tenth * 1600 + 400, tenth * 1600 + 1200);
    if (Math.max(...part.map(Math.abs)) < 300) return 0;
    let crossings = 0;
    for (let at = 1; at < part.length; at++) if ((part[at - 1] ?? 0) < 0 && (part[at] ?? 0) >= 0) crossings++;
    return Math.round(crossings / 5) * 100;
  });
}
const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

describe("segments of a recording", () => {
  it("are joined to one file for each track", async () => {
    const { frames, agent, user } = await join([
      [
        [0, 50, 400],
        [50, 50, 800],
      ],
    ]); // prettier-ignore
    expect(frames).toBe(100);
    expect(tonesIn(agent)).toEqual([...times(10, 400), ...times(10, 800)]);
    expect(tonesIn(user)).toEqual(tonesIn(agent));
    expect(Buffer.compare(agent, user)).not.toBe(0);
  });

  it("leave silence where one is missing, and where one runtime took over from another", async () => {
    const { frames, user } = await join([
      [
        [0, 50, 400],
        [75, 25, 400],
      ],
      [],
      [[150, 50, 800]],
    ]); // prettier-ignore
    expect(frames).toBe(200);
    expect(tonesIn(user)).toEqual([
      ...times(10, 400),
      ...times(5, 0),
      ...times(5, 400),
      ...times(10, 0),
      ...times(10, 800),
    ]);
  });

  it("begin with silence where the first of them are lost", async () => {
    expect(tonesIn((await join([[], [[25, 25, 800]]])).user)).toEqual([...times(5, 0), ...times(5, 800)]);
  });

  it("are those of the later runtime where two recorded the same time", async () => {
    const { frames, user } = await join([
      [
        [0, 50, 400],
        [50, 50, 400],
        [100, 50, 400],
      ],
      [[75, 50, 800]],
    ]); // prettier-ignore
    expect(frames).toBe(125);
    expect(tonesIn(user)).toEqual([...times(15, 400), ...times(10, 800)]);
  });

  it("make no file where there are none, or none that can be believed", async () => {
    expect(await join([[], []])).toMatchObject({ frames: 0, agent: Buffer.alloc(0) });
    expect(await join([[[10_000_000, 50, 400]]])).toMatchObject({ frames: 0, user: Buffer.alloc(0) });
  });
});
