import { decodeAudio } from "#audio/decoding/decode";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { bytesToSamples } from "#audio/pcm";

/**
 * A sample as loud as this is heard, about -54 dBFS: the engines' own threshold for the silence before their first
 * audio.
 */
const AUDIBLE = 64;

/** MPEG-1 layer III frames, ISO/IEC 11172-3. */
const MP3_FRAME_SAMPLES = 1152;

/** Where in a stream's bytes the player begins to hear something. */
export interface Onset {
  /** Silence before the first audible sample. */
  leadingMs: number;
  /** Bytes that must have arrived for that sample to be playable. */
  neededBytes: number;
}

/** How the bytes of a stream turn into audio. */
export interface Audio {
  format: "pcm" | "mp3";
  sampleRate: number;
}

/** Bit rate of the mp3 streams measured here. */
export const MP3_KILOBITS_PER_SECOND = 128;

/** Audio in so many bytes: exact for PCM, within a frame for mp3 at its constant rate. */
export function durationMs(bytes: number, audio: Audio): number {
  return audio.format === "pcm" ? (bytes / 2 / audio.sampleRate) * 1000 : (bytes * 8) / MP3_KILOBITS_PER_SECOND;
}

/** Finds the onset in a stream or its beginning; null when nothing in it is audible. */
export async function findOnset(bytes: Uint8Array, audio: Audio): Promise<Onset | null> {
  if (audio.format === "pcm") {
    const at = firstAudible(bytesToSamples(bytes));
    return at < 0 ? null : { leadingMs: (at / audio.sampleRate) * 1000, neededBytes: (at + 1) * 2 };
  }
  const { pcm } = await decodeAudio(bytes, { maxSeconds: 600 });
  const at = firstAudible(pcm.samples);
  if (at < 0) return null;
  const frames = Math.floor(at / MP3_FRAME_SAMPLES) + 1;
  return {
    leadingMs: (at / audio.sampleRate) * 1000,
    neededBytes: Math.ceil((frames * MP3_FRAME_SAMPLES * MP3_KILOBITS_PER_SECOND * 1000) / 8 / audio.sampleRate),
  };
}

/** Ends the threads that decoding started. */
export const closeAudible = closeDecoderThreads;

/** First sample that is heard; -1 when there is none. */
export function firstAudible(samples: ArrayLike<number>): number {
  for (let i = 0; i < samples.length; i++) if (Math.abs(samples[i] ?? 0) >= AUDIBLE) return i;
  return -1;
}
