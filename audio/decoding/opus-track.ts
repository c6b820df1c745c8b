import { readMatroskaAudio } from "./matroska.js";
import { readOggPackets } from "./ogg-packets.js";

/** The Opus stream of a container. */
export interface OpusTrack {
  channels: number;
  /** Samples at 48 kHz to drop from the start of the decoded audio. */
  preSkipSamples: number;
  /** Packets in order, one at a time. */
  packets(): Iterable<OpusPacket>;
}

export interface OpusPacket {
  data: Uint8Array;
  /**
   * What an Ogg page says of the place up to which the stream is complete with this packet, samples at 48 kHz; null
   * where nothing is said.
   */
  granulePosition: number | null;
  /** True for the last packet of an Ogg stream that was ended properly. */
  isLast: boolean;
  /** Samples at 48 kHz to drop from this packet's end. */
  discardSamples: number;
}

const OPUS_HEAD_BYTES = 19;

/** Opens Opus in Ogg; null when its header is none. */
export function openOggOpus(bytes: Uint8Array): OpusTrack | null {
  const first = readOggPackets(bytes).next();
  const head = first.done === true ? null : opusHead(first.value.data);
  if (head === null) return null;
  return {
    ...head,
    *packets() {
      let isHeader = true;
      for (const packet of readOggPackets(bytes)) {
        const tag = Buffer.from(packet.data.subarray(0, 8)).toString("latin1");
        isHeader &&= tag === "OpusHead" || tag === "OpusTags";
        if (!isHeader) yield { ...packet, discardSamples: 0 };
      }
    },
  };
}

/** Opens the first audio track of a WebM or Matroska file; null when it is not Opus. Throws when there is none. */
export function openWebmOpus(bytes: Uint8Array): OpusTrack | null {
  const track = readMatroskaAudio(bytes);
  if (track.codec !== "A_OPUS" || track.isTransformed) return null;
  const head = opusHead(track.codecPrivate) ?? { channels: track.channels, preSkipSamples: 0 };
  return {
    ...head,
    *packets() {
      for (const { data, discardMs } of track.packets())
        yield { data, granulePosition: null, isLast: false, discardSamples: Math.round(discardMs * 48) };
    },
  };
}

/** RFC 7845 section 5.1. */
function opusHead(bytes: Uint8Array): { channels: number; preSkipSamples: number } | null {
  if (bytes.length < OPUS_HEAD_BYTES || Buffer.from(bytes.subarray(0, 8)).toString("latin1") !== "OpusHead")
    return null;
  return { channels: bytes[9] ?? 0, preSkipSamples: (bytes[10] ?? 0) | ((bytes[11] ?? 0) << 8) };
}
