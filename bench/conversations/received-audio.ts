/** 10 ms of the agent's audio at the caller's side. */
export interface ReceivedFrame {
  /** When it came. */
  atMs: number;
  /** Root mean square, 1 is full scale. */
  loudness: number;
}

export const FRAME_MS = 10;

/** A frame of this loudness is audible, -54 dB of full scale: the level at which the service takes its own audio for audible. */
export const AUDIBLE = 64 / 32768;

const isAudible = ({ loudness }: ReceivedFrame): boolean => loudness >= AUDIBLE;

/** When the first audible frame since `fromMs` came; null where none did. */
export function firstAudibleAtMs(frames: readonly ReceivedFrame[], fromMs: number): number | null {
  return frames.find((frame) => frame.atMs >= fromMs && isAudible(frame))?.atMs ?? null;
}

/** The end of the last audible frame between two times; null where none is. */
export function lastAudibleAtMs(frames: readonly ReceivedFrame[], fromMs: number, toMs: number): number | null {
  const last = frames.findLast((frame) => frame.atMs >= fromMs && frame.atMs < toMs && isAudible(frame));
  return last === undefined ? null : last.atMs + FRAME_MS;
}

/** When the agent fell silent after `fromMs`: the end of the last audible frame before so much silence. Null where it never did. */
export function silentAtMs(frames: readonly ReceivedFrame[], fromMs: number, silenceMs: number): number | null {
  let silentFromMs = fromMs;
  for (const frame of frames) {
    if (frame.atMs < fromMs) continue;
    if (isAudible(frame)) silentFromMs = frame.atMs + FRAME_MS;
    else if (frame.atMs + FRAME_MS - silentFromMs >= silenceMs) return silentFromMs;
  }
  return null;
}

/** How long a recording lasts from its first audible frame to the end of its last one; samples of a rate. */
export function audibleSpanMs(samples: Int16Array, sampleRate: number): number {
  const frames = framesOf(samples, sampleRate);
  const first = firstAudibleAtMs(frames, 0);
  const last = lastAudibleAtMs(frames, 0, Number.POSITIVE_INFINITY);
  return first === null || last === null ? 0 : last - first;
}

/** A recording as frames that come in time from 0 on. */
export function framesOf(samples: Int16Array, sampleRate: number): ReceivedFrame[] {
  const count = (sampleRate * FRAME_MS) / 1000;
  return Array.from({ length: Math.floor(samples.length / count) }, (_, at) => {
    let power = 0;
    for (const sample of samples.subarray(at * count, (at + 1) * count)) power += (sample / 32768) ** 2;
    return { atMs: at * FRAME_MS, loudness: Math.sqrt(power / count) };
  });
}
