import { BufferSource, EncodedPacketSink, Input, MATROSKA, OGG, WEBM } from "mediabunny";
import { unreadable } from "./failures.js";

/** The first Opus track of a container. */
export interface OpusTrack {
  channels: number;
  /** Samples at 48 kHz to drop from the start of the decoded sound. */
  preSkipSamples: number;
  /** Packets in order; `endSamples` is where the container says that the sound so far ends, null when it does not. */
  packets(): AsyncIterable<{ data: Uint8Array; endSamples: number | null }>;
}

const OPUS_HEAD_BYTES = 19;

/** Opens an Ogg, WebM or Matroska file. Null when its first audio track is another codec. Throws when there is no audio track. */
export async function openOpusTrack(bytes: Uint8Array, format: string): Promise<OpusTrack | null> {
  const input = new Input({ formats: [OGG, WEBM, MATROSKA], source: new BufferSource(bytes) });
  const track = await input.getPrimaryAudioTrack();
  if (track === null) throw unreadable(`${format} without an audio track`);
  if (track.codec !== "opus") return null;
  const head = opusHead((await track.getDecoderConfig())?.description);
  return {
    channels: head?.channels ?? track.numberOfChannels,
    preSkipSamples: head?.preSkipSamples ?? 0,
    async *packets() {
      for await (const { data, timestamp, duration } of new EncodedPacketSink(track).packets()) {
        yield { data, endSamples: duration > 0 ? Math.round((timestamp + duration) * 48_000) : null };
      }
    },
  };
}

/** RFC 7845 section 5.1. */
function opusHead(description: ArrayBufferLike | ArrayBufferView | undefined): { channels: number; preSkipSamples: number } | null {
  if (description === undefined) return null;
  const view = ArrayBuffer.isView(description)
    ? new DataView(description.buffer, description.byteOffset, description.byteLength)
    : new DataView(description);
  if (view.byteLength < OPUS_HEAD_BYTES) return null;
  return { channels: view.getUint8(9), preSkipSamples: view.getUint16(10, true) };
}
