import { describe, expect, it } from "vitest";
import { RECORDING_PART_BYTES, recordingsBucket } from "#protocol/bus/recording";
import { LocalBus } from "#common/bus/testing/local-bus";
import { PartWriter, recordingObjects } from "./recording-objects.js";

const pagesOf = (lengths: readonly number[]): Uint8Array[] =>
  lengths.map((length, index) => new Uint8Array(length).fill(index + 1));

describe("a file that is stored as objects", () => {
  it.each([
    [[]],
    [[1]],
    [[RECORDING_PART_BYTES]],
    [[RECORDING_PART_BYTES, 1]],
    [[3 * RECORDING_PART_BYTES + 17]],
    [Array.from({ length: 300 }, (_, index) => 3000 + index)],
  ])("has all of its bytes in order: pages of %j", async (lengths) => {
    const parts: Uint8Array[] = [];
    const writer = new PartWriter(async (part, bytes) => {
      expect(part).toBe(parts.length);
      parts.push(bytes);
    });
    const pages = pagesOf(lengths);
    for (let at = 0; at < pages.length; at += 7) await writer.write(pages.slice(at, at + 7));
    const whole = Buffer.concat(pages);
    expect(await writer.finish()).toBe(whole.length);
    expect(Buffer.compare(Buffer.concat(parts), whole)).toBe(0);
    expect(parts.slice(0, -1).every((part) => part.length === RECORDING_PART_BYTES)).toBe(true);
  });

  it("is deleted with all of them, and leaves those of others", async () => {
    const bus = new LocalBus();
    const objects = recordingObjects(bus);
    for (const sessionId of ["a", "b"])
      for (let part = 0; part < 3; part++) {
        await objects.putPart(sessionId, "agent", part, new Uint8Array(1));
        await objects.putPart(sessionId, "user", part, new Uint8Array(1));
      }
    await objects.deleteFiles("a", { agent: 2 * RECORDING_PART_BYTES + 1, user: 3 * RECORDING_PART_BYTES });
    expect((await bus.objects(recordingsBucket).names()).every((name) => name.startsWith("b/"))).toBe(true);
    expect(await bus.objects(recordingsBucket).names()).toHaveLength(6);
  });
});
