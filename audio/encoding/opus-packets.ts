import { Application, createEncoder, type OpusEncoderHandle } from "libopus-wasm";

const PACKET_MS = 20;

/** 20 ms of digital silence: fullband CELT, mono, without anything in it. */
export const silentPacket = Uint8Array.of(0xf8, 0xff, 0xfe);

/** How much decoded audio lags behind what was encoded, in samples at 48 kHz; the same at every rate. */
export const OPUS_LOOKAHEAD = 120;

/** Of 10: 0.04 ms a packet, half of what 5 takes. */
const COMPLEXITY = 3;

export interface OpusPacketsOptions {
  sampleRate: 16_000 | 24_000 | 48_000;
  bitsPerSecond: number;
}

/** One track of mono audio on its way to packets that somebody else puts into a file. */
export interface OpusPackets {
  /** Gives a packet for each 20 ms of samples, which are whole packets. One call at a time. */
  encode(samples: Int16Array): Promise<Uint8Array[]>;
  /** Frees memory outside of JavaScript's own. */
  free(): void;
}

/**
 * Opens an encoder. Digital silence is not encoded: three bytes say it. What comes after it begins with a new encoder,
 * so that it builds on nothing that a decoder does not have by then.
 */
export function createOpusPackets({ sampleRate, bitsPerSecond }: OpusPacketsOptions): OpusPackets {
  const packetSamples = (sampleRate * PACKET_MS) / 1000;
  let encoder: OpusEncoderHandle | null = null;
  let wasSilent = true;

  function free(): void {
    encoder?.free();
    encoder = null;
  }

  function open(): Promise<OpusEncoderHandle> {
    return createEncoder({
      channels: 1,
      sampleRate,
      // Without the part for speech, which takes five times as long and is no better at these bitrates.
      application: Application.RestrictedLowDelay,
      bitrate: bitsPerSecond,
      complexity: COMPLEXITY,
      frameSize: packetSamples,
    });
  }

  return {
    async encode(samples) {
      const packets: Uint8Array[] = [];
      for (let at = 0; at < samples.length; at += packetSamples) {
        const frame = samples.subarray(at, at + packetSamples);
        const isSilent = frame.every((sample) => sample === 0);
        // The first silent frame brings what the encoder still holds of the one before.
        if (isSilent && wasSilent) {
          free();
          packets.push(silentPacket);
          continue;
        }
        wasSilent = isSilent;
        encoder ??= await open();
        packets.push(encoder.encode(frame).slice());
      }
      return packets;
    },
    free,
  };
}

/** Loads the encoder and runs it for a moment: the first packets of a process take up to a quarter of a second else. */
export async function warmOpusPackets(): Promise<void> {
  const packets = createOpusPackets({ sampleRate: 16_000, bitsPerSecond: 32_000 });
  await packets.encode(Int16Array.from({ length: 16_000 }, (_, index) => 8000 * Math.sin(index / 6 + (index % 97))));
  packets.free();
}
