import { createOggPages } from "../encoding/ogg-pages.js";
import { ffmpegEncode } from "./ffmpeg.js";
import { flacFrame } from "./flac-frame.js";

// Small files that decode to very much, or that claim to. All but those of real encoders are made by hand.

export interface FlacBomb {
  frames: number;
  channels: number;
  sampleRate: 8000 | 16_000 | 48_000;
  /** Samples that the header claims for the whole file; 0 is unknown. */
  claimedSamples?: number;
}

const FLAC_BLOCK_SAMPLES = 65_535;
const flacRateCodes = { 8000: 4, 16_000: 5, 48_000: 10 } as const;

/** FLAC (RFC 9639) of constant subframes: 26 bytes for 65,535 samples in each of eight channels. */
export function flacBomb(bomb: FlacBomb): Buffer {
  return Buffer.concat([Buffer.from("fLaC"), streamInfo(bomb), ...flacFrames(bomb)]);
}

/** The same in Ogg (https://xiph.org/flac/ogg_mapping.html): up to 255 frames on a page. */
export function oggFlacBomb(bomb: FlacBomb): Buffer {
  const page = createOggPages(3);
  const comments = Buffer.from([0x84, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0]);
  const info = streamInfo(bomb);
  info.writeUInt8(0, 0);
  const first = Buffer.concat([Buffer.from([0x7f, 0x46, 0x4c, 0x41, 0x43, 1, 0, 0, 1]), Buffer.from("fLaC"), info]);
  const pages = [page([first], { granulePosition: 0 }), page([comments], { granulePosition: 0 })];
  const frames = flacFrames(bomb);
  for (let at = 0; at < frames.length; at += 255) {
    const end = Math.min(at + 255, frames.length);
    pages.push(page(frames.slice(at, end), { granulePosition: end * FLAC_BLOCK_SAMPLES, last: end === frames.length }));
  }
  return Buffer.concat(pages);
}

function streamInfo({ channels, sampleRate, claimedSamples = 0 }: FlacBomb): Buffer {
  const info = Buffer.alloc(38);
  info.writeUInt8(0x80, 0); // STREAMINFO, the last block of metadata
  info.writeUIntBE(34, 1, 3);
  info.writeUInt16BE(FLAC_BLOCK_SAMPLES, 4);
  info.writeUInt16BE(FLAC_BLOCK_SAMPLES, 6);
  // 20 bits rate, 3 bits channels - 1, 5 bits width - 1, 36 bits samples
  info.writeBigUInt64BE(
    (BigInt(sampleRate) << 44n) | (BigInt(channels - 1) << 41n) | (7n << 36n) | BigInt(claimedSamples),
    14,
  );
  return info;
}

function flacFrames({ frames, channels, sampleRate }: FlacBomb): Buffer[] {
  return Array.from({ length: frames }, (_, number) => {
    const size = Buffer.alloc(2);
    size.writeUInt16BE(FLAC_BLOCK_SAMPLES - 1);
    const channelsAndWidth = ((channels - 1) << 4) | 2;
    return flacFrame({
      number,
      sizeAndRate: 0x70 | flacRateCodes[sampleRate],
      channelsAndWidth,
      size,
      samples: Buffer.alloc(2 * channels),
    });
  });
}

/**
 * Ogg Opus of packets that are two bytes long and stand for 120 ms: code 3 with as many empty frames as a packet may
 * have.
 */
export function opusBomb(options: { packets: number; channels: 1 | 2; claimedGranule?: number }): Buffer {
  const { packets, channels, claimedGranule } = options;
  const head = Buffer.alloc(19);
  head.write("OpusHead\u0001", 0, "latin1");
  head.writeUInt8(channels, 9);
  head.writeUInt32LE(48_000, 12);
  const page = createOggPages(7);
  const pages = [
    page([head], { granulePosition: 0 }),
    page([Buffer.concat([Buffer.from("OpusTags"), Buffer.alloc(8)])], { granulePosition: 0 }),
  ];
  // CELT, fullband, 2.5 ms, constant rate, 48 frames.
  const packet = Buffer.of((28 << 3) | (channels === 2 ? 4 : 0) | 3, 48);
  for (let done = 0; done < packets; done += 255) {
    const count = Math.min(255, packets - done);
    const granulePosition = claimedGranule ?? (done + count) * 5760;
    pages.push(
      page(
        Array.from({ length: count }, () => packet),
        { granulePosition, last: done + count === packets },
      ),
    );
  }
  return Buffer.concat(pages);
}

/**
 * Ogg Vorbis of one-byte packets, each a long block of silence, in as many channels as its header is made to claim: a
 * mono file's set-up says nothing of channels.
 */
export function vorbisBomb(options: { packets: number; channels: number; claimedGranule?: number }): Buffer {
  const { packets, channels, claimedGranule } = options;
  const mono = ffmpegEncode(new Int16Array(48_000), 48_000, ["-c:a", "libvorbis", "-f", "ogg"]);
  const [identification, comments, setup] = oggPackets(mono);
  if (identification === undefined || comments === undefined || setup === undefined)
    throw new Error("no Vorbis headers");
  identification.writeUInt8(channels, 11);
  identification.writeUInt8(0xd8, 28); // long blocks of 8192, short ones of 256
  const page = createOggPages(9);
  const pages = [page([identification], { granulePosition: 0 }), page([comments, setup], { granulePosition: 0 })];
  // Audio, the second of two modes, both neighbours long; nothing follows, so that each channel's floor is unused.
  const packet = Buffer.of(0b1110);
  for (let done = 0; done < packets; done += 255) {
    const count = Math.min(255, packets - done);
    pages.push(
      page(
        Array.from({ length: count }, () => packet),
        { granulePosition: claimedGranule ?? (done + count) * 4096, last: done + count === packets },
      ),
    );
  }
  return Buffer.concat(pages);
}

/** The packets of a file with one Ogg stream. */
function oggPackets(file: Uint8Array): Buffer[] {
  const packets: Buffer[] = [];
  let open: Buffer[] = [];
  for (let at = 0; at + 27 <= file.length; ) {
    const lacing = file.subarray(at + 27, at + 27 + (file[at + 26] ?? 0));
    at += 27 + lacing.length;
    for (const length of lacing) {
      open.push(Buffer.from(file.subarray(at, at + length)));
      at += length;
      if (length === 255) continue;
      packets.push(Buffer.concat(open));
      open = [];
    }
  }
  return packets;
}

/** Ogg pages that each begin a stream of their own, as if thousands were to be played together; the first is Opus. */
export function oggOfManyStreams(streams: number): Buffer {
  const head = Buffer.alloc(19);
  head.write("OpusHead\u0001\u0001", 0, "latin1");
  return Buffer.concat(
    Array.from({ length: streams }, (_, serial) =>
      createOggPages(serial + 1)([serial === 0 ? head : Buffer.of(0)], { granulePosition: 0 }),
    ),
  );
}

/** MPEG-2.5 layer III at 8 kHz and 8 kb/s with nothing in its frames: 72 bytes for 576 samples. */
export function mp3Bomb(frames: number): Buffer {
  const frame = Buffer.alloc(72);
  frame.writeUInt32BE(0xffe318c4);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

/** Frames of "free" bit rate are as long as the place of the next one says: 21 bytes for 1152 samples. */
export function freeFormatMp3Bomb(frames: number): Buffer {
  const regular = Buffer.alloc(104);
  regular.writeUInt32BE(0xfffb10c4);
  const frame = Buffer.alloc(21);
  frame.writeUInt32BE(0xfffb00c4);
  return Buffer.concat([regular, regular, ...Array.from({ length: frames }, () => frame)]);
}

/**
 * WebM with one Opus track whose blocks hold 256 laced packets of two bytes each, in one cluster; its header claims a
 * thousand years.
 */
export function webmBomb(blocks: number): Buffer {
  const number = (id: number[], value: number): Buffer => element(id, Buffer.of(value));
  const head = Buffer.alloc(19);
  head.write("OpusHead\u0001\u0001", 0, "latin1");
  head.writeUInt32LE(48_000, 12);
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(3.2e13);
  const info = element(
    [0x15, 0x49, 0xa9, 0x66],
    Buffer.concat([element([0x2a, 0xd7, 0xb1], Buffer.of(0x0f, 0x42, 0x40)), element([0x44, 0x89], duration)]),
  );
  const rate = Buffer.alloc(8);
  rate.writeDoubleBE(48_000);
  const audio = element([0xe1], Buffer.concat([element([0xb5], rate), number([0x9f], 1)]));
  const track = element(
    [0xae],
    Buffer.concat([
      number([0xd7], 1),
      number([0x73, 0xc5], 1),
      number([0x83], 2),
      element([0x86], Buffer.from("A_OPUS")),
      element([0x63, 0xa2], head),
      audio,
    ]),
  );
  const lacedPackets = Buffer.concat(Array.from({ length: 256 }, () => Buffer.of(0xe3, 48)));
  // Track 1, time 0, key frame with fixed-size lacing, 256 packets.
  const block = element([0xa3], Buffer.concat([Buffer.of(0x81, 0, 0, 0x84, 255), lacedPackets]));
  const cluster = element(
    [0x1f, 0x43, 0xb6, 0x75],
    Buffer.concat([number([0xe7], 0), ...Array.from({ length: blocks }, () => block)]),
  );
  const ebml = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Buffer.from("webm")));
  return Buffer.concat([
    ebml,
    element([0x18, 0x53, 0x80, 0x67], Buffer.concat([info, element([0x16, 0x54, 0xae, 0x6b], track), cluster])),
  ]);
}

/** An EBML element with a length of eight bytes. */
function element(id: number[], body: Buffer): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(body.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id), length, body]);
}
