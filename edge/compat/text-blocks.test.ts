import { expect, it } from "vitest";
import { TextBlocks } from "./text-blocks.js";

const joined = (blocks: Iterable<Uint8Array>): string => Buffer.concat([...blocks]).toString();

it("gives back what was appended, letters of several bytes across blocks included", () => {
  const text = new TextBlocks();
  expect([text.heldBytes, joined(text.text()), joined(text.drain())]).toEqual([0, "", ""]);
  const pieces = Array.from({ length: 4000 }, (_, index) => `${index} žluťoučký 🐎 `.repeat(1 + (index % 40)));
  for (const piece of pieces) text.append(piece);
  text.append("");
  expect(joined(text.text())).toBe(pieces.join(""));
  expect(joined(text.drain())).toBe(pieces.join(""));
});

it("takes ASCII in the same way", () => {
  const text = new TextBlocks();
  const pieces = Array.from({ length: 2000 }, (_, index) => String(index).repeat(index % 300));
  for (const piece of pieces) text.appendAscii(piece);
  expect(joined(text.text())).toBe(pieces.join(""));
});

it("takes little more memory than the text, and lets it go as it is drained", () => {
  const text = new TextBlocks();
  text.append("a");
  expect(text.heldBytes).toBe(4096);
  for (let bytes = 1; bytes < 3_000_000; bytes += 100) {
    text.append("a".repeat(100));
    expect(text.heldBytes).toBeLessThanOrEqual(Math.max(4096, Math.min(2 * (bytes + 100), bytes + 100 + 256 * 1024)));
  }
  let heldBytes = text.heldBytes;
  for (const block of text.drain()) {
    expect(text.heldBytes).toBe(heldBytes);
    heldBytes = text.heldBytes - (block.byteLength > 0 ? Math.max(4096, block.byteLength) : 0);
  }
  expect(text.heldBytes).toBe(0);
});
