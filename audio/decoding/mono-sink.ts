import { fromFloatInto, type Pcm } from "../pcm.js";
import { createResampler, type Resampler } from "../resampling/resampler.js";
import { unreadable } from "../unreadable.js";

/** Most channels that a file may have. */
export const MAX_CHANNELS = 8;

/** Where decoders put audio. */
export interface MonoSink {
  /**
   * Takes one array per channel, all of one length, which may be 0: decoders call it after every step, so that one that
   * gets nowhere is noticed. Throws when the audio is too long, comes too slowly or changes its rate.
   */
  add(channels: readonly Float32Array[], sampleRate: number): void;
}

/** What is known of a file once it is decoded. */
export interface DecodedFacts {
  /** What the file was: `wav`, `mp3`, `flac`, `opus`, `vorbis`, `webm`, `m4a`, ... */
  format: string;
  /** Channels in the file; its audio here is their mean. */
  channels: number;
  /** Length of the audio that came out of the decoder. */
  seconds: number;
}

/** A decoded file. */
export interface DecodedAudio extends Omit<DecodedFacts, "seconds"> {
  pcm: Pcm;
}

export interface MonoSinkOptions {
  format: string;
  maxSeconds: number;
  /** Rate wanted, Hz; null keeps the file's own. */
  sampleRate: number | null;
  /** Milliseconds of a clock that only goes forward. */
  nowMs?: () => number;
}

/**
 * Time that a decoder may take for what has come out of it so far; with all threads busy it still is several times
 * faster. The time that `give` takes, which may wait for a reader, is not the decoder's.
 */
const STEP_LIMIT_MS = 30_000;
const STEP_LIMIT_PER_SECOND_MS = 50;

/** A sink that collects a whole file; `finish` gives it, and the sink is empty afterwards. */
export function createMonoSink(options: MonoSinkOptions): MonoSink & { finish(): DecodedAudio } {
  const parts: Int16Array[] = [];
  const flow = createMonoFlow(options, (samples) => parts.push(samples) > 0);
  return {
    add: flow.add,
    finish() {
      const { format, channels, sampleRate } = flow.finish();
      return { pcm: { samples: joined(parts), sampleRate }, format, channels };
    },
  };
}

/**
 * Samples that are passed on together: decoders give a hundredth of a second at a time, and each array has its price.
 */
const BLOCK_SAMPLES = 32_768;

/**
 * A sink that mixes a file to mono, converts it to one rate and passes it on in blocks; `finish` passes on the rest and
 * tells what the file was. What a header claims is never believed: the bound counts the samples that really came out.
 * Once `give` has answered false, they are counted only.
 */
export function createMonoFlow(
  { format, maxSeconds, sampleRate: wanted, nowMs = () => performance.now() }: MonoSinkOptions,
  give: (samples: Int16Array, sampleRate: number) => boolean,
): MonoSink & { finish(): DecodedFacts & { sampleRate: number } } {
  let resampler: Resampler | null = null;
  let fileRate = 0;
  let fileSamples = 0;
  let channelCount = 0;
  let isWanted = true;
  let block = new Int16Array(0);
  let filled = 0;
  let startedMs = nowMs();

  function begin(sampleRate: number, channels: number): void {
    if (channels > MAX_CHANNELS) throw unreadable(`${format} with ${channels} channels`);
    if (sampleRate < 8000 || sampleRate > 192_000)
      throw unreadable(`${format} at ${sampleRate} Hz; 8 to 192 kHz can be read`);
    fileRate = sampleRate;
    channelCount = channels;
    resampler = createResampler(sampleRate, wanted ?? sampleRate);
  }

  function collect(samples: Float32Array): void {
    for (let at = 0; isWanted && at < samples.length; ) {
      if (block.length === 0) block = new Int16Array(BLOCK_SAMPLES);
      const to = Math.min(samples.length, at + block.length - filled);
      fromFloatInto(block.subarray(filled), samples, at, to);
      filled += to - at;
      at = to;
      if (filled === block.length) pass();
    }
  }

  function pass(): void {
    const givenMs = nowMs();
    if (filled > 0) isWanted = give(block.subarray(0, filled), wanted ?? fileRate);
    startedMs += nowMs() - givenMs;
    block = new Int16Array(0);
    filled = 0;
  }

  function checkPace(): void {
    const limitMs = STEP_LIMIT_MS + (fileRate === 0 ? 0 : (fileSamples / fileRate) * STEP_LIMIT_PER_SECOND_MS);
    if (nowMs() - startedMs > limitMs) throw unreadable(`${format} that takes too long to decode`);
  }

  return {
    add(channels, sampleRate) {
      checkPace();
      const length = channels[0]?.length ?? 0;
      if (length === 0) return;
      if (fileRate === 0) begin(sampleRate, channels.length);
      if (sampleRate !== fileRate)
        throw unreadable(`${format} whose sample rate changes from ${fileRate} to ${sampleRate} Hz`);
      fileSamples += length;
      if (fileSamples > maxSeconds * fileRate) throw unreadable(`longer than ${maxSeconds} seconds`, "too_long");
      if (isWanted && resampler !== null) collect(resampler.process(mean(channels)));
    },
    finish() {
      if (resampler === null) throw unreadable(`${format} without any audio that can be decoded`);
      if (isWanted) collect(resampler.flush());
      if (isWanted) pass();
      return { format, channels: channelCount, seconds: fileSamples / fileRate, sampleRate: wanted ?? fileRate };
    },
  };
}

function mean(channels: readonly Float32Array[]): Float32Array {
  const [first] = channels;
  if (first === undefined || channels.length === 1) return first ?? new Float32Array(0);
  const mixed = new Float32Array(first.length);
  for (const channel of channels)
    for (let i = 0; i < mixed.length; i++) mixed[i] = (mixed[i] as number) + (channel[i] ?? 0);
  for (let i = 0; i < mixed.length; i++) mixed[i] = (mixed[i] as number) / channels.length;
  return mixed;
}

/** Joins blocks. Drops each once it is copied, so that the peak stays near one copy. */
export function joined<T extends Int16Array | Float32Array>(parts: T[]): T {
  const make = (parts[0]?.constructor ?? Int16Array) as new (length: number) => T;
  const whole = new make(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
