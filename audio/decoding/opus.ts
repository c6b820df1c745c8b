import { createDecoder, isOpusError, type OpusDecoderHandle } from "libopus-wasm";
import { unreadable } from "../unreadable.js";
import type { MonoSink } from "./mono-sink.js";
import type { OpusTrack } from "./opus-track.js";

/** Rates that the decoder gives by itself (RFC 6716 section 4.2.9); containers count at the highest. */
const decoderRates = [8000, 12_000, 16_000, 24_000, 48_000] as const;
const CONTAINER_RATE = 48_000;
/** Ends are trimmed to the sample where the container says so, but never by more than the longest packet. */
const LONGEST_PACKET_SECONDS = 0.12;
/**
 * 48 frames of the longest kind, with their lengths (RFC 6716 section 3.4); the decoder would make room for more and
 * keep it.
 */
const MAX_PACKET_BYTES = 61_440 + 256;

/**
 * Decodes the packets of an Opus track, mono or stereo (RFC 7845 mapping family 0), without its pre-skip; at once at
 * the rate wanted where the decoder knows it, which spares most of the work.
 */
export async function decodeOpus(track: OpusTrack, wantedRate: number | null, sink: MonoSink): Promise<void> {
  if (track.channels > 2) throw unreadable(`opus with ${track.channels} channels`);
  const sampleRate = decoderRates.find((rate) => rate === wantedRate) ?? CONTAINER_RATE;
  const decoder = await createDecoder({ channels: track.channels === 2 ? 2 : 1, sampleRate });
  try {
    decodePackets(track, decoder, sampleRate, sink);
  } finally {
    decoder.free();
  }
}

function decodePackets(track: OpusTrack, decoder: OpusDecoderHandle, sampleRate: number, sink: MonoSink): void {
  const here = (containerSamples: number): number => Math.round((containerSamples * sampleRate) / CONTAINER_RATE);
  let toSkip = here(track.preSkipSamples);
  let decoded = 0;
  /** Where the stream begins: later than at 0 in what was cut out of a broadcast. */
  let origin: number | null = null;
  for (const { data, granulePosition, isLast, discardSamples } of track.packets()) {
    const planes = decodePacket(decoder, data, track.channels);
    const samples = planes?.[0]?.length ?? 0;
    decoded += samples;
    if (granulePosition !== null) origin ??= Math.max(0, here(granulePosition) - decoded);
    const surplus =
      isLast && granulePosition !== null ? decoded + (origin ?? 0) - here(granulePosition) : here(discardSamples);
    const trim = surplus > 0 && surplus <= LONGEST_PACKET_SECONDS * sampleRate ? surplus : 0;
    const from = Math.min(toSkip, samples);
    toSkip -= from;
    sink.add(planes?.map((plane) => plane.subarray(from, Math.max(from, samples - trim))) ?? [], sampleRate);
  }
}

/** A damaged packet is a gap, as on the air; a file of nothing but those has no audio, which the sink reports. */
function decodePacket(decoder: OpusDecoderHandle, data: Uint8Array, channels: number): Float32Array[] | null {
  if (data.length === 0 || data.length > MAX_PACKET_BYTES) return null;
  try {
    const interleaved = decoder.decodeFloat(data);
    if (channels === 1) return [interleaved];
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
