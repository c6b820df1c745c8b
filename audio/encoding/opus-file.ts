import { createOggPages } from "./ogg-pages.js";
import { opusHead, opusTags } from "./opus-headers.js";
import { OPUS_LOOKAHEAD, silentPacket } from "./opus-packets.js";

/** Samples at 48 kHz of a packet of 20 ms. */
const PACKET_SAMPLES = 960;
/** Less than a second; even packets of the largest size fit a page then. */
const PAGE_PACKETS = 40;

export interface OpusFileOptions {
  /** Rate before encoding, as the header records it; players do not use it. */
  originalSampleRate: number;
  serialNumber: number;
}

/** An Ogg file of Opus packets that were encoded before (RFC 7845): mono, 20 ms each. */
export interface OpusFile {
  /** Gives the pages that are complete with this packet. */
  add(packet: Uint8Array): Uint8Array[];
  /** `add` of so many packets of silence. */
  addSilence(packets: number): Uint8Array[];
  /** Gives the rest. */
  finish(): Uint8Array[];
}

/** Opens a file. It plays as long as its packets are, from the first sample that was encoded. */
export function createOpusFile({ originalSampleRate, serialNumber }: OpusFileOptions): OpusFile {
  const page = createOggPages(serialNumber);
  let waiting: Uint8Array[] = [];
  let packets = 0;
  let isBegun = false;

  function begin(): Uint8Array[] {
    if (isBegun) return [];
    isBegun = true;
    return [opusHead(OPUS_LOOKAHEAD, originalSampleRate), opusTags()].map((header) =>
      page([header], { granulePosition: 0 }),
    );
  }

  function add(packet: Uint8Array): Uint8Array[] {
    const pages = begin();
    waiting.push(packet);
    packets++;
    if (waiting.length < PAGE_PACKETS) return pages;
    pages.push(page(waiting, { granulePosition: packets * PACKET_SAMPLES }));
    waiting = [];
    return pages;
  }

  return {
    add,
    addSilence: (count) => Array.from({ length: count }, () => add(silentPacket)).flat(),
    finish() {
      const pages = begin();
      // Decoded audio lags: one more packet brings the rest, and the position cuts what is too much.
      const granulePosition = packets * PACKET_SAMPLES + OPUS_LOOKAHEAD;
      pages.push(page([...waiting, silentPacket], { granulePosition, last: true }));
      return pages;
    },
  };
}
