import type { AudioFormat } from "#protocol/speech/request";

/** Says how much audio a growing stream of bytes holds. */
export interface AudioMeter {
  /** Takes the next bytes; gives the seconds so far. */
  feed(bytes: Uint8Array): number;
}

/** Bit rate and sample rate that `parley say` asks for, so that bytes can be counted as time. */
export const MP3_KILOBITS_PER_SECOND = 128;
export const PCM_SAMPLE_RATE = 24_000;

/** A meter for what the service sends in `format`. */
export function audioMeter(format: AudioFormat): AudioMeter {
  switch (format) {
    case "mp3":
      return constantRateMeter((MP3_KILOBITS_PER_SECOND * 1000) / 8);
    case "pcm":
      return constantRateMeter(PCM_SAMPLE_RATE * 2);
    case "wav":
      return wavMeter();
    case "opus":
      return oggOpusMeter();
  }
}

function constantRateMeter(bytesPerSecond: number): AudioMeter {
  let total = 0;
  return {
    feed(bytes) {
      total += bytes.length;
      return total / bytesPerSecond;
    },
  };
}

/** Canonical RIFF header: 44 bytes, byte rate at offset 28. */
function wavMeter(): AudioMeter {
  const header = Buffer.alloc(44);
  let total = 0;
  return {
    feed(bytes) {
      if (total < header.length) header.set(bytes.subarray(0, header.length - total), total);
      total += bytes.length;
      return total <= header.length ? 0 : (total - header.length) / header.readUInt32LE(28);
    },
  };
}

/**
 * Ogg pages (RFC 3533 section 6): granule position at offset 6, segment table from offset 26; Opus counts at 48 kHz
 * (RFC 7845 section 4).
 */
function oggOpusMeter(): AudioMeter {
  let pending = Buffer.alloc(0);
  let seconds = 0;
  return {
    feed(bytes) {
      pending = Buffer.concat([pending, bytes]);
      for (;;) {
        if (pending.length < 27) return seconds;
        const segments = pending.readUInt8(26);
        if (pending.length < 27 + segments) return seconds;
        const length = pending.subarray(27, 27 + segments).reduce((sum, size) => sum + size, 27 + segments);
        if (pending.length < length) return seconds;
        const granule = pending.readBigInt64LE(6);
        if (granule > 0n) seconds = Number(granule) / 48_000;
        pending = pending.subarray(length);
      }
    },
  };
}
