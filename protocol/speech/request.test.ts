import { describe, expect, it } from "vitest";
import { opusBitsPerSecond, speechRequest } from "./request.js";

const accepted = (body: Record<string, unknown>): boolean => speechRequest.safeParse({ text: "hi", ...body }).success;

describe("speechRequest", () => {
  it("treats null as absent in every optional field", () => {
    const fields = Object.keys(speechRequest.shape).filter((name) => name !== "text");
    const parsed = speechRequest.parse({ text: "hi", ...Object.fromEntries(fields.map((name) => [name, null])) });
    expect(fields.length).toBeGreaterThan(15);
    for (const name of fields) expect(parsed[name as keyof typeof parsed]).toBeUndefined();
  });

  it.each([
    ["bin", new Uint8Array([1, 2, 3])],
    ["base64", "AQID"],
    ["a data URL", "data:audio/wav;base64,AQID"],
    ["a serialised Buffer", { type: "Buffer", data: [1, 2, 3] }],
    ["a byte list", [1, 2, 3]],
  ])("reads reference audio sent as %s", (_name, audio) => {
    const parsed = speechRequest.parse({ text: "hi", references: [{ audio, text: "t" }] });
    expect(parsed.references).toEqual([{ audio: expect.anything(), text: "t" }]);
    expect([...(parsed.references as { audio: Uint8Array }[])[0]!.audio]).toEqual([1, 2, 3]);
  });

  it.each([
    ["rubbish text", "not base64!"],
    ["an empty string", ""],
    ["a number", 5],
    ["a data URL without base64", "data:audio/wav,abc"],
    ["bytes out of range", [256]],
  ])("refuses reference audio that is %s", (_name, audio) =>
    expect(accepted({ references: [{ audio, text: "t" }] })).toBe(false));

  it("accepts both unit families of opus_bitrate, bigints and integral floats", () => {
    expect(opusBitsPerSecond(speechRequest.parse({ text: "hi", opus_bitrate: 32 }).opus_bitrate)).toBe(32000);
    expect(opusBitsPerSecond(speechRequest.parse({ text: "hi", opus_bitrate: 64000 }).opus_bitrate)).toBe(64000);
    expect(opusBitsPerSecond(-1000)).toBeNull();
    expect(speechRequest.parse({ text: "hi", chunk_length: 200n }).chunk_length).toBe(200);
    expect(accepted({ opus_bitrate: 33 })).toBe(false);
  });

  it("takes no bytes or timestamps for a map", () => {
    expect([
      accepted({ prosody: {} }),
      accepted({ prosody: new Uint8Array(2) }),
      accepted({ prosody: new Date(0) }),
    ]).toEqual([true, false, false]);
  });

  it("ties the sample rate to the format", () => {
    expect(accepted({ format: "pcm", sample_rate: 8000 })).toBe(true);
    expect(accepted({ format: "mp3", sample_rate: 8000 })).toBe(false);
    expect(accepted({ sample_rate: 44100 })).toBe(true);
    expect(accepted({ format: "opus", sample_rate: 44100 })).toBe(false);
  });
});
