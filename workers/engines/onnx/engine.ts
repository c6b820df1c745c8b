import { join } from "node:path";
import type { ServedModel } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import type { VoiceTraits } from "#protocol/speech/chunk";
import { tiltFilter } from "#audio/voice/tilt-filter";
import type { Logger } from "#common/log";
import { type ModelFolder, ModelProblem } from "../../repository/folder.js";
import { spokenText, type SpokenText } from "../../text/spoken-text.js";
import { WordTimer } from "../../text/words.js";
import type { ChunkJob, ChunkResult, SpeechEngine } from "../engine.js";
import { allThreads } from "../model-threads.js";
import type { Phonemizer } from "../espeak/phonemizer.js";
import { ChunkShaper } from "../shaping.js";
import { type VoiceCalls, voiceCalls } from "./graph-calls.js";
import type { VoiceLayout } from "./layouts/layout.js";
import { openLayout } from "./layouts/open.js";
import { renderAll, type Rendering } from "./rendering.js";
import type { SessionPool } from "./session-pool.js";
import { calibrationText, measureSpeakers } from "./speaker-traits.js";
import { ownSteering, steer } from "./steering.js";
import { cutIntoPieces, isSpeakable, knownSymbols, type Piece, type VoiceSymbol } from "./symbols.js";
import type { OpenedVoice, VoiceFiles } from "./thread.js";

const warmUpText = "Hello.";

export interface OnnxEngineOptions {
  model: ModelFolder;
  pool: SessionPool;
  phonemizer: Phonemizer;
  providers: readonly string[];
  log: Logger;
}

/**
 * A voice whose graph is an ONNX file, in any layout that `layouts/` knows. On the processor one call speaks one chunk
 * (a retry is exact to the bit), or, where the graph is cut in two, a stream's first chunk in windows; other
 * providers speak a batch in one call.
 */
export class OnnxEngine implements SpeechEngine {
  readonly #model: ModelFolder;
  readonly #log: Logger;
  readonly #layout: VoiceLayout;
  readonly #provider: string;
  readonly #calls: VoiceCalls;
  /** Traits of the speakers by index; measured when the first cloned voice needs them. */
  #own: Promise<(VoiceTraits | null)[]> | null = null;

  private constructor({ model, log }: OnnxEngineOptions, provider: string, calls: VoiceCalls) {
    this.#model = model;
    this.#log = log;
    this.#layout = calls.layout;
    this.#provider = provider;
    this.#calls = calls;
  }

  /** Loads a voice. Rejects with the reason when graph, configuration and manifest do not fit together. */
  static async load(options: OnnxEngineOptions): Promise<OnnxEngine> {
    const { model, pool, providers, log } = options;
    const { manifest } = model;
    if (manifest.files.graph === undefined) throw new ModelProblem("files.graph is required");
    const layout = await openLayout(model, options.phonemizer);
    const voice = voiceFiles(model, manifest.files.graph.path);
    const opened = await pool.open(voice, providers).catch((cause: unknown) => {
      throw new ModelProblem(`the graph cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    });
    checkInputs(opened, layout.graphInputs);
    for (const { provider, reason } of opened.refused) {
      log.warn(
        { model: manifest.name, provider, reason, using: opened.provider },
        "FALLING BACK: an execution provider does not work here",
      );
    }
    const batches = opened.provider !== "cpu" && opened.outputNames.length > 1 && manifest.maxBatch > 1;
    const { hasWindows } = opened;
    const calls = voiceCalls({ model, pool, voice, providers, layout, batches, hasWindows });
    return new OnnxEngine(options, opened.provider, calls);
  }

  describe(): ServedModel {
    const { manifest } = this.#model;
    return {
      name: manifest.name,
      task: "speak",
      languages: this.#languages(),
      sampleRate: this.#layout.config.audio.sample_rate,
      speakers: this.#speakerNames(),
      maxBatch: this.#calls.batches ? manifest.maxBatch : 1,
      provider: this.#provider,
    };
  }

  /** Speaks once: the first call of a graph is slower than later ones. */
  async warmUp(): Promise<void> {
    const piece = await this.#firstPiece(warmUpText);
    if (piece === null) return;
    const row = { piece, speakerId: this.#layout.config.default_speaker_id, pitchRatio: 1, whisper: false };
    const scales = this.#layout.scales(ownSteering, row.speakerId);
    const { speakWindows } = this.#calls;
    await Promise.all(
      allThreads.map(async (threads) => {
        await this.#calls.run([row], scales, threads);
        await speakWindows?.({ row, scales, threads, onWindow: () => undefined }).done;
      }),
    );
  }

  async speak(jobs: ChunkJob[]): Promise<ChunkResult[]> {
    const results = new Map<ChunkJob, ChunkResult>();
    for (const together of this.#calls.batches ? [jobs] : jobs.map((job) => [job])) {
      const renderings: Rendering[] = [];
      for (const job of together) {
        try {
          if (job.signal.aborted) results.set(job, { result: "cancelled" });
          else renderings.push(await this.#prepare(job));
        } catch (error) {
          results.set(job, {
            result: "failed",
            error,
            retryable: !(error instanceof ServiceError) || error.code === "engine_failed",
          });
        }
      }
      await renderAll(this.#calls, renderings, results);
    }
    return jobs.map(
      (job) => results.get(job) ?? { result: "failed", error: new ServiceError("engine_failed"), retryable: true },
    );
  }

  async close(): Promise<void> {
    // Threads and the pronouncing process are shared; whoever made them closes them.
  }

  async #prepare(job: ChunkJob): Promise<Rendering> {
    const { chunk } = job;
    const layout = this.#layout;
    const { speaker, traits } = chunk.voice;
    const own = traits === null ? [] : await this.#speakerTraits();
    const spoken = spokenText(chunk);
    const speakerId =
      speaker === null ? layout.defaultSpeaker(spoken.language, traits, own) : this.#speakerNamed(speaker);
    const symbols = await this.#symbols(spoken, chunk.text, speakerId);
    const speakable = isSpeakable(symbols);
    // Letters of which the voice has none: silence would pretend that they had been read.
    if (!speakable && /\p{L}/u.test(spoken.text)) {
      throw new ServiceError("unsupported_language", { parameters: { languages: this.#languages().join(", ") } });
    }
    const varied = layout.vary(symbols, chunk);
    const steering = steer(chunk, own[layout.measuredSpeaker(speakerId) ?? -1] ?? null, varied.pace);
    const sampleRate = layout.config.audio.sample_rate;
    const filter = steering.tiltDbPerOctave === 0 ? null : tiltFilter(steering.tiltDbPerOctave, sampleRate);
    return {
      job,
      pieces: speakable ? this.#cut(varied.symbols) : [],
      speakerId,
      scales: layout.scales(steering, speakerId),
      pitchRatio: layout.pitchRatio(steering),
      whisper: chunk.delivery.whisper,
      timer: new WordTimer(chunk.text, spoken),
      shaper: new ChunkShaper({ ...chunk, sampleRate, gainDb: chunk.delivery.gainDb, filter }),
      rawSamples: 0,
    };
  }

  async #symbols(spoken: SpokenText, source: string, speakerId: number): Promise<VoiceSymbol[]> {
    return knownSymbols(await this.#layout.read(spoken, source, speakerId), this.#layout.config.phoneme_id_map);
  }

  #cut(symbols: readonly VoiceSymbol[]): Piece[] {
    return cutIntoPieces(symbols, this.#layout.config.phoneme_id_map, this.#model.manifest.buckets.at(-1) ?? 512);
  }

  async #firstPiece(text: string): Promise<Piece | null> {
    const spoken: SpokenText = { text, language: "en", toSource: (range) => range };
    return this.#cut(await this.#symbols(spoken, text, this.#layout.config.default_speaker_id))[0] ?? null;
  }

  async #speakerTraits(): Promise<(VoiceTraits | null)[]> {
    this.#own ??= this.#firstPiece(calibrationText)
      .then((piece) => measureSpeakers(this.#calls, piece, this.#model, this.#log))
      .catch((error: unknown) => {
        this.#own = null;
        throw error;
      });
    return await this.#own;
  }

  #languages(): string[] {
    const { languages } = this.#model.manifest;
    return languages.length > 0 ? languages : this.#layout.languages;
  }

  #speakerNames(): string[] {
    const { speakers } = this.#model.manifest;
    if (speakers.length > 0) return speakers;
    const named = Object.entries(this.#layout.config.speaker_id_map)
      .sort(([, a], [, b]) => a - b)
      .map(([name]) => name);
    return named.length > 0 ? named : ["default"];
  }

  #speakerNamed(name: string): number {
    const { speaker_id_map: ids, num_speakers: count, default_speaker_id: usual } = this.#layout.config;
    const listed = this.#model.manifest.speakers.indexOf(name);
    const id =
      listed >= 0 ? listed : (ids[name] ?? (/^\d{1,5}$/.test(name) ? Number(name) : name === "default" ? usual : -1));
    if (id < 0 || id >= count) throw new ServiceError("unknown_reference");
    return id;
  }
}

function voiceFiles({ folder, manifest: { files } }: ModelFolder, graph: string): VoiceFiles {
  const { encoder, decoder } = files;
  const prosody = files.prosody === undefined ? null : join(folder, files.prosody.path);
  if (encoder === undefined || decoder === undefined) return { graph: join(folder, graph), halves: null, prosody };
  const halves = { encoder: join(folder, encoder.path), decoder: join(folder, decoder.path) };
  return { graph: join(folder, graph), halves, prosody };
}

/** Throws `ModelProblem` when a graph does not have exactly the inputs that are fed, or no output. */
function checkInputs({ inputNames, outputNames }: OpenedVoice, needed: VoiceLayout["graphInputs"]): void {
  const names = needed.map((input) => [input].flat());
  const missing = names.filter((each) => !each.some((name) => inputNames.includes(name)));
  const unknown = inputNames.filter((name) => !names.flat().includes(name));
  if (missing.length > 0)
    throw new ModelProblem(`the graph lacks the input ${missing.map((each) => each.join(" or ")).join(", ")}`);
  if (unknown.length > 0) throw new ModelProblem(`the graph has an input that nothing feeds: ${unknown.join(", ")}`);
  if (outputNames.length === 0) throw new ModelProblem("the graph has no output");
}
