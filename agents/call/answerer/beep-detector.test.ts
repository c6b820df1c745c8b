import { describe, expect, it } from "vitest";
import { noise, tone } from "#audio/testing/signals";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { BeepDetector } from "./beep-detector.js";

const silence = (seconds: number): Int16Array => new Int16Array(seconds * RECOGNITION_RATE);
const beep = (hz: number, seconds: number, amplitude = 0.2): Int16Array =>
  tone(hz, seconds, RECOGNITION_RATE, amplitude);
const mixed = (a: Int16Array, b: Int16Array): Int16Array => a.map((sample, i) => sample + (b[i] ?? 0));

/** What was found, with the time in ms by the end of the portion. */
function found(pieces: readonly Int16Array[], portionSamples = 160): string[] {
  const detector = new BeepDetector();
  const samples = Int16Array.from(pieces.flatMap((piece) => [...piece]));
  const changes: string[] = [];
  for (let at = 0; at < samples.length; at += portionSamples)
    for (const change of detector.push(samples.subarray(at, at + portionSamples)))
      changes.push(`${change} ${Math.round(((at + portionSamples) / RECOGNITION_RATE) * 1000)}`);
  return changes;
}

describe("a beep", () => {
  it.each([400, 440, 800, 1000, 1400, 2000, 3000])("of %i Hz is found in 200 ms, and its end", (hz) => {
    const changes = found([silence(0.5), beep(hz, 0.5), silence(0.5)]);
    expect(changes.map((change) => change.split(" ")[0])).toEqual(["started", "ended"]);
    const [startedMs = 0, endedMs = 0] = changes.map((change) => Number(change.split(" ")[1]));
    expect(startedMs).toBeLessThanOrEqual(720);
    expect(endedMs).toBeGreaterThanOrEqual(1000);
    expect(endedMs).toBeLessThanOrEqual(1100);
  });

  it("may be two tones at once, or one after the other, soft, or in noise", () => {
    const kinds = [
      [mixed(beep(620, 0.5), beep(850, 0.5))],
      [beep(900, 0.25), beep(1350, 0.25)],
      [beep(1000, 0.4, 0.02)],
      [mixed(beep(1000, 0.4), noise(0.4 * RECOGNITION_RATE, 0.02))],
    ];
    for (const kind of kinds) expect(found([silence(0.3), ...kind, silence(0.3)])).toHaveLength(2);
  });

  it("is found however the audio is cut", () => {
    const pieces = [silence(0.5), beep(1000, 0.5), silence(0.5)];
    const kinds = (portion: number): string[] => found(pieces, portion).map((change) => change.split(" ")[0] ?? "");
    for (const portion of [1, 37, 320, 1600, 24_000]) expect(kinds(portion)).toEqual(["started", "ended"]);
  });

  it("is none that is too short, too low, too faint, sweeps, wavers, or is noise", () => {
    const rate = RECOGNITION_RATE;
    const swept = Int16Array.from(
      { length: rate },
      (_, i) => 6000 * Math.sin(2 * Math.PI * (400 + i / 40) * (i / rate)),
    );
    const voice = Int16Array.from({ length: rate }, (_, i) =>
      [1, 2, 3, 4, 5].reduce((sum, k) => sum + (4000 / k) * Math.sin((2 * Math.PI * 180 * k * i) / rate), 0),
    );
    const wavering = Int16Array.from(beep(1000, 1), (sample, i) => sample * (0.55 + 0.45 * Math.sin(i / 400)));
    for (const signal of [
      beep(1000, 0.1),
      beep(200, 1),
      beep(1000, 1, 0.003),
      swept,
      voice,
      wavering,
      noise(rate, 0.3),
    ])
      expect(found([silence(0.3), signal, silence(0.3)])).toEqual([]);
  });
});
