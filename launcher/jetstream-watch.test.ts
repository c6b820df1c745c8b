import { describe, expect, it } from "vitest";
import { freshWatch, judgeJetStream, ROOM_BYTES } from "./jetstream-watch.js";

const MUCH = 10 * ROOM_BYTES;
const NONE = 0;

/** Feeds a server's answers; gives how many of them it took until the server is started anew, null for never. */
function restartsAfter(samples: [server: boolean, jetStream: boolean, freeBytes: number][]): number | null {
  let state = freshWatch;
  for (const [index, [server, jetStream, freeBytes]] of samples.entries()) {
    const judged = judgeJetStream(state, { server, jetStream, freeBytes });
    if (judged.restart) return index + 1;
    state = judged.state;
  }
  return null;
}
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe("a NATS server", () => {
  it("is left alone while JetStream answers, on a full disk too", () => {
    expect(
      restartsAfter([
        ...times(50, [true, true, MUCH] as [boolean, boolean, number]),
        ...times(50, [true, true, NONE] as [boolean, boolean, number]),
      ]),
    ).toBeNull();
  });

  it("is not started anew as long as the disk is full, and soon after there is room", () => {
    expect(restartsAfter([...times(100, [true, false, NONE] as [boolean, boolean, number]), [true, false, MUCH]])).toBe(
      101,
    );
    expect(
      restartsAfter([
        [true, true, NONE],
        [true, false, MUCH],
        [true, false, MUCH],
      ]),
    ).toBe(3);
  });

  it("is not started anew for an answer that came late, or while it does not answer itself", () => {
    expect(
      restartsAfter([
        [true, true, NONE],
        [true, false, MUCH],
        [true, true, MUCH],
        [true, false, MUCH],
        [true, true, MUCH],
      ]),
    ).toBeNull();
    expect(restartsAfter(times(100, [false, false, MUCH] as [boolean, boolean, number]))).toBeNull();
  });

  it("is started anew when JetStream is silent for long, whatever the reason", () => {
    expect(restartsAfter(times(100, [true, false, MUCH] as [boolean, boolean, number]))).toBe(15);
  });
});
