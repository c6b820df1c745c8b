import { createDecoder, isOpusError, type OpusDecoderHandle } from "libopus-wasm";
import { unreadable } from "./failures.js";
import type { MonoSink } from "./mono-sink.js";
import type { OpusTrack } from "./opus-track.js";

const SAMPLE_RATE = 48_000;
/** Ends are trimmed to the sample where the container says so, but never by more than the longest packet. */
const LONGEST_PACKET_SAMPLES = 5760;

/** Decodes the packets of an Opus track, mono or stereo (RFC 7845 mapping family 0), without its pre-skip. */
export async function decodeOpus(track: OpusTrack, sink: MonoSink): Promise<void> {
  if (track.channels > 2) throw unreadable(`opus with ${track.channels} channels`);
  const decoder = await createDecoder({ channels: track.channels === 2 ? 2 : 1, sampleRate: SAMPLE_RATE });
  try {
    await decodePackets(track, decoder, sink);
  } finally {
    decoder.free();
  }
}

async function decodePackets(track: OpusTrack, decoder: OpusDecoderHandle, sink: MonoSink): Promise<void> {
  let toSkip = track.preSkipSamples;
  let given = 0;
  let last: Float32Array[] | null = null;
  let endSamples: number | null = null;
  for await (const packet of track.packets()) {
    const planes = decodePacket(decoder, packet.data, track.channels);
    endSamples = packet.endSamples;
    if (planes === null) continue;
    if (last !== null) sink.add(last, SAMPLE_RATE);
    const skipped = Math.min(toSkip, planes[0]?.length ?? 0);
    toSkip -= skipped;
    last = planes.map((plane) => plane.subarray(skipped));
    given += last[0]?.length ?? 0;
  }
  if (last === null) return;
  const surplus = endSamples === null ? 0 : given - endSamples;
  const trim = surplus > 0 && surplus <= LONGEST_PACKET_SAMPLES ? surplus : 0;
  sink.add(
    last.map((plane) => plane.subarray(0, Math.max(0, plane.length - trim))),
    SAMPLE_RATE,
  );
}

/** A damaged packet is a gap, as on the air; a file of nothing but those has no sound, which the sink reports. */
function decodePacket(decoder: OpusDecoderHandle, data: Uint8Array, channels: number): Float32Array[] | null {
  if (data.length === 0) return null;
  try {
    const interleaved = decoder.decodeFloat(data);
    return Array.from({ length: channels }, (_, channel) => {
      const plane = new Float32Array(interleaved.length / channels);
      for (let i = 0; i < plane.length; i++) plane[i] = interleaved[i * channels + channel] as number;
      return plane;
    });
  } catch (error) {
    if (isOpusError(error)) return null;
    throw error;
  }
}
