import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { cutIntoChunks, MAX_CHUNK_LENGTH } from "./chunks.js";

const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
const visible = (text: string): string => text.replace(/\s+/g, "");

describe("cutIntoChunks", () => {
  it("keeps a section's paragraphs together under the titles that lead to it", () => {
    const text =
      "Before.\n\n# Shop\n\nWelcome.\n\n## Returns ##\nThirty days.\n\nNo knives.\n### Money\nFive days.\n## Repairs\nZips.\n# End";
    expect(cutIntoChunks(text)).toEqual([
      { heading: "", content: "Before." },
      { heading: "Shop", content: "Welcome." },
      { heading: "Shop › Returns", content: "Thirty days.\n\nNo knives." },
      { heading: "Shop › Returns › Money", content: "Five days." },
      { heading: "Shop › Repairs", content: "Zips." },
      { heading: "End", content: "End" },
    ]);
  });

  it("takes no title from code, nor from a hash that is none", () => {
    const text = "```sh\n# not a title\n\nls\n```\n#hashtag\n####### seven\n~~~\n```\n# neither\n~~~\n# Title\nText.";
    expect(cutIntoChunks(text).map(({ heading }) => heading)).toEqual(["", "Title"]);
  });

  it("takes hashes at a title's end for its own where no space is before them", () => {
    const text = "# C#\na\n# F# ##\nb\n#\tTab #\nc\n# #\nd\n#   \ne\n   ## Indented  \nf";
    expect(cutIntoChunks(text).map(({ heading, content }) => [heading, content])).toEqual([
      ["C#", "a"],
      ["F#", "b"],
      ["Tab", "c\n# #\nd\n#   \ne"],
      ["Tab › Indented", "f"],
    ]);
  });

  it("cuts long paragraphs between sentences, and long sentences between words", () => {
    const sentences = Array.from({ length: 60 }, (_, index) => `This is sentence number ${index} of many.`);
    const chunks = cutIntoChunks(sentences.join(" "));
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.every(({ content }) => content.endsWith("many.") && content.startsWith("This"))).toBe(true);
    expect(chunks.map(({ content }) => content).join(" ")).toBe(sentences.join(" "));
    const long = cutIntoChunks(words(1000));
    expect(long.map(({ content }) => content).join(" ")).toBe(words(1000));
    const chinese = cutIntoChunks("今天天气很好。".repeat(400));
    expect(chinese.every(({ content }) => content.endsWith("。"))).toBe(true);
  });

  it("loses no character and makes no passage that is too long or empty", () => {
    const odd = fc.constantFrom("# T", "## U", "", "```", "- item", "x".repeat(3000), "🙂".repeat(900));
    const line = fc.oneof(fc.string({ unit: "grapheme", maxLength: 300 }), odd);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const text = lines.filter((one) => !/^ {0,3}#/.test(one)).join("\n");
        const chunks = cutIntoChunks(text);
        expect(visible(chunks.map(({ content }) => content).join(""))).toBe(visible(text));
        for (const { content } of chunks) {
          expect(content.length).toBeLessThanOrEqual(MAX_CHUNK_LENGTH);
          expect(content.trim()).not.toBe("");
          expect(/\p{Surrogate}/u.test(content)).toBe(false);
        }
      }),
      { numRuns: howMany(60) },
    );
  });

  it("reads a line of spaces that is nearly a title once", () => {
    // Ends, as such text does for an expression that tries every place, after minutes or at once.
    expect(cutIntoChunks(`# ${" ".repeat(500_000)}x\u2028y`)).toEqual([{ heading: "x\u2028y", content: "x\u2028y" }]);
    expect(cutIntoChunks(`# x${" ".repeat(500_000)}\u2028y #`)[0]?.heading.startsWith("x  ")).toBe(true);
  });

  it("stays bounded on a megabyte of titles, of one title, and of line feeds", () => {
    const titles = cutIntoChunks("# a\n".repeat(260_000));
    expect(titles.length).toBeLessThan(3000);
    expect(cutIntoChunks("## A title\nAn answer of some length.\n".repeat(7000))).toHaveLength(7000);
    const one = cutIntoChunks(`# ${"x".repeat(1_000_000)}\n${"## y\nz\n".repeat(3000)}`);
    expect(one.reduce((sum, chunk) => sum + chunk.heading.length, 0)).toBeLessThan(1_000_000);
    expect(cutIntoChunks("\n".repeat(1_000_000))).toEqual([]);
    expect(cutIntoChunks("x".repeat(1_000_000)).length).toBeLessThan(1000);
  });
});
