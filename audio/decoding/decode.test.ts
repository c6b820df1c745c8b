import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createPipeline } from "../encoding/pipeline.js";
import { ffmpeg, ffmpegEncode } from "../testing/ffmpeg.js";
import { fitTone, noise, tone } from "../testing/signals.js";
import { wavFile } from "../testing/wav-file.js";
import { fromFloat, toFloat } from "../pcm.js";
import { resampleWhole } from "../resampling/resampler.js";
import { decodeAudio } from "./decode.js";
import { closeDecoderThreads } from "./decoder-pool.js";

afterAll(closeDecoderThreads);

const sine = (frame: number, sampleRate: number): number => 0.5 * Math.sin((2 * Math.PI * 440 * frame) / sampleRate);

describe("wav", () => {
  test.each([
    { bits: 8, channels: 1, sampleRate: 8000 },
    { bits: 16, channels: 1, sampleRate: 22050 },
    { bits: 24, channels: 2, sampleRate: 96000 },
    { bits: 32, channels: 1, sampleRate: 192_000 },
    { bits: 32, tag: 3, channels: 2, sampleRate: 44100 },
    { bits: 64, tag: 3, channels: 1, sampleRate: 16000 },
    { bits: 16, channels: 8, sampleRate: 48000, extensible: true },
    { bits: 32, tag: 3, channels: 6, sampleRate: 48000, extensible: true },
  ])("%o becomes the mean of its channels at its own rate", async (file) => {
    const bytes = wavFile(file, file.sampleRate, (frame) => sine(frame, file.sampleRate));
    const { pcm, format, channels } = await decodeAudio(bytes, { maxSeconds: 10 });
    expect({ format, channels, rate: pcm.sampleRate, length: pcm.samples.length }).toEqual({
      format: "wav",
      channels: file.channels,
      rate: file.sampleRate,
      length: file.sampleRate,
    });
    const { amplitude, signalToNoiseDb } = fitTone(pcm.samples, 440, file.sampleRate);
    expect(Math.abs(amplitude - 0.5)).toBeLessThan(0.005);
    expect(signalToNoiseDb).toBeGreaterThan(file.bits === 8 ? 38 : 80);
  });

  test("the header's length is not believed", async () => {
    for (const claimedBytes of [0, 0xffffffff, 0x7fffffff, 1_000_000]) {
      const bytes = wavFile({ bits: 16, channels: 1, sampleRate: 16000, claimedBytes }, 16000, (frame) =>
        sine(frame, 16000),
      );
      expect((await decodeAudio(bytes, { maxSeconds: 10 })).pcm.samples.length).toBe(16000);
    }
  });

  test("not-a-number becomes silence", async () => {
    const bytes = wavFile({ bits: 32, tag: 3, channels: 1, sampleRate: 16000 }, 100, () => Number.NaN);
    expect([...(await decodeAudio(bytes, { maxSeconds: 1 })).pcm.samples]).toEqual(
      Array.from({ length: 100 }, () => 0),
    );
  });

  test("G.711 in either law", async () => {
    for (const codec of ["pcm_alaw", "pcm_mulaw"]) {
      const bytes = ffmpegEncode(tone(440, 1, 8000), 8000, ["-c:a", codec, "-f", "wav"]);
      const { pcm } = await decodeAudio(bytes, { maxSeconds: 2 });
      expect(fitTone(pcm.samples, 440, 8000).signalToNoiseDb).toBeGreaterThan(30);
      expect(fitTone(pcm.samples, 440, 8000).amplitude).toBeCloseTo(0.5, 1);
    }
  });
});

describe("compressed", () => {
  test.each([
    ["mp3", 44100, ["-c:a", "libmp3lame", "-f", "mp3"], 0.06],
    ["mp3", 22050, ["-c:a", "libmp3lame", "-q:a", "4", "-ac", "2", "-f", "mp3"], 0.06],
    ["flac", 44100, ["-c:a", "flac", "-f", "flac"], 0.001],
    ["flac", 96000, ["-c:a", "flac", "-sample_fmt", "s32", "-ac", "2", "-f", "flac"], 0.001],
    ["ogg-flac", 44100, ["-c:a", "flac", "-f", "ogg"], 0.001],
    ["vorbis", 44100, ["-c:a", "libvorbis", "-f", "ogg"], 0.001],
    ["vorbis", 16000, ["-c:a", "libvorbis", "-ac", "2", "-f", "ogg"], 0.001],
    ["opus", 48000, ["-c:a", "libopus", "-f", "ogg"], 0.001],
    ["opus", 48000, ["-c:a", "libopus", "-ac", "2", "-f", "ogg"], 0.001],
    ["webm", 48000, ["-c:a", "libopus", "-f", "webm"], 0.03],
    ["webm", 44100, ["-c:a", "libvorbis", "-f", "webm"], 0.03],
    ["m4a", 44100, ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov", "-f", "mp4"], 0.06],
    ["aac", 44100, ["-c:a", "aac", "-f", "adts"], 0.06],
  ])("%s at %d Hz, %j", async (format, sampleRate, args, toleranceSeconds) => {
    const bytes = ffmpegEncode(tone(440, 3, sampleRate), sampleRate, args);
    const decoded = await decodeAudio(bytes, { maxSeconds: 10 });
    expect(decoded.format).toBe(format);
    expect(decoded.pcm.sampleRate).toBe(sampleRate);
    expect(decoded.channels).toBe(args.includes("-ac") ? 2 : 1);
    expect(Math.abs(decoded.pcm.samples.length / sampleRate - 3)).toBeLessThanOrEqual(toleranceSeconds);
    const { amplitude, signalToNoiseDb } = fitTone(
      decoded.pcm.samples.subarray(sampleRate, 2 * sampleRate),
      440,
      sampleRate,
    );
    // ffmpeg spreads one channel over two at equal power.
    expect(Math.abs(amplitude - (args.includes("-ac") ? 0.5 * Math.SQRT1_2 : 0.5))).toBeLessThan(0.03);
    expect(signalToNoiseDb).toBeGreaterThan(20);
  });

  test("what the encoders here make comes back", async () => {
    const base = { inputSampleRate: 22050, mp3KilobitsPerSecond: 128, opusBitsPerSecond: null, gainDb: 0 };
    for (const spec of [
      { ...base, format: "opus", outputSampleRate: 48000 },
      { ...base, format: "mp3", outputSampleRate: 44100 },
    ] as const) {
      const pipeline = await createPipeline(spec);
      const bytes = Buffer.concat([pipeline.write(tone(440, 2, 22050)), pipeline.finish()]);
      const { pcm, format } = await decodeAudio(bytes, { maxSeconds: 10 });
      expect(format).toBe(spec.format);
      expect(Math.abs(pcm.samples.length / spec.outputSampleRate - 2)).toBeLessThan(
        spec.format === "opus" ? 1e-4 : 0.06,
      );
    }
  });

  test("tags with pictures and junk in front do not hide an mp3", async () => {
    const bytes = ffmpegEncode(tone(440, 1, 44100), 44100, ["-c:a", "libmp3lame", "-id3v2_version", "0", "-f", "mp3"]);
    const tag = Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 8, 0, 0]), Buffer.alloc(8 << 14)]);
    for (const front of [tag, Buffer.alloc(700)]) {
      const { format, pcm } = await decodeAudio(Buffer.concat([front, bytes]), { maxSeconds: 10 });
      expect(format).toBe("mp3");
      expect(Math.abs(pcm.samples.length / 44100 - 1)).toBeLessThan(0.06);
    }
  });

  test("an m4a with its index at the end is read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-decode-"));
    try {
      ffmpeg(["-f", "lavfi", "-i", "sine=f=440:d=20", "-c:a", "aac", join(folder, "a.m4a")], new Uint8Array(0));
      const { format, pcm } = await decodeAudio(readFileSync(join(folder, "a.m4a")), { maxSeconds: 30 });
      expect(format).toBe("m4a");
      expect(Math.abs(pcm.samples.length / pcm.sampleRate - 20)).toBeLessThan(0.06);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test.each(["ogg", "webm"])("opus in %s is decoded at the rate wanted, as long as at its own", async (container) => {
  const bytes = ffmpegEncode(tone(440, 3, 48_000), 48_000, ["-c:a", "libopus", "-f", container]);
  const own = await decodeAudio(bytes, { maxSeconds: 10 });
  for (const sampleRate of [16_000, 22_050]) {
    const { pcm } = await decodeAudio(bytes, { maxSeconds: 10, sampleRate });
    expect(Math.abs(pcm.samples.length / sampleRate - own.pcm.samples.length / 48_000)).toBeLessThan(2 / sampleRate);
    const { amplitude, signalToNoiseDb } = fitTone(
      pcm.samples.subarray(sampleRate / 2, 2 * sampleRate),
      440,
      sampleRate,
    );
    expect(Math.abs(amplitude - 0.5)).toBeLessThan(0.05);
    expect(signalToNoiseDb).toBeGreaterThan(20);
  }
});

describe("bounds", () => {
  test.each([
    ["wav", ["-f", "wav"]],
    ["mp3", ["-c:a", "libmp3lame", "-b:a", "8k", "-f", "mp3"]],
    ["flac", ["-c:a", "flac", "-f", "flac"]],
    ["opus", ["-c:a", "libopus", "-b:a", "6k", "-f", "ogg"]],
    ["vorbis", ["-c:a", "libvorbis", "-f", "ogg"]],
    ["m4a", ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov", "-f", "mp4"]],
  ])("%s that sounds longer than allowed is refused", async (_, args) => {
    const bytes = ffmpegEncode(new Int16Array(16_000 * 60), 16_000, args);
    await expect(decodeAudio(bytes, { maxSeconds: 20 })).rejects.toMatchObject({
      code: "unsupported_format",
      reason: "too_long",
    });
  });

  test("a file that is too large is not looked at", async () => {
    await expect(decodeAudio(new Uint8Array(11), { maxSeconds: 1, maxInputBytes: 10 })).rejects.toMatchObject({
      code: "payload_too_large",
      message: "The request body is larger than 10 bytes",
    });
  });

  test("an aborted call ends, and the next one works", async () => {
    const bytes = ffmpegEncode(noise(44100 * 120, 0.3), 44100, ["-c:a", "libmp3lame", "-f", "mp3"]);
    const controller = new AbortController();
    const pending = decodeAudio(bytes, { maxSeconds: 1000, signal: controller.signal });
    controller.abort();
    await expect(pending).rejects.toMatchObject({ name: "AbortError" });
    expect((await decodeAudio(bytes, { maxSeconds: 1000, sampleRate: 16000 })).pcm.sampleRate).toBe(16000);
  });
});

describe("bad files", () => {
  test.each([
    ["nothing", new Uint8Array(0)],
    ["text", Buffer.from("#EXTM3U\nfile:///etc/passwd\n".repeat(50))],
    ["noise", Buffer.from(noise(50_000, 1).buffer)],
    ["a png", Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(1000)])],
    ["a wav header alone", wavFile({ bits: 16, channels: 1, sampleRate: 16000 }, 0, () => 0)],
    ["a wav of no known codec", wavFile({ bits: 16, channels: 1, sampleRate: 16000, tag: 0x161 }, 100, () => 0)],
    ["a wav with no rate", wavFile({ bits: 16, channels: 1, sampleRate: 0 }, 100, () => 0)],
    ["an ogg page of nothing", Buffer.concat([Buffer.from("OggS"), Buffer.alloc(200)])],
    ["half an m4a", Buffer.concat([Buffer.from("\0\0\0\x20ftypM4A ", "latin1"), Buffer.alloc(5000)])],
    ["a webm of nothing", Buffer.concat([Buffer.from("\x1aE\xdf\xa3", "latin1"), Buffer.alloc(500, 1)])],
    ["flac of nothing", Buffer.concat([Buffer.from("fLaC"), Buffer.from(noise(5000, 1).buffer)])],
  ])("%s is refused with a reason", async (_, bytes) => {
    await expect(decodeAudio(bytes, { maxSeconds: 10 })).rejects.toMatchObject({
      code: "unsupported_format",
      status: 400,
    });
  });

  test.each([
    ["mp3", ["-c:a", "libmp3lame", "-f", "mp3"]],
    ["flac", ["-c:a", "flac", "-f", "flac"]],
    ["opus", ["-c:a", "libopus", "-f", "ogg"]],
    ["vorbis", ["-c:a", "libvorbis", "-f", "ogg"]],
    ["webm", ["-c:a", "libopus", "-f", "webm"]],
    ["wav", ["-f", "wav"]],
  ])("damaged %s gives sound or a 400, never anything else", async (_, args) => {
    const good = ffmpegEncode(tone(440, 4, 48_000), 48_000, args);
    const garbage = noise(4000, 1, 7);
    for (let attempt = 0; attempt < 6; attempt++) {
      const bad = Buffer.from(good);
      for (let i = 0; i < 40; i++) {
        const place = Math.abs((garbage[attempt * 40 + i] as number) * 7919) % bad.length;
        bad[place] = (garbage[1000 + i] as number) & 255;
      }
      const cut = bad.subarray(0, Math.floor(bad.length * (1 - attempt / 8)));
      const outcome = await decodeAudio(cut, { maxSeconds: 60 }).then(
        () => "sound",
        (error: { code?: string }) => error.code,
      );
      expect(["sound", "unsupported_format"]).toContain(outcome);
    }
  });
});

test("a whole sound is converted to another rate, at its length", () => {
  const samples = tone(440, 1, 22050);
  const converted = fromFloat(resampleWhole(toFloat(samples), 22050, 16000));
  expect(converted.length).toBe(16000);
  expect(fitTone(converted.subarray(400, 15600), 440, 16000).signalToNoiseDb).toBeGreaterThan(75);
});
