import { OggVorbisDecoder } from "@wasm-audio-decoders/ogg-vorbis";
import { unreadable } from "../unreadable.js";
import { MAX_CHANNELS, type MonoSink } from "./mono-sink.js";
import { readOggPackets } from "./ogg-packets.js";

/** Types of the packets in front (Vorbis I section 4.2.1). */
const IDENTIFICATION = 1;
const SETUP = 5;
/** Longest block: the end is trimmed to the sample where the container says so, but never by more. */
const LONGEST_BLOCK_SAMPLES = 8192;

type OggPages = Parameters<OggVorbisDecoder["decodeOggPages"]>[0];

/**
 * Decodes Vorbis in Ogg, packet by packet: one holds at most 4096 samples of each channel, and may take a single byte.
 * The headers are kept until the first packet of audio, with which the decoder wants its set-up.
 */
export async function decodeVorbis(bytes: Uint8Array, sink: MonoSink): Promise<void> {
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  let setup: Uint8Array | null = null;
  let given = 0;
  try {
    for (const { data, granulePosition, isLast } of readOggPackets(bytes)) {
      const type = data[0] ?? 0;
      if (type === IDENTIFICATION) await identify(decoder, data);
      else if (type === SETUP) setup = data;
      // The types of headers are odd, audio is even.
      if (type % 2 === 1 || data.length === 0) continue;
      if (setup === null) throw unreadable("vorbis whose audio comes before its headers");
      const { channelData, samplesDecoded, sampleRate } = await decoder.decodeOggPages(
        pageOf(data, [{ data, header: { vorbisSetup: setup } }]),
      );
      given += samplesDecoded;
      const surplus = isLast && granulePosition !== null ? given - granulePosition : 0;
      const trim = surplus > 0 && surplus <= LONGEST_BLOCK_SAMPLES ? Math.min(surplus, samplesDecoded) : 0;
      sink.add(
        channelData.map((channel) => channel.subarray(0, samplesDecoded - trim)),
        sampleRate,
      );
    }
  } finally {
    decoder.free();
  }
}

async function identify(decoder: OggVorbisDecoder, packet: Uint8Array): Promise<void> {
  const channels = packet[11] ?? 0;
  if (channels < 1 || channels > MAX_CHANNELS) throw unreadable(`vorbis with ${channels} channels`);
  await decoder.decodeOggPages(pageOf(packet, []));
}

/** What the decoder reads of a page that its own parser would have made. */
function pageOf(data: Uint8Array, codecFrames: { data: Uint8Array; header: { vorbisSetup: Uint8Array } }[]): OggPages {
  return [{ data, codecFrames, isLastPage: false }] as unknown as OggPages;
}
