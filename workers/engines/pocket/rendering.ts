import { PROMPT_RATE } from "#protocol/bus/voice-prompts";
import { ServiceError } from "#protocol/errors";
import type { WordTimer } from "../../text/words.js";
import type { ChunkJob, ChunkResult } from "../engine.js";
import type { ChunkShaper } from "../shaping.js";
import type { VoiceEmbedding } from "./generation.js";
import type { PocketCalls } from "./graph-calls.js";
import type { TextPiece } from "./text-pieces.js";
import type { PocketChange } from "./thread.js";

/** One chunk on its way through the model. */
export interface Rendering {
  job: ChunkJob;
  calls: Pick<PocketCalls, "speak">;
  /** What sounds of `text`, the spoken text. */
  pieces: readonly TextPiece[];
  text: string;
  voice: VoiceEmbedding;
  change: PocketChange | null;
  timer: WordTimer;
  shaper: ChunkShaper;
  /** Called when the model would not end a piece. */
  onCut(): void;
}

/** How much longer than a letter what is between words takes. */
const PAUSE_WEIGHTS: Readonly<Record<string, number>> = { ",": 3, ";": 4, ":": 4, ".": 5, "!": 5, "?": 5, "…": 5 };

/** Speaks the pieces of a chunk one after the other. Rejects with what a call rejects with. */
export async function speakPieces(rendering: Rendering): Promise<ChunkResult> {
  const { job, pieces, shaper, timer } = rendering;
  let rawSamples = 0;
  for (const [index, piece] of pieces.entries()) {
    if (job.signal.aborted) return { result: "cancelled" };
    if (shaper.full) break;
    const length = await speakPiece(rendering, piece, index);
    if (job.signal.aborted) return { result: "cancelled" };
    const words = marks(rendering.text, piece, rawSamples, length).flatMap((mark) => timer.mark(mark));
    rawSamples += length;
    emit(rendering, new Int16Array(0), words);
  }
  if (pieces.length > 0 && shaper.samples === 0) return silent();
  emit(rendering, shaper.finish(), timer.finish((rawSamples / PROMPT_RATE) * 1000));
  return { result: "spoken", samples: shaper.samples };
}

/** Silence must not pass for a text; the next attempt would give the same. */
function silent(): ChunkResult {
  const error = new ServiceError("engine_failed", { cause: new RangeError("the model gave silence for a text") });
  return { result: "failed", error, retryable: false };
}

/** Speaks one piece and emits it as it comes; gives the samples that came. */
async function speakPiece(rendering: Rendering, piece: TextPiece, index: number): Promise<number> {
  const { job, calls, voice, change, shaper } = rendering;
  const { seed, sampling } = job.chunk;
  const { sentence, tokens } = piece;
  let length = 0;
  const call = calls.speak({
    utterance: { voice, sentence, tokens, seed: seedOf(seed, index), sampling },
    change,
    threads: job.reserved === true ? "reserved" : "general",
    onSamples(samples) {
      length += samples.length;
      if (job.signal.aborted) return;
      emit(rendering, shaper.push(samples), []);
      if (shaper.full) call.stop();
    },
  });
  job.signal.addEventListener("abort", call.stop, { once: true });
  try {
    if ((await call.done) === "cut") rendering.onCut();
    return length;
  } finally {
    job.signal.removeEventListener("abort", call.stop);
  }
}

function emit({ job, shaper }: Rendering, samples: Int16Array, words: ReturnType<WordTimer["mark"]>): void {
  if (job.signal.aborted || (samples.length === 0 && words.length === 0)) return;
  job.emit({ samples, words: words.map((word) => shaper.place(word)).filter((word) => word !== null) });
}

/** Each piece draws numbers of its own. */
function seedOf(seed: number, index: number): number {
  return (seed ^ Math.imul(index, 0x9e3779b1)) >>> 0;
}

/**
 * Where the letters of a piece begin in its audio: the model does not say, so letters and pauses share it by their
 * usual lengths.
 */
function marks(
  text: string,
  { range }: TextPiece,
  rawSamples: number,
  length: number,
): { range: { start: number; end: number }; atMs: number }[] {
  const characters: { start: number; end: number; weight: number; sounds: boolean }[] = [];
  for (let at = range.start; at < range.end; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const sounds = /[\p{L}\p{N}]/u.test(character);
    const weight = sounds ? 1 : (PAUSE_WEIGHTS[character] ?? 0.5);
    characters.push({ start: at, end: at + character.length, weight, sounds });
    at += character.length;
  }
  const total = characters.reduce((sum, { weight }) => sum + weight, 0) || 1;
  let before = 0;
  return characters.flatMap(({ start, end, weight, sounds }) => {
    const atMs = ((rawSamples + (length * before) / total) / PROMPT_RATE) * 1000;
    before += weight;
    return sounds ? [{ range: { start, end }, atMs }] : [];
  });
}
