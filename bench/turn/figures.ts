import type { Followed, Span } from "./follow.js";
import type { Scene } from "./scenes.js";

/** How well starts and pauses were told, all calls of one kind together. Times in milliseconds. */
export interface TurnFigures {
  utterances: number;
  /** From the first step of speech to when it was known. */
  onsetMs: number[];
  missedOnsets: number;
  /** From the last step of speech to when the pause was known. */
  pauseMs: number[];
  missedPauses: number;
  /** All pauses, and those that were told less than 200 ms after somebody spoke. What began just before could not be known yet. */
  pauses: number;
  earlyPauses: number;
  falseStarts: number;
  nonSpeechMinutes: number;
  speechSteps: number;
  /** Steps of speech that were in nothing that was recognized. */
  lostSteps: number;
}

export const noFigures = (): TurnFigures => ({
  utterances: 0,
  onsetMs: [],
  missedOnsets: 0,
  pauseMs: [],
  missedPauses: 0,
  pauses: 0,
  earlyPauses: 0,
  falseStarts: 0,
  nonSpeechMinutes: 0,
  speechSteps: 0,
  lostSteps: 0,
});

/** A shorter gap is no pause, and shorter speech none. */
const GAP_STEPS = 30;
const SHORTEST_STEPS = 8;
/** Recognition begins before what is known to be speech by so much. */
const PADDING_MS = 400;
/** A start that comes so much before the truth is its start still. */
const EARLY_MS = 250;

interface Utterance {
  fromStep: number;
  toStep: number;
}

/** Stretches of speech between pauses. */
export function utterancesOf(isSpeech: readonly boolean[]): Utterance[] {
  const found: Utterance[] = [];
  for (const [step, value] of isSpeech.entries()) {
    if (!value) continue;
    const last = found.at(-1);
    if (last !== undefined && step - last.toStep < GAP_STEPS) last.toStep = step + 1;
    else found.push({ fromStep: step, toStep: step + 1 });
  }
  return found.filter(({ fromStep, toStep }) => toStep - fromStep >= SHORTEST_STEPS);
}

/** Adds what was told of one call. */
export function addFigures(figures: TurnFigures, scene: Scene, { spans }: Followed): void {
  const utterances = utterancesOf(scene.isSpeech);
  figures.utterances += utterances.length;
  for (const [at, { fromStep, toStep }] of utterances.entries()) {
    const [fromMs, toMs] = [fromStep * 10, toStep * 10];
    const nextMs = (utterances[at + 1]?.fromStep ?? scene.isSpeech.length) * 10;
    const start = spans.find(({ startKnownMs }) => startKnownMs >= fromMs - EARLY_MS && startKnownMs < nextMs);
    const isOpen = spans.some((span) => span.startKnownMs < fromMs && (span.pauseKnownMs ?? Infinity) > fromMs);
    if (start !== undefined && start.startKnownMs < toMs + 300) figures.onsetMs.push(start.startKnownMs - fromMs);
    else if (!isOpen) figures.missedOnsets++;
    const pause = spans.find(({ pauseKnownMs }) => pauseKnownMs !== null && pauseKnownMs >= toMs + 100);
    if (pause?.pauseKnownMs == null || pause.startKnownMs > toMs + 300 || pause.pauseKnownMs > nextMs + 300)
      figures.missedPauses++;
    else figures.pauseMs.push(pause.pauseKnownMs - toMs);
  }
  addErrors(figures, scene.isSpeech, spans);
}

function addErrors(figures: TurnFigures, isSpeech: readonly boolean[], spans: readonly Span[]): void {
  const speaks = (fromMs: number, toMs: number): boolean =>
    isSpeech.slice(Math.max(0, Math.floor(fromMs / 10)), Math.max(0, Math.ceil(toMs / 10))).some(Boolean);
  for (const { startedMs, startKnownMs, pauseKnownMs } of spans) {
    if (!speaks(startedMs - EARLY_MS, startKnownMs + 100)) figures.falseStarts++;
    if (pauseKnownMs !== null) figures.pauses++;
    if (pauseKnownMs !== null && speaks(pauseKnownMs - 190, pauseKnownMs - 60)) figures.earlyPauses++;
  }
  figures.nonSpeechMinutes += isSpeech.filter((value) => !value).length / 6000;
  for (const [step, value] of isSpeech.entries()) {
    if (!value) continue;
    figures.speechSteps++;
    const ms = step * 10;
    if (!spans.some((span) => ms >= span.startedMs - PADDING_MS && ms < (span.pauseKnownMs ?? Infinity)))
      figures.lostSteps++;
  }
}

/** The value below which this share of the others lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
