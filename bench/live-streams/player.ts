/** Audio that a player received at one time. */
export interface ReceivedAudio {
  atMs: number;
  durationMs: number;
}

/** What a player went through. Times are of the arrivals' clock. */
export interface Playback {
  /** When the first audible sample was played; null when nothing audible came. */
  startedAtMs: number | null;
  underruns: number;
  stalledMs: number;
}

/**
 * Plays a stream as a player would: begins at its first audible sample once that and `preBufferMs` of audio behind it
 * are there (or all there is), falls silent when the audio runs dry before the end, goes on with the next audio that
 * comes. `silenceMs` lies before the first audible sample and is not played.
 */
export function playBack(
  received: readonly ReceivedAudio[],
  options: { silenceMs: number; preBufferMs: number },
): Playback {
  const { silenceMs, preBufferMs } = options;
  const playback: Playback = { startedAtMs: null, underruns: 0, stalledMs: 0 };
  let bufferedMs = 0;
  // When the beginning of the stream would have been played, had it been played without a gap.
  let originMs = 0;
  for (const [index, { atMs, durationMs }] of received.entries()) {
    if (playback.startedAtMs !== null) {
      const dryMs = atMs - (originMs + bufferedMs);
      if (dryMs > 0) {
        playback.underruns++;
        playback.stalledMs += dryMs;
        originMs += dryMs;
      }
    }
    bufferedMs += durationMs;
    const enough = bufferedMs > silenceMs && (bufferedMs - silenceMs >= preBufferMs || index === received.length - 1);
    if (playback.startedAtMs === null && enough) {
      playback.startedAtMs = atMs;
      originMs = atMs - silenceMs;
    }
  }
  return playback;
}
