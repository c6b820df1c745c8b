import fc from "fast-check";
import { expect, it } from "vitest";
import { FrameAggregator } from "./frame-aggregator.js";

it("gives all bytes in order, in frames of at least the size but for the rest", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (parts) => {
      const aggregator = new FrameAggregator(32);
      const frames = parts.flatMap((part) => aggregator.add(part) ?? []);
      expect(frames.every((frame) => frame.length >= 32)).toBe(true);
      const rest = aggregator.rest();
      expect(Buffer.concat([...frames, rest ?? new Uint8Array()]).equals(Buffer.concat(parts))).toBe(true);
      expect(rest === null || (rest.length > 0 && rest.length < 32)).toBe(true);
      expect(aggregator.rest()).toBeNull();
    }),
  );
});
