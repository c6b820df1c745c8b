import { Application, createEncoder, type OpusEncoderHandle } from "libopus-wasm";
import { type Codec, createFraming } from "./codec.js";
import { createOggPages } from "./ogg-pages.js";
import { opusHead, opusTags } from "./opus-headers.js";

const SAMPLE_RATE = 48_000;
/** 20 ms. */
const PACKET_SAMPLES = 960;
/** Packets of the first pages: one, so that audio leaves at once; then more, which costs less. */
const FIRST_PAGES = [1, 2, 3];
const PAGE_PACKETS = 5;
/**
 * Of 10: costs a quarter less time, with no loss that is measured at these bitrates. Told that it is speech, the
 * encoder takes twice as long.
 */
const COMPLEXITY = 5;

export interface OpusOptions {
  /** Null is the encoder's own choice, about 51 kbit/s. */
  bitsPerSecond: number | null;
  /** Rate before resampling, as OpusHead records it; players do not use it. */
  originalSampleRate: number;
  serialNumber: number;
}

/** Opus in Ogg (RFC 6716, RFC 7845): mono, 48 kHz, 20 ms packets. */
export async function createOpusCodec(options: OpusOptions): Promise<Codec> {
  const encoder = await createEncoder({
    channels: 1,
    sampleRate: SAMPLE_RATE,
    application: Application.Audio,
    bitrate: options.bitsPerSecond ?? "auto",
    complexity: COMPLEXITY,
    frameSize: PACKET_SAMPLES,
  });
  return oggOpus(encoder, options);
}

function oggOpus(encoder: OpusEncoderHandle, { originalSampleRate, serialNumber }: OpusOptions): Codec {
  const preSkip = encoder.getLookahead();
  const page = createOggPages(serialNumber);
  const framing = createFraming(PACKET_SAMPLES);
  let headersDue = true;
  let pages = 0;
  let packets: Uint8Array[] = [];
  let packetsEncoded = 0;
  let freed = false;

  /**
   * The header pages at the first call, nothing later. Comes before any other page: pages are numbered as they are
   * made.
   */
  function headers(): Uint8Array[] {
    if (!headersDue) return [];
    headersDue = false;
    return [
      page([opusHead(preSkip, originalSampleRate)], { granulePosition: 0 }),
      page([opusTags()], { granulePosition: 0 }),
    ];
  }

  function addPacket(frame: Float32Array): void {
    packets.push(encoder.encodeFloat(frame).slice());
    packetsEncoded++;
  }

  function closePage(): Uint8Array {
    const bytes = page(packets, { granulePosition: packetsEncoded * PACKET_SAMPLES });
    packets = [];
    pages++;
    return bytes;
  }

  return {
    encode(samples) {
      const parts = headers();
      framing.push(samples, (frame) => {
        addPacket(frame);
        if (packets.length >= (FIRST_PAGES[pages] ?? PAGE_PACKETS)) parts.push(closePage());
      });
      return parts;
    },
    // The encoder's look-ahead, 6.5 ms, stays inside when the last packet is full: it comes first when audio goes on,
    // and with `finish`.
    flush() {
      const parts = headers();
      if (framing.waiting() > 0) addPacket(padded(framing.rest()));
      if (packets.length > 0) parts.push(closePage());
      return parts;
    },
    finish() {
      const parts = headers();
      const samples = packetsEncoded * PACKET_SAMPLES + framing.waiting();
      // Decoded audio lags by the pre-skip: packets go on until the last sample is out, and the final position trims
      // what follows it.
      const endPosition = samples + preSkip;
      while (packetsEncoded * PACKET_SAMPLES < endPosition) addPacket(padded(framing.rest()));
      parts.push(page(packets, { granulePosition: endPosition, last: true }));
      return parts;
    },
    free() {
      if (!freed) encoder.free();
      freed = true;
    },
  };
}

function padded(samples: Float32Array): Float32Array {
  const frame = new Float32Array(PACKET_SAMPLES);
  frame.set(samples);
  return frame;
}
