import { createOggPages } from "#audio/encoding/ogg-pages";
import { flacFrame } from "#audio/testing/flac-frame";

/** FLAC (RFC 9639) of nothing but silence, made by hand: one byte of file for hundreds of samples. */
export function silentFlac(options: {
  sampleRate: 8000 | 16_000;
  seconds: number;
  claimedSamples?: number;
  claimedRate?: number;
}): Buffer {
  const { sampleRate, seconds, claimedSamples = 0, claimedRate = sampleRate } = options;
  const BLOCK = 4608;
  const info = Buffer.alloc(38);
  info.writeUInt8(0x80, 0); // STREAMINFO, the last block of metadata
  info.writeUIntBE(34, 1, 3);
  info.writeUInt16BE(BLOCK, 4);
  info.writeUInt16BE(BLOCK, 6);
  // 20 bits rate, 3 bits channels - 1, 5 bits width - 1, 36 bits samples
  info.writeBigUInt64BE((BigInt(claimedRate) << 44n) | (15n << 36n) | BigInt(claimedSamples), 14);
  const frames = Array.from({ length: Math.ceil((seconds * sampleRate) / BLOCK) }, (_, number) =>
    silentFrame(number, sampleRate),
  );
  return Buffer.concat([Buffer.from("fLaC"), info, ...frames]);
}

function silentFrame(number: number, sampleRate: 8000 | 16_000): Buffer {
  return flacFrame({
    number,
    sizeAndRate: 0x50 | (sampleRate === 8000 ? 4 : 5),
    channelsAndWidth: 0x08,
    samples: Buffer.of(0, 0, 0),
  });
}

/** Ogg Opus (RFC 7845) of silence: packets of one byte that stand for sixty milliseconds. */
export function silentOpus(options: {
  seconds: number;
  channels?: number;
  preSkip?: number;
  claimedGranule?: number;
  rate?: number;
}): Buffer {
  const { seconds, channels = 1, preSkip = 312, rate = 48_000 } = options;
  const head = Buffer.alloc(19);
  head.write("OpusHead\u0001", 0, "latin1");
  head.writeUInt8(channels, 9);
  head.writeUInt16LE(preSkip, 10);
  head.writeUInt32LE(rate, 12);
  const tags = Buffer.concat([Buffer.from("OpusTags"), Buffer.alloc(8)]);
  const page = createOggPages(7);
  const pages = [page([head], { granulePosition: 0 }), page([tags], { granulePosition: 0 })];
  const packets = Math.ceil(seconds / 0.06);
  const PER_PAGE = 200;
  for (let done = 0; done < packets; done += PER_PAGE) {
    const count = Math.min(PER_PAGE, packets - done);
    const granulePosition = options.claimedGranule ?? (done + count) * 2880;
    // SILK, wideband, 60 ms, one frame; an empty frame is a lost one.
    pages.push(
      page(
        Array.from({ length: count }, () => Buffer.of(0x58)),
        { granulePosition, last: done + count === packets },
      ),
    );
  }
  return Buffer.concat(pages);
}
