import fc from "fast-check";
import { expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { Base64Decoder } from "./base64-pieces.js";

it("gives pieces that are valid alone and joined", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 10 }), (list) => {
      const pieces = new Base64Decoder();
      const texts = [...list.map((bytes) => pieces.add(bytes)), pieces.end()];
      expect(texts.join("")).toBe(Buffer.concat(list).toString("base64"));
      expect(Buffer.concat(texts.map((text) => Buffer.from(text, "base64"))).equals(Buffer.concat(list))).toBe(true);
    }),
    { seed: 3, numRuns: howMany(300) },
  );
});
