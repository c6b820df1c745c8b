import { fromFloat, type Pcm } from "../pcm.js";
import { createResampler, type Resampler } from "../resampler.js";
import { unreadable } from "./failures.js";

/** Where decoded sound goes: mixed to mono, converted to one rate, counted. */
export interface MonoSink {
  /** Takes one array per channel, all of one length. Throws when the sound is too long or changes its rate. */
  add(channels: readonly Float32Array[], sampleRate: number): void;
  /** Gives everything taken; the sink is empty afterwards. */
  finish(): DecodedAudio;
}

/** A decoded file. */
export interface DecodedAudio {
  pcm: Pcm;
  /** What the file was: `wav`, `mp3`, `flac`, `opus`, `vorbis`, `webm`, `m4a`, ... */
  format: string;
  /** Channels in the file; `pcm` is their mean. */
  channels: number;
}

export interface MonoSinkOptions {
  format: string;
  maxSeconds: number;
  /** Rate wanted, Hz; null keeps the file's own. */
  sampleRate: number | null;
}

/**
 * Collects one file. What a header claims is never believed: the bound counts the samples that really came out,
 * and only mono 16-bit samples at the wanted rate are kept.
 */
export function createMonoSink({ format, maxSeconds, sampleRate: wanted }: MonoSinkOptions): MonoSink {
  const parts: Int16Array[] = [];
  let resampler: Resampler | null = null;
  let fileRate = 0;
  let fileSamples = 0;
  let channelCount = 0;

  function begin(sampleRate: number, channels: number): Resampler {
    if (sampleRate < 8000 || sampleRate > 192_000) throw unreadable(`${format} at ${sampleRate} Hz; 8 to 192 kHz can be read`);
    fileRate = sampleRate;
    channelCount = channels;
    return createResampler(sampleRate, wanted ?? sampleRate);
  }

  return {
    add(channels, sampleRate) {
      const length = channels[0]?.length ?? 0;
      if (length === 0) return;
      resampler ??= begin(sampleRate, channels.length);
      if (sampleRate !== fileRate) throw unreadable(`${format} whose sample rate changes from ${fileRate} to ${sampleRate} Hz`);
      fileSamples += length;
      if (fileSamples > maxSeconds * fileRate) throw unreadable(`longer than ${maxSeconds} seconds`, "too_long");
      parts.push(fromFloat(resampler.process(mean(channels))));
    },
    finish() {
      if (resampler === null) throw unreadable(`${format} without any sound that can be decoded`);
      parts.push(fromFloat(resampler.flush()));
      return { pcm: { samples: joined(parts), sampleRate: wanted ?? fileRate }, format, channels: channelCount };
    },
  };
}

function mean(channels: readonly Float32Array[]): Float32Array {
  const [first] = channels;
  if (first === undefined || channels.length === 1) return first ?? new Float32Array(0);
  const mixed = new Float32Array(first.length);
  for (const channel of channels) for (let i = 0; i < mixed.length; i++) mixed[i] = (mixed[i] as number) + (channel[i] ?? 0);
  for (let i = 0; i < mixed.length; i++) mixed[i] = (mixed[i] as number) / channels.length;
  return mixed;
}

/** Drops each part once it is copied, so that the peak stays near one copy. */
function joined(parts: Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
