import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { type ScriptSegment, ScriptReader } from "./script.js";

function read(texts: string[], freeTags = true): ScriptSegment[] {
  const reader = new ScriptReader({ freeTags });
  const pieces = [...texts.flatMap((text) => reader.push(text)), ...reader.end()];
  return pieces.reduce<ScriptSegment[]>((joined, piece) => {
    const last = joined.at(-1);
    if (piece.kind === "text" && last?.kind === "text") last.text += piece.text;
    else joined.push({ ...piece });
    return joined;
  }, []);
}

const spoken = (pieces: ScriptSegment[]): string =>
  pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("");
const kinds = (pieces: ScriptSegment[]): string[] => pieces.map((piece) => piece.kind);

describe("directions in a text", () => {
  it("takes documented parenthesised tags out and speaks other parentheses", () => {
    const pieces = read(["(happy) Hello (my friend), (In A Hurry Tone)bye (2 of 3)"], false);
    expect(spoken(pieces)).toBe(" Hello (my friend), bye (2 of 3)");
    expect(kinds(pieces)).toEqual(["delivery", "text", "delivery", "text"]);
    expect(pieces[0]).toMatchObject({ delivery: { style: "happy", whisper: false } });
  });

  it("takes any short bracket tag out for the S2 family, and only documented ones for s1", () => {
    const text = "[whispers very softly]One [1] two [happy]three";
    expect(spoken(read([text], true))).toBe("One  two three");
    expect(read([text], true)[0]).toMatchObject({ delivery: { style: "whispers very softly", whisper: true } });
    expect(spoken(read([text], false))).toBe("[whispers very softly]One [1] two three");
  });

  it("knows calm by its name and in a description", () => {
    for (const text of ["(calm)One", "[in a calm voice]One"])
      expect(read([text])[0]).toMatchObject({ delivery: { pitchSemitones: -0.5, pitchRangeFactor: 0.8 } });
  });

  it("reads pauses", () => {
    const pauses = read(["a(break)b(long-break)c[pause]d[a long pause]e"]).filter((piece) => piece.kind === "pause");
    expect(pauses.map((piece) => piece.pauseMs)).toEqual([400, 1000, 500, 1000]);
  });

  it("switches speakers and drops other control tokens", () => {
    const pieces = read(["<|speaker:0|>Hi<|speaker: 12|> there<|endoftext|>! 1 < 2 <| x"]);
    expect(pieces).toEqual([
      { kind: "speaker", speaker: 0 },
      { kind: "text", text: "Hi" },
      { kind: "speaker", speaker: 12 },
      { kind: "text", text: " there! 1 < 2 <| x" },
    ]);
  });

  it("keeps what only looks like a tag", () => {
    for (const text of [
      "[",
      "((",
      "[]",
      "()",
      "(happy",
      `[${"x".repeat(200)}]`,
      "[a\nb]",
      "<|>",
      "a)b]c|>",
      "(constructor)",
      "(__proto__)",
    ]) {
      expect(spoken(read([text]))).toBe(text);
    }
  });

  it("gives the same pieces however the text was split", () => {
    const texts = fc.array(
      fc.constantFrom(
        "(happy)",
        "[soft voice]",
        "<|speaker:1|>",
        "(a",
        "[",
        "<|",
        "|>",
        "]",
        ")",
        "x",
        " y.",
        "<",
        "\n",
        "😀",
      ),
    );
    fc.assert(
      fc.property(texts, fc.array(fc.nat(8)), (parts, cuts) => {
        const whole = parts.join("");
        const split: string[] = [];
        let at = 0;
        for (const cut of cuts) {
          split.push(whole.slice(at, at + cut));
          at += cut;
        }
        split.push(whole.slice(at));
        expect(read(split)).toEqual(read([whole]));
      }),
      { numRuns: howMany(300) },
    );
  });

  it("reads a million openers in linear time", () => {
    for (const unit of ["[", "(", "<|", "[a(b<|", "[happy]"]) {
      // Processor time: what others do on the machine does not lengthen it.
      const before = process.cpuUsage();
      read([unit.repeat(howMany(1_000_000) / unit.length)]);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(4000);
    }
  });
});
