import { describe, expect, it } from "vitest";
import type { StreamResult } from "./streams.js";
import { type Evidence, judge } from "./verdict.js";

const audio = Buffer.from("the whole audio");
const stream = (change: Partial<StreamResult> = {}): StreamResult => ({
  ...{ audio, end: "complete", detail: "", ends: 1, tookMs: 1000 },
  ...change,
});
const bill = { requests: 1, characters: 30 };
const evidence = (change: Partial<StreamResult>, more: Partial<Evidence> = {}): Evidence => ({
  streams: [stream(change)],
  bill,
  reference: { streams: [stream()], bill },
  ends: "all-audio",
  boundMs: 5000,
  ...more,
});
const violations = (change: Partial<StreamResult>, more: Partial<Evidence> = {}): string[] =>
  judge(evidence(change, more)).violations;

describe("the verdict on a cell", () => {
  it("is that all is well where a stream is whole, and says how late", () => {
    expect(judge(evidence({ tookMs: 3500 }))).toEqual({ violations: [], complete: 1, errors: 0, lateMs: 2500 });
  });

  it.each<[string, Partial<StreamResult>, string]>([
    ["is short and says that it is complete", { audio: audio.subarray(0, 5) }, "says that it is complete with 5 bytes"],
    ["repeats itself", { audio: Buffer.concat([audio, audio]) }, "says that it is complete with 30 bytes"],
    ["is another stream's", { audio: Buffer.from("THE WHOLE AUDIO") }, "says that it is complete with 15 bytes"],
    ["ends twice", { ends: 2 }, "ended 2 times"],
    ["hangs", { end: "hang", detail: "nothing ended it" }, "nothing ended it"],
    ["fails where it must not", { end: "error", detail: "503", audio: audio.subarray(0, 5) }, "failed: 503"],
    ["is too late", { tookMs: 6100 }, "a stream ended 5100 ms later than undisturbed, 5000 ms are allowed"],
  ])("names a stream that %s", (_what, change, violation) => {
    expect(violations(change).join()).toContain(violation);
  });

  it("takes one clear error where that is promised, after the beginning of the audio", () => {
    const more = { ends: "all-audio-or-error", bill: { requests: 1, characters: 10 } } as const;
    expect(violations({ end: "error", audio: audio.subarray(0, 5) }, more)).toEqual([]);
    expect(violations({ end: "error", audio: Buffer.from("something") }, more)).toEqual([
      "stream 0: gave 9 bytes that are not the beginning of the undisturbed ones",
    ]);
  });

  it.each([
    [{ requests: 2, characters: 60 }, "all-audio"],
    [{ requests: 2, characters: 30 }, "all-audio-or-error"],
    [{ requests: 1, characters: 31 }, "all-audio-or-error"],
    [{ requests: 0, characters: 0 }, "all-audio"],
  ] as const)("names the bill %j where %s is promised", (charged, ends) => {
    expect(violations({}, { bill: charged, ends }).join()).toContain(`charged for ${charged.characters} characters`);
  });
});
