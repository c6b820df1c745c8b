import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { neutralDelivery, type VoiceSettings } from "#protocol/speech/chunk";
import { FrameReader, frame, MAX_FRAME_BYTES } from "./framing.js";
import { primaryLanguages, voiceForLanguage } from "./languages.js";
import { escapeMarkup } from "./markup.js";
import { chooseVoice, interpolate } from "./voice-choice.js";

describe("frames", () => {
  it("come out as they went in, however the pipe cut them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
        (payloads, cuts) => {
          const wire = Buffer.concat(payloads.map((payload, i) => frame(i + 1, payload)));
          const reader = new FrameReader();
          const got: [number, Buffer][] = [];
          for (let at = 0, turn = 0; at < wire.length; turn++) {
            const length = cuts[turn % cuts.length] ?? 1;
            reader.push(wire.subarray(at, at + length), (kind, payload) => got.push([kind, Buffer.from(payload)]));
            at += length;
          }
          expect(got).toEqual(payloads.map((payload, i) => [i + 1, Buffer.from(payload)]));
        },
      ),
    );
  });

  it("of an absurd length are refused", () => {
    const wire = Buffer.alloc(5);
    wire.writeUInt32LE(MAX_FRAME_BYTES + 1);
    expect(() => new FrameReader().push(wire, () => undefined)).toThrow(RangeError);
  });
});

it("leads from every escaped code point back to the plain text", () => {
  const { text, offsets } = escapeMarkup("a<😀&b");
  expect(text).toBe("a&lt;😀&amp;b");
  expect(offsets).toEqual([0, 1, 1, 1, 1, 2, 4, 4, 4, 4, 4, 5, 6]);
});

describe("languages", () => {
  const languages = {
    "en-us": "gmw/en-US",
    en: "gmw/en",
    cmn: "sit/cmn",
    de: "gmw/de",
    "fr-be": "roa/fr-BE",
    fr: "roa/fr",
  };
  it.each([
    ["en", "gmw/en-US"],
    ["en-AU", "gmw/en-US"],
    ["EN_us", "gmw/en-US"],
    ["de-AT", "gmw/de"],
    ["fr-BE", "roa/fr-BE"],
    ["fr-CA", "roa/fr"],
    ["zh-Hans-CN", "sit/cmn"],
    ["xx", null],
    ["", null],
  ])("%j is spoken by %j", (tag, voice) => expect(voiceForLanguage(tag, languages)).toBe(voice));
  it("are listed once, by primary subtag, also under the names that callers use", () => {
    expect(primaryLanguages(languages)).toEqual(["cmn", "de", "en", "fr", "zh"]);
  });
});

describe("the choice of a voice", () => {
  const voice: VoiceSettings = { speaker: null, language: null, speed: 1, traits: null };
  const traits = { pitchHz: 102, pitchRangeSemitones: 1.35, syllablesPerSecond: 4.15, spectralTiltDbPerOctave: -6.4 };

  it("is the voice's own when nothing is asked for", () => {
    const own = { variant: "f5", rate: 165, pitch: 50, range: 50, tiltDbPerOctave: 0 };
    expect(chooseVoice(voice, neutralDelivery)).toEqual(own);
    expect(chooseVoice({ ...voice, traits }, neutralDelivery)).toMatchObject({
      variant: null,
      rate: 165,
      pitch: 50,
      range: 50,
    });
    expect(chooseVoice({ ...voice, speaker: "plain" }, neutralDelivery)).toMatchObject({
      variant: null,
      rate: 165,
      pitch: 50,
    });
  });

  it("follows pitch to another variant, speaker names and indices, and whispers", () => {
    expect(chooseVoice({ ...voice, traits: { ...traits, pitchHz: 193 } }, neutralDelivery)).toMatchObject({
      variant: "f2",
      pitch: 50,
    });
    expect(chooseVoice({ ...voice, speaker: "m3" }, neutralDelivery).variant).toBe("m3");
    expect(chooseVoice({ ...voice, speaker: "3" }, neutralDelivery).variant).toBe("m3");
    expect(chooseVoice({ ...voice, speaker: "f4" }, { ...neutralDelivery, whisper: true }).variant).toBe("whisperf");
    for (const speaker of ["x", "99", "-1", "1.5", "__proto__", ""])
      expect(() => chooseVoice({ ...voice, speaker }, neutralDelivery), speaker).toThrow("Reference voice");
  });

  it("stays within what the engine can do, whatever is asked for", () => {
    const number = fc.oneof(fc.double(), fc.integer());
    fc.assert(
      fc.property(
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        (pitchHz, pitchRangeSemitones, syllablesPerSecond, tilt, pitchSemitones, factor, speed) => {
          const wild = { pitchHz, pitchRangeSemitones, syllablesPerSecond, spectralTiltDbPerOctave: tilt };
          const chosen = chooseVoice(
            { ...voice, speed, traits: wild },
            { ...neutralDelivery, pitchSemitones, pitchRangeFactor: factor, rateFactor: factor },
          );
          for (const [value, low, high] of [
            [chosen.rate, 80, 450],
            [chosen.pitch, 0, 99],
            [chosen.range, 0, 99],
          ] as const) {
            expect(value).toBeGreaterThanOrEqual(low);
            expect(value).toBeLessThanOrEqual(high);
          }
          expect(Math.abs(chosen.tiltDbPerOctave)).toBeLessThanOrEqual(6);
        },
      ),
    );
  });

  it("interpolates between points and beyond them", () => {
    expect([0, 5, 10, 15, 20, 30].map((x) => interpolate([0, 10, 20], [0, 100, 120], x))).toEqual([
      0, 50, 100, 110, 120, 140,
    ]);
  });
});
