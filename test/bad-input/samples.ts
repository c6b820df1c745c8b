import { ffmpegEncode } from "#audio/testing/ffmpeg";
import { noise } from "#audio/testing/signals";
import { speechLike } from "#audio/testing/speech-like";
import { wavFile } from "#audio/testing/wav-file";

const RATE = 16_000;

function wav(samples: Int16Array, sampleRate = RATE): Buffer {
  return wavFile({ sampleRate, channels: 1, bits: 16 }, samples.length, (frame) => (samples[frame] ?? 0) / 32768);
}

const voice = (seconds: number): Int16Array =>
  speechLike({ pitchHz: 120, syllablesPerSecond: 4, seconds, sampleRate: RATE });

/** A recording that a voice can be made of. */
export const goodSample = wav(voice(2));

/** The same, to be cut. */
export const compressedSamples: [name: string, bytes: Uint8Array][] = [
  ["mp3", ffmpegEncode(voice(2), RATE, ["-f", "mp3", "-b:a", "32k"])],
  ["ogg", ffmpegEncode(voice(2), RATE, ["-f", "ogg", "-c:a", "libopus", "-b:a", "24k"])],
  ["flac", ffmpegEncode(voice(2), RATE, ["-f", "flac"])],
  ["wav", goodSample],
];

/** Bytes that are no usable recording: silent, too short, or no audio: a clear 4xx. */
export const badSamples: [name: string, bytes: Uint8Array][] = [
  ["one byte", Buffer.of(0)],
  ["two sync bytes", Buffer.of(0xff, 0xfb)],
  ["a sentence", Buffer.from("This is no audio, it only says so.")],
  ["zeros", Buffer.alloc(50_000)],
  ["ones", Buffer.alloc(50_000, 0xff)],
  ["noise of bytes", Buffer.from(noise(30_000, 1, 7).buffer)],
  ["HTML", Buffer.from("<!doctype html><script>alert(1)</script>")],
  ["a PNG", Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex")],
  ["a ZIP", Buffer.from("504b0506000000000000000000000000000000000000", "hex")],
  ["a program", Buffer.concat([Buffer.from("7f454c46020101", "hex"), Buffer.alloc(500)])],
  ["a playlist", Buffer.from("#EXTM3U\n#EXTINF:-1,x\nfile:///etc/passwd\n")],
  ["a concatenation script", Buffer.from("ffconcat version 1.0\nfile /etc/passwd\n")],
  ["only RIFF", Buffer.from("RIFF")],
  ["an empty WAVE", Buffer.from("RIFF\u0004\0\0\0WAVE", "latin1")],
  ["a WAVE without samples", wav(new Int16Array(0))],
  ["a WAVE of one sample", wav(new Int16Array(1))],
  ["a WAVE of no channels", wavFile({ sampleRate: RATE, channels: 0, bits: 16 }, 0, () => 0)],
  ["a WAVE at 0 Hz", wav(voice(1.5), 0)],
  ["a WAVE at 2 GHz", wav(voice(1.5), 0x7fffffff)],
  ["a WAVE of 32,767 channels", wavFile({ sampleRate: RATE, channels: 32_767, bits: 16 }, 1, () => 0.1)],
  [
    "a WAVE that claims 4 GB of its 100 samples",
    wavFile({ sampleRate: RATE, channels: 1, bits: 16, claimedBytes: 0xfffffff0 }, 100, () => 0.1),
  ],
  ["a WAVE of an unknown codec", wavFile({ sampleRate: RATE, channels: 1, bits: 16, tag: 0x7777 }, 1000, () => 0.1)],
  ["3 s of silence", wav(new Int16Array(3 * RATE))],
  ["3 s of nearly silence", wav(noise(3 * RATE, 0.0001))],
  ["half a second", wav(voice(0.5))],
  ["an mp3 of half a second", ffmpegEncode(voice(0.5), RATE, ["-f", "mp3"])],
  ["a FLAC of silence", ffmpegEncode(new Int16Array(3 * RATE), RATE, ["-f", "flac"])],
  ["ID3 that claims 256 MB", Buffer.concat([Buffer.from("49443304000f7f7f7f7f", "hex"), Buffer.alloc(1000)])],
  ["a FLAC mark and rubbish", Buffer.concat([Buffer.from("fLaC"), Buffer.alloc(2000, 0x5a)])],
  ["an Ogg mark and rubbish", Buffer.concat([Buffer.from("OggS"), Buffer.alloc(2000, 0x5a)])],
  ["an MP4 mark and rubbish", Buffer.concat([Buffer.from("\0\0\0 ftypM4A ", "latin1"), Buffer.alloc(2000, 0x5a)])],
  ["a WebM mark and rubbish", Buffer.concat([Buffer.from("1a45dfa3", "hex"), Buffer.alloc(2000, 0x5a)])],
  ["an AIFF mark and rubbish", Buffer.from(`FORM\0\0\x10\0AIFF${"Z".repeat(2000)}`, "latin1")],
  [
    "mp3 frames of rubbish",
    Buffer.concat(
      Array.from({ length: 40 }, () => Buffer.concat([Buffer.from("fffb9000", "hex"), Buffer.alloc(413, 0xaa)])),
    ),
  ],
];
