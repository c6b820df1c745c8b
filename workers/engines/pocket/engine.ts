import { join } from "node:path";
import type { ServedModel } from "#protocol/bus/membership";
import { PROMPT_RATE } from "#protocol/bus/voice-prompts";
import { ServiceError } from "#protocol/errors";
import { defaultSampling, type SpeechChunk, type VoiceTraits } from "#protocol/speech/chunk";
import { toFloat } from "#audio/pcm";
import { tiltFilter } from "#audio/voice/tilt-filter";
import type { Logger } from "#common/log";
import { type ModelFolder, ModelProblem } from "../../repository/folder.js";
import { spokenText } from "../../text/spoken-text.js";
import { WordTimer } from "../../text/words.js";
import type { ChunkJob, ChunkResult, SpeechEngine } from "../engine.js";
import { allThreads, type ModelThreads, type ThreadKind } from "../model-threads.js";
import { nearestSpeaker, steer } from "../onnx/steering.js";
import { ChunkShaper } from "../shaping.js";
import type { VoiceEmbedding } from "./generation.js";
import type { PocketSource } from "./graphs.js";
import { PocketCalls } from "./graph-calls.js";
import { speakPieces } from "./rendering.js";
import { findSpeakers, measureSpeakers, readRecording, type Speaker } from "./speakers.js";
import { cutText, type TextPiece } from "./text-pieces.js";
import type { PocketChange } from "./thread.js";
import { readTokenizer, type Tokenizer } from "./tokenizer.js";
import { VoiceCache } from "./voice-cache.js";

const warmUpText = "Hello.";
/** What the model of the known exports speaks. */
const usualLanguages = ["en"];

const primary = (tag: string): string => tag.split(/[-_]/)[0]?.toLowerCase() ?? "";

export interface PocketEngineOptions {
  model: ModelFolder;
  threads: ModelThreads;
  providers: readonly string[];
  log: Logger;
}

/**
 * Kyutai's Pocket TTS in the ONNX layout of sherpa-onnx: it speaks in the voice of a recording, be it one of its folder
 * or a chunk's own (`voice.prompt`). It draws, from the chunk's seed; what it cannot do itself (pace, pitch, whisper)
 * is done to its audio.
 */
export class PocketEngine implements SpeechEngine {
  readonly #options: PocketEngineOptions;
  readonly #calls: PocketCalls;
  readonly #tokenizer: Tokenizer;
  readonly #speakers: readonly Speaker[];
  readonly #voices = new VoiceCache();
  /** Traits of the speakers by index; measured when the first voice that has traits alone needs them. */
  #traits: (VoiceTraits | null)[] | null = null;

  private constructor(options: PocketEngineOptions, calls: PocketCalls, tokenizer: Tokenizer, speakers: Speaker[]) {
    this.#options = options;
    this.#calls = calls;
    this.#tokenizer = tokenizer;
    this.#speakers = speakers;
  }

  /** Opens a model on every thread. Rejects with a `ModelProblem` that names the file which does not fit. */
  static async load(options: PocketEngineOptions): Promise<PocketEngine> {
    const { model, threads, providers, log } = options;
    const { manifest, folder } = model;
    if (manifest.sampleRate !== undefined && manifest.sampleRate !== PROMPT_RATE)
      throw new ModelProblem(`model.yaml says ${manifest.sampleRate} Hz; Pocket TTS speaks at ${PROMPT_RATE} Hz`);
    const at = (role: string): string => join(folder, manifest.files[role]?.path ?? role);
    const tokenizer = readTokenizer({ vocab: at("vocab"), scores: at("token_scores") });
    const speakers = findSpeakers(folder);
    const paths: PocketSource["paths"] = {
      encoder: at("encoder"),
      text_conditioner: at("text_conditioner"),
      lm_main: at("lm_main"),
      lm_flow: at("lm_flow"),
      decoder: at("decoder"),
    };
    const calls = await PocketCalls.open({ paths, providers }, threads);
    for (const { provider, reason } of calls.opened.refused) {
      log.warn(
        { model: manifest.name, provider, reason, using: calls.opened.provider },
        "FALLING BACK: an execution provider does not work here",
      );
    }
    return new PocketEngine(options, calls, tokenizer, speakers);
  }

  describe(): ServedModel {
    const { manifest } = this.#options.model;
    return {
      name: manifest.name,
      task: "speak",
      languages: this.#languages(),
      sampleRate: PROMPT_RATE,
      speakers: this.#speakers.map(({ name }) => name),
      maxBatch: 1,
      provider: this.#calls.opened.provider,
      clonesVoices: true,
    };
  }

  /** Speaks once with the first speaker, on threads of each kind. */
  async warmUp(): Promise<void> {
    const voice = await this.#speakerVoice(this.#speakers[0] as Speaker, "general");
    const [piece] = cutText(warmUpText, this.#tokenizer);
    const { sentence, tokens } = piece as TextPiece;
    const utterance = { voice, sentence, tokens, seed: 0, sampling: defaultSampling };
    await Promise.all(
      allThreads.map(
        (threads) => this.#calls.speak({ utterance, change: null, threads, onSamples: () => undefined }).done,
      ),
    );
  }

  async speak(jobs: ChunkJob[]): Promise<ChunkResult[]> {
    return await Promise.all(jobs.map((job) => this.#speakOne(job)));
  }

  async close(): Promise<void> {
    // Threads are shared; whoever made them closes them.
  }

  async #speakOne(job: ChunkJob): Promise<ChunkResult> {
    if (job.signal.aborted) return { result: "cancelled" };
    try {
      return await this.#render(job);
    } catch (error) {
      if (job.signal.aborted) return { result: "cancelled" };
      return { result: "failed", error, retryable: isRetryable(error) };
    }
  }

  async #render(job: ChunkJob): Promise<ChunkResult> {
    const { chunk } = job;
    const spoken = spokenText(chunk);
    const pieces = cutText(spoken.text, this.#tokenizer);
    if (pieces.length > 0) this.#requireLanguage(spoken.language);
    const { voice, change, tiltDbPerOctave } = await this.#steered(job);
    const filter = tiltDbPerOctave === 0 ? null : tiltFilter(tiltDbPerOctave, PROMPT_RATE);
    return await speakPieces({
      job,
      calls: this.#calls,
      pieces,
      voice,
      change,
      timer: new WordTimer(chunk.text, spoken),
      text: spoken.text,
      shaper: new ChunkShaper({ ...chunk, sampleRate: PROMPT_RATE, gainDb: chunk.delivery.gainDb, filter }),
      onCut: () =>
        this.#options.log.warn(
          { model: this.#options.model.manifest.name },
          "a text was cut: the model did not end it",
        ),
    });
  }

  /** The voice that speaks, and what is done to its audio. A recording has its own pitch, pace and brightness. */
  async #steered(
    job: ChunkJob,
  ): Promise<{ voice: VoiceEmbedding; change: PocketChange | null; tiltDbPerOctave: number }> {
    const { chunk } = job;
    const { speaker, traits, prompt } = chunk.voice;
    const isMeasured = prompt === undefined && traits !== null;
    const own = isMeasured ? this.#speakerTraits() : [];
    const index = speaker === null ? ((isMeasured ? nearestSpeaker(traits, own) : null) ?? 0) : this.#indexOf(speaker);
    const threads = job.reserved === true ? "reserved" : "general";
    const voice =
      prompt === undefined || speaker !== null
        ? await this.#speakerVoice(this.#speakers[index] as Speaker, threads)
        : await this.#promptVoice(`${prompt.source} ${prompt.id}`, threads, job.prompt);
    const steering = steer(chunk, own[index] ?? null, 1);
    const change = changeOf(chunk, steering);
    return { voice, change, tiltDbPerOctave: steering.tiltDbPerOctave };
  }

  #speakerVoice(speaker: Speaker, threads: ThreadKind): Promise<VoiceEmbedding> {
    return this.#voice(`speaker ${speaker.name}`, threads, async () => readRecording(speaker));
  }

  #promptVoice(key: string, threads: ThreadKind, fetch: ChunkJob["prompt"]): Promise<VoiceEmbedding> {
    return this.#voice(key, threads, async () => {
      if (fetch === undefined) throw new ServiceError("internal", { cause: new RangeError("nobody has the prompt") });
      return await fetch();
    });
  }

  #voice(key: string, threads: ThreadKind, recording: () => Promise<Int16Array>): Promise<VoiceEmbedding> {
    return this.#voices.get(key, async () => {
      const encoded = await this.#calls.encode(toFloat(await recording()), threads);
      return { key, ...encoded };
    });
  }

  #speakerTraits(): (VoiceTraits | null)[] {
    this.#traits ??= measureSpeakers(this.#speakers, this.#options.model.manifest.name, this.#options.log);
    return this.#traits;
  }

  #languages(): string[] {
    const { languages } = this.#options.model.manifest;
    return languages.length > 0 ? languages : usualLanguages;
  }

  #requireLanguage(language: string): void {
    const languages = this.#languages();
    if (languages.some((tag) => tag === "*" || primary(tag) === primary(language))) return;
    throw new ServiceError("unsupported_language", { parameters: { languages: languages.join(", ") } });
  }

  #indexOf(name: string): number {
    const named = this.#speakers.findIndex((speaker) => speaker.name === name);
    const index = named < 0 && /^\d{1,5}$/.test(name) ? Number(name) : named;
    if (index < 0 || index >= this.#speakers.length) throw new ServiceError("unknown_reference");
    return index;
  }
}

/** What the model cannot do itself; null where nothing of it is asked for. */
function changeOf(chunk: SpeechChunk, steering: { length: number; pitchSemitones: number }): PocketChange | null {
  const { whisper } = chunk.delivery;
  const { length, pitchSemitones } = steering;
  if (length === 1 && pitchSemitones === 0 && !whisper) return null;
  return { length, pitchRatio: 2 ** (pitchSemitones / 12), whisper };
}

function isRetryable(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.code === "engine_failed" || error.code === "dependency_unavailable";
}
