import { DETECTION_STEP_MS, MAX_AUDIO_SECONDS } from "#protocol/transcription/chunk";
import { quietestPlace } from "./quietest.js";
import { STEP_SAMPLES } from "./vad-windows.js";

/** A piece of a recording to be recognized. */
export interface AudioSegment {
  startSample: number;
  endSample: number;
}

export interface CutOptions {
  /** No segment is longer. */
  maxSeconds: number;
  /**
   * The length that segments should have where the pauses allow it: long enough for context, short enough to be shared
   * out.
   */
  targetSeconds: number;
  /** Kept before and after speech, less where the next speech is nearer. */
  paddingMs: number;
  /** A shorter pause does not end an utterance; it is cut only where no longer one is in reach. */
  mergePauseMs: number;
  /** A longer pause always ends a segment: silence is not worth recognizing. */
  splitPauseMs: number;
  /** From this answer of the detector on, 0 to 255, a step may be speech, and is in some segment. */
  threshold: number;
}

export const defaultCutOptions: CutOptions = {
  maxSeconds: MAX_AUDIO_SECONDS,
  targetSeconds: 12,
  paddingMs: 180,
  mergePauseMs: 300,
  splitPauseMs: 2000,
  threshold: 64,
};

/** Steps from `from` up to, not including, `to`. */
interface Span {
  from: number;
  to: number;
}

/** The cost of a cut where nobody pauses, against that of a segment of no length at all. */
const CUT_COST = 0.6;
/** A pause of this length is as good as any longer one. */
const GOOD_PAUSE_MS = 800;
/** What a hard cut leaves over is at least this long, or the recognizer would have nothing to go by. */
const SHORTEST_REST_MS = 1000;

/**
 * Cuts a whole audio into the segments to recognize, in order, never overlapping: every step that may be speech is in
 * one. `speech` is the detector's answer per step, `samples` the length of the audio. Cuts lie in pauses, the longest
 * near the target length; only speech without a pause for `maxSeconds` is cut where the detector is least sure of it.
 * Audio without speech gives no segment.
 */
export function cutAudio(speech: Uint8Array, samples: number, options: Partial<CutOptions> = {}): AudioSegment[] {
  const chosen = { ...defaultCutOptions, ...options };
  const maxSteps = Math.max(1, steps(Math.min(chosen.maxSeconds, MAX_AUDIO_SECONDS) * 1000));
  const spoken = padded(utterances(speech, chosen), speech.length, steps(chosen.paddingMs));
  const pieces = spoken.flatMap((span) => splitLong(span, speech, maxSteps));
  return grouped(pieces, maxSteps, chosen).map(({ from, to }) => ({
    startSample: from * STEP_SAMPLES,
    endSample: Math.min(samples, to * STEP_SAMPLES),
  }));
}

function steps(ms: number): number {
  return Math.floor(ms / DETECTION_STEP_MS);
}

/** Runs of steps that may be speech, those with a short pause between them as one. */
function utterances(speech: Uint8Array, { threshold, mergePauseMs }: CutOptions): Span[] {
  const spans: Span[] = [];
  let last: Span | null = null;
  for (let step = 0; step < speech.length; step++) {
    if ((speech[step] as number) < threshold) continue;
    if (last !== null && step - last.to < steps(mergePauseMs)) last.to = step + 1;
    else {
      last = { from: step, to: step + 1 };
      spans.push(last);
    }
  }
  return spans;
}

function padded(spans: readonly Span[], end: number, padding: number): Span[] {
  return spans.map(({ from, to }, i) => {
    const before = spans[i - 1]?.to ?? null;
    const after = spans[i + 1]?.from ?? null;
    return {
      from: Math.max(from - padding, before === null ? 0 : Math.ceil((before + from) / 2)),
      to: Math.min(to + padding, after === null ? end : Math.ceil((to + after) / 2)),
    };
  });
}

/** Cuts a span that is too long where the averaged answers are lowest, in the second half of what fits. */
function splitLong(span: Span, speech: Uint8Array, maxSteps: number): Span[] {
  const pieces: Span[] = [];
  let { from } = span;
  while (span.to - from > maxSteps) {
    const latest = Math.max(
      from + 1,
      Math.min(from + maxSteps, span.to - Math.min(steps(SHORTEST_REST_MS), Math.floor(maxSteps / 2))),
    );
    const best = quietestPlace(speech, Math.max(from + 1, from + Math.floor(maxSteps / 2)), latest);
    pieces.push({ from, to: best });
    from = best;
  }
  pieces.push({ from, to: span.to });
  return pieces;
}

/** Joins neighbours into segments near the target length, so that the sum of what lengths and cuts cost is least. */
function grouped(pieces: readonly Span[], maxSteps: number, { targetSeconds, splitPauseMs }: CutOptions): Span[] {
  const target = Math.max(1, steps(targetSeconds * 1000));
  const costs: number[] = [0];
  const firsts: number[] = [];
  for (let end = 0; end < pieces.length; end++) {
    let best = Number.POSITIVE_INFINITY;
    for (let first = end; first >= 0; first--) {
      const length = (pieces[end] as Span).to - (pieces[first] as Span).from;
      if (first < end && (length > maxSteps || pauseAfter(pieces, first) > steps(splitPauseMs))) break;
      const cost = (costs[first] as number) + (length / target - 1) ** 2 + cutCost(pauseAfter(pieces, first - 1));
      if (cost < best) [best, firsts[end]] = [cost, first];
    }
    costs.push(best);
  }
  const segments: Span[] = [];
  for (let end = pieces.length - 1; end >= 0; end = (firsts[end] as number) - 1) {
    segments.push({ from: (pieces[firsts[end] as number] as Span).from, to: (pieces[end] as Span).to });
  }
  return segments.reverse();
}

/** Steps between a piece and the next; infinite before the first. */
function pauseAfter(pieces: readonly Span[], index: number): number {
  const [piece, next] = [pieces[index], pieces[index + 1]];
  return piece === undefined || next === undefined ? Number.POSITIVE_INFINITY : next.from - piece.to;
}

function cutCost(pauseSteps: number): number {
  return CUT_COST * (1 - Math.min(1, pauseSteps / steps(GOOD_PAUSE_MS)));
}
