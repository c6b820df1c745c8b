import { ServiceError } from "#protocol/errors";
import type { ServedModel } from "#protocol/bus/membership";
import { defaultSampling, neutralDelivery, type SpeechChunk } from "#protocol/speech/chunk";
import { tiltFilter } from "#audio/voice/tilt-filter";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { spokenText } from "../../text/spoken-text.js";
import { WordTimer } from "../../text/words.js";
import type { ChunkJob, ChunkResult, SpeechEngine } from "../engine.js";
import { variedDelivery } from "../sampling.js";
import { ChunkShaper } from "../shaping.js";
import { MAX_TEXT_BYTES } from "./framing.js";
import { primaryLanguages, voiceForLanguage } from "./languages.js";
import { escapeMarkup } from "./markup.js";
import { EspeakPool } from "./pool.js";
import type { EspeakProcess } from "./process.js";
import { chooseVoice, speakers } from "./voice-choice.js";

/** Whispered speech of the engine is this much quieter than voiced. */
const WHISPER_GAIN_DB = 6;

const warmUpTexts = [
  "The quick brown fox jumps over the lazy dog today.",
  "Is it really raining, or not?",
  "Well, then: one, two, three!",
];

/** The classical engine: any of a hundred languages, no model, in processes of its own (`program/`). */
export class EspeakEngine implements SpeechEngine {
  readonly #name: string;
  readonly #pool: EspeakPool;
  readonly #slots: number;
  #languages: Readonly<Record<string, string>> = {};
  /** Of `#languages`; every heartbeat tells them. */
  #primaries: string[] = [];
  #sampleRate = 0;

  private constructor(name: string, slots: number, pool: EspeakPool) {
    this.#name = name;
    this.#slots = slots;
    this.#pool = pool;
  }

  /** Starts one process per slot. Rejects with the reason when they cannot speak. */
  static async load(options: { name: string; slots: number; log: Logger; clock: Clock }): Promise<EspeakEngine> {
    const engine = new EspeakEngine(options.name, options.slots, new EspeakPool(options));
    await engine.#pool.start(options.slots);
    const process = await engine.#pool.acquire();
    engine.#languages = process.ready.languages;
    engine.#primaries = primaryLanguages(engine.#languages);
    engine.#sampleRate = process.ready.sampleRate;
    engine.#pool.release(process);
    return engine;
  }

  /** Ids of the speech processes. */
  get pids(): number[] {
    return this.#pool.pids;
  }

  describe(): ServedModel {
    return {
      name: this.#name,
      task: "speak",
      languages: this.#primaries,
      sampleRate: this.#sampleRate,
      speakers: [...speakers],
      maxBatch: 1,
      provider: "process",
    };
  }

  async warmUp(): Promise<void> {
    await Promise.all(
      Array.from({ length: this.#slots }, async () => {
        const process = await this.#pool.acquire();
        try {
          for (const text of [...warmUpTexts, ...warmUpTexts]) {
            await this.#synthesize(process, warmUpChunk(text), () => undefined, new AbortController().signal);
          }
        } finally {
          this.#pool.release(process);
        }
      }),
    );
  }

  async speak(jobs: ChunkJob[]): Promise<ChunkResult[]> {
    const results: ChunkResult[] = [];
    for (const job of jobs) results.push(await this.#speakOne(job));
    return results;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #speakOne(job: ChunkJob): Promise<ChunkResult> {
    if (job.signal.aborted) return { result: "cancelled" };
    let process: EspeakProcess | null = null;
    try {
      process = await this.#pool.acquire();
      return await this.#synthesize(process, job.chunk, job.emit, job.signal);
    } catch (error) {
      const retryable = !(error instanceof ServiceError) || error.code === "engine_failed";
      return { result: "failed", error, retryable };
    } finally {
      if (process !== null) this.#pool.release(process);
    }
  }

  async #synthesize(
    process: EspeakProcess,
    chunk: SpeechChunk,
    emit: ChunkJob["emit"],
    signal: AbortSignal,
  ): Promise<ChunkResult> {
    const spoken = spokenText(chunk);
    const voice = voiceForLanguage(spoken.language, this.#languages);
    if (voice === null)
      throw new ServiceError("unsupported_language", { parameters: { languages: this.#primaries.join(", ") } });
    const { variant, tiltDbPerOctave, ...settings } = chooseVoice(chunk.voice, variedDelivery(chunk));
    const escaped = escapeMarkup(spoken.text);
    if (Buffer.byteLength(escaped.text) > MAX_TEXT_BYTES)
      throw new ServiceError("payload_too_large", { parameters: { limitBytes: MAX_TEXT_BYTES } });
    const timer = new WordTimer(chunk.text, spoken);
    const gainDb = chunk.delivery.gainDb + (chunk.delivery.whisper ? WHISPER_GAIN_DB : 0);
    const shaper = new ChunkShaper({
      ...chunk,
      sampleRate: this.#sampleRate,
      gainDb,
      filter: tiltDbPerOctave === 0 ? null : tiltFilter(tiltDbPerOctave, this.#sampleRate),
    });
    const enough = new AbortController();
    let pending: ReturnType<WordTimer["mark"]> = [];
    let rawSamples = 0;
    const send = (samples: Int16Array): void => {
      const words = pending.map((word) => shaper.place(word)).filter((word) => word !== null);
      pending = [];
      if (!signal.aborted && (samples.length > 0 || words.length > 0)) emit({ samples, words });
    };
    const handlers = {
      onMarks: (marks: Parameters<Parameters<EspeakProcess["speak"]>[1]["onMarks"]>[0]): void => {
        for (const mark of marks) {
          if (mark.kind !== "word") continue;
          const range = {
            start: escaped.offsets[mark.at] ?? 0,
            end: escaped.offsets[mark.at + Math.max(1, mark.length)] ?? spoken.text.length,
          };
          pending.push(...timer.mark({ range, atMs: mark.atMs }));
        }
      },
      onSamples: (samples: Int16Array): void => {
        rawSamples += samples.length;
        send(shaper.push(samples));
        if (shaper.full) enough.abort();
      },
    };
    const message = {
      voice: variant === null ? voice : `${voice}+${variant}`,
      ...settings,
      text: escaped.text,
      phonemes: false,
    };
    await process.speak(message, handlers, AbortSignal.any([signal, enough.signal]));
    if (signal.aborted) return { result: "cancelled" };
    pending.push(...timer.finish((rawSamples / this.#sampleRate) * 1000));
    send(shaper.finish());
    return { result: "spoken", samples: shaper.samples };
  }
}

function warmUpChunk(text: string): SpeechChunk {
  return {
    task: "speak",
    streamId: "warm-up",
    chunkIndex: 0,
    attempt: 1,
    ownerId: "",
    model: "",
    text,
    normalize: false,
    voice: { speaker: null, language: "en", speed: 1, traits: null },
    delivery: neutralDelivery,
    sampling: defaultSampling,
    pauseAfterMs: 0,
    seed: 0,
    maxSamples: 0,
    traceparent: null,
  };
}
