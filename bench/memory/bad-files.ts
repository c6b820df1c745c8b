import { createCipheriv } from "node:crypto";
import { flacBomb } from "#audio/testing/audio-bombs";

/** Begin as a kind of recording does and go on with noise, so that a decoder has to look for sense in them. */
const beginnings: readonly (readonly [Uint8Array, number])[] = [
  [Buffer.from("ID3\x04\0\0\0\0\0\0", "latin1"), 800_000],
  [Buffer.from("OggS"), 900_000],
  [Buffer.from("fLaC"), 900_000],
  [Buffer.from("RIFF\xff\xff\xff\xffWAVEfmt ", "latin1"), 1_000_000],
  [Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3), 900_000],
  [Uint8Array.of(0xff, 0xfb, 0x90, 0x64), 900_000],
  [new Uint8Array(), 2_000_000],
];

/** Recordings that no decoder can use, one of each kind: noise behind each beginning, and one that decodes to hours. */
export function badFiles(seed: number): Uint8Array[] {
  // A cipher's output is noise that the seed repeats, megabytes of it at once.
  const key = Buffer.alloc(16);
  key.writeUInt32LE(seed);
  const cipher = createCipheriv("aes-128-ctr", key, Buffer.alloc(16));
  const noise = (bytes: number): Uint8Array => cipher.update(Buffer.alloc(bytes));
  return [
    ...beginnings.map(([beginning, bytes]) => Buffer.concat([beginning, noise(bytes)])),
    flacBomb({ frames: 3000, channels: 8, sampleRate: 8000 }),
  ];
}
