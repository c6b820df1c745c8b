import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { measureVoice } from "#audio/voice/traits";
import type { VoiceTraits } from "#protocol/speech/chunk";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { speech, speechSamples } from "../harness/http-speech.js";
import { decodeWithFfmpeg, durationSeconds, loudness, soundingShare } from "../harness/audio.js";

const sentence = "The quick brown fox jumps over the lazy dog, and nobody knows where it is going today.";

describe("what is asked for is heard", () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await sharedCluster();
  });
  afterAll(async () => {
    await closeDecoderThreads();
  });

  const samples = (body: Record<string, unknown>, model?: string): Promise<Int16Array> =>
    speechSamples(cluster, { text: sentence, ...body }, { model });
  const voiceOf = async (body: Record<string, unknown>, model?: string): Promise<VoiceTraits> =>
    measureVoice({ samples: await samples(body, model), sampleRate: 24_000 });
  const semitones = (hz: number, otherHz: number): number => 12 * Math.log2(hz / otherHz);

  const encodings: [Record<string, unknown>, number][] = [
    ...[8000, 16000, 24000, 32000, 44100].flatMap((rate): [Record<string, unknown>, number][] => [
      [{ format: "wav", sample_rate: rate }, rate],
      [{ format: "pcm", sample_rate: rate }, rate],
    ]),
    ...[64, 128, 192].flatMap((bitrate): [Record<string, unknown>, number][] => [
      [{ format: "mp3", mp3_bitrate: bitrate, sample_rate: 32000 }, 32000],
      [{ format: "mp3", mp3_bitrate: bitrate }, 44100],
    ]),
    ...[-1000, 24, 32, 48, 64, 24000, 32000, 48000, 64000].map((bitrate): [Record<string, unknown>, number] => [
      { format: "opus", opus_bitrate: bitrate },
      48000,
    ]),
  ];

  it.each(encodings)("in %j", async (encoding, sampleRate) => {
    const expected = durationSeconds({ samples: await samples({}), sampleRate: 24_000 });
    const raw = encoding.format === "pcm" ? ["-f", "s16le", "-ar", String(sampleRate), "-ac", "1"] : [];
    const pcm = await decodeWithFfmpeg(await speech(cluster, { text: sentence, ...encoding }), { inputArguments: raw });
    expect(Math.abs(durationSeconds(pcm) - expected)).toBeLessThan(0.08);
    expect(soundingShare(pcm)).toBeGreaterThan(0.6);
    expect(loudness(pcm)).toBeGreaterThan(0.03);
  });

  it("at half and twice the speed, with the same pitch", async () => {
    const [slow, normal, fast] = [
      await samples({ prosody: { speed: 0.5 } }),
      await samples({}),
      await samples({ prosody: { speed: 2 } }),
    ];
    expect(slow.length / normal.length).toBeGreaterThan(1.7);
    expect(fast.length / normal.length).toBeLessThan(0.62);
    const [slowVoice, normalVoice, fastVoice] = [slow, normal, fast].map((recognized) =>
      measureVoice({ samples: recognized, sampleRate: 24_000 }),
    );
    expect(Math.abs(semitones(slowVoice!.pitchHz, normalVoice!.pitchHz))).toBeLessThan(1.5);
    expect(Math.abs(semitones(fastVoice!.pitchHz, normalVoice!.pitchHz))).toBeLessThan(1.5);
  });

  it("20 dB softer, and 20 dB louder without clipping", async () => {
    const level = (recognized: Int16Array): number =>
      20 * Math.log10(loudness({ samples: recognized, sampleRate: 24_000 }));
    const [soft, normal, loud] = [
      await samples({ prosody: { volume: -20 } }),
      await samples({}),
      await samples({ prosody: { volume: 20 } }),
    ];
    expect(level(soft) - level(normal)).toBeCloseTo(-20, 0);
    expect(level(loud) - level(normal)).toBeGreaterThan(5);
    // A clipped wave sits at full scale for several samples in a row; a limited one touches its ceiling and turns.
    let flat = 0;
    for (let i = 2; i < loud.length; i++)
      if (Math.abs(loud[i]!) >= 32_700 && loud[i] === loud[i - 1] && loud[i] === loud[i - 2]) flat++;
    expect(flat).toBe(0);
  });

  it("with numbers, dates and money read as words, unless told otherwise", async () => {
    const written = await samples({ text: "On 3/4/2025 it cost $5.20 for 2 km." });
    const spelled = await samples({
      text: "On March fourth, twenty twenty-five it cost five dollars and twenty cents for two kilometers.",
    });
    expect(Math.abs(written.length / spelled.length - 1)).toBeLessThan(0.06);
    const asIs = await samples({ text: "On 3/4/2025 it cost $5.20 for 2 km.", normalize: false });
    expect(
      Buffer.compare(Buffer.from(asIs.buffer, asIs.byteOffset), Buffer.from(written.buffer, written.byteOffset)),
    ).not.toBe(0);
  });

  it.each([
    ["s1", "(happy) Hello there, my friend.", "(sad) Hello there, my friend."],
    ["s2-pro", "[excited] Hello there, my friend.", "[whisper] Hello there, my friend."],
  ])("with the tags of %s changing delivery and never spoken", async (model, one, other) => {
    const plain = await samples({ text: "Hello there, my friend." }, model);
    for (const text of [one, other]) {
      const tagged = await samples({ text }, model);
      expect(tagged.length / plain.length).toBeGreaterThan(0.6);
      expect(tagged.length / plain.length).toBeLessThan(1.45);
      expect(Buffer.compare(Buffer.from(tagged.buffer), Buffer.from(plain.buffer))).not.toBe(0);
    }
    expect((await samples({ text: one }, model)).length).not.toBe((await samples({ text: other }, model)).length);
  });

  it("reads ordinary parentheses aloud", async () => {
    const plain = await samples({ text: "We went home." }, "s1");
    expect((await samples({ text: "We went home (after the long concert)." }, "s1")).length).toBeGreaterThan(
      plain.length * 1.5,
    );
  });

  it("in the voice of a reference sample: its pitch, not the default's", async () => {
    const own = await voiceOf({});
    // The default voice slowed to a low one by playing it at three quarters of its rate: a speaker that is nobody's
    // default.
    const sample = await speech(cluster, { text: sentence, format: "wav", sample_rate: 24_000 });
    const lowered = Buffer.from(sample);
    lowered.writeUInt32LE(16_000, 24);
    lowered.writeUInt32LE(32_000, 28);
    const cloned = await voiceOf({ references: [{ audio: lowered.toString("base64"), text: sentence }] });
    expect(semitones(own.pitchHz, cloned.pitchHz)).toBeGreaterThan(5);
    expect(Math.abs(semitones(cloned.pitchHz, own.pitchHz * (2 / 3)))).toBeLessThan(2);
  });

  it("by several speakers, each in their own voice", async () => {
    const sample = await speech(cluster, { text: sentence, format: "wav", sample_rate: 24_000 });
    const low = Buffer.from(sample);
    low.writeUInt32LE(16_000, 24);
    low.writeUInt32LE(32_000, 28);
    const references = [
      [{ audio: Buffer.from(sample).toString("base64"), text: "" }],
      [{ audio: low.toString("base64"), text: "" }],
    ];
    const first = await voiceOf({ text: `<|speaker:0|>${sentence}`, references });
    const second = await voiceOf({ text: `<|speaker:1|>${sentence}`, references });
    expect(semitones(first.pitchHz, second.pitchHz)).toBeGreaterThan(5);
    const [both, one, two] = [
      await samples({ text: `<|speaker:0|>${sentence} <|speaker:1|>${sentence}`, references }),
      await samples({ text: `<|speaker:0|>${sentence}`, references }),
      await samples({ text: `<|speaker:1|>${sentence}`, references }),
    ];
    expect(Math.abs(both.length / (one.length + two.length) - 1)).toBeLessThan(0.1);
  });

  it("in other languages", async () => {
    for (const text of [
      "Guten Morgen, wie geht es Ihnen?",
      "Доброе утро, как дела?",
      "早上好，你好吗？",
      "صباح الخير",
    ]) {
      expect(soundingShare({ samples: await samples({ text }), sampleRate: 24_000 })).toBeGreaterThan(0.5);
    }
  });

  it("the same every time", async () => {
    const runs = await Promise.all([...Array(8)].map(() => speech(cluster, { text: sentence })));
    for (const run of runs) expect(Buffer.compare(run, runs[0]!)).toBe(0);
  });
});
