import { afterAll, expect, test } from "vitest";
import { closeDecoderThreads } from "../decoding/decoder-pool.js";
import { ffmpegEncode } from "../testing/ffmpeg.js";
import { noise, tone } from "../testing/signals.js";
import { speechLike } from "../testing/speech-like.js";
import { bytesToSamples } from "../pcm.js";
import { measureVoiceSample } from "./measure-sample.js";
import { measureVoice } from "./traits.js";

afterAll(closeDecoderThreads);

const toWav = (samples: Int16Array): Uint8Array => ffmpegEncode(samples, 16_000, ["-f", "wav"]);
const voice = speechLike({ pitchHz: 190, syllablesPerSecond: 4, seconds: 4, sampleRate: 16_000 });

test.each([
  ["wav", ["-f", "wav"]],
  ["mp3", ["-c:a", "libmp3lame", "-f", "mp3"]],
  ["opus", ["-c:a", "libopus", "-f", "ogg"]],
])("measures a voice in %s", async (_, args) => {
  const { traits, durationMs } = await measureVoiceSample(ffmpegEncode(voice, 16_000, args));
  expect(Math.abs(traits.pitchHz - 190)).toBeLessThan(3);
  expect(Math.abs(traits.syllablesPerSecond - 4)).toBeLessThan(0.8);
  expect(Math.abs(durationMs - 4000)).toBeLessThan(120);
});

test("gives the beginning of a sample for models that clone voices, at their rate", async () => {
  const { prompt } = await measureVoiceSample(toWav(voice));
  const samples = bytesToSamples(prompt ?? new Uint8Array(0));
  expect(samples.length).toBe(4 * 24_000);
  const { pitchHz, spectralTiltDbPerOctave } = measureVoice({ samples, sampleRate: 24_000 });
  const own = measureVoice({ samples: voice, sampleRate: 16_000 });
  expect(pitchHz).toBeCloseTo(own.pitchHz, 0);
  expect(spectralTiltDbPerOctave).toBeCloseTo(own.spectralTiltDbPerOctave, 0);
  const long = speechLike({ pitchHz: 190, syllablesPerSecond: 4, seconds: 20, sampleRate: 16_000 });
  expect((await measureVoiceSample(toWav(long))).prompt?.length).toBe(2 * 10 * 24_000);
});

test.each([
  ["not audio", Buffer.from("hello, I am not audio at all"), "not audio"],
  ["silence", toWav(new Int16Array(48_000)), "silent"],
  ["noise", toWav(noise(48_000, 0.3)), "no speech"],
  ["a tone", toWav(tone(300, 3, 16_000)), "too little speech"],
  ["half a second", toWav(voice.subarray(0, 8000)), "shorter than 1 second"],
  ["six minutes", toWav(new Int16Array(16_000 * 360)), "longer than 5 minutes"],
])("%s cannot be a reference", async (_, bytes, detail) => {
  await expect(measureVoiceSample(bytes)).rejects.toMatchObject({
    code: "bad_reference_audio",
    status: 400,
    message: expect.stringContaining(detail),
  });
});
