import { join } from "node:path";
import type { ServedModel } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import type { VoiceSettings, VoiceTraits } from "#protocol/speech/chunk";
import { tiltFilter } from "#audio/voice/tilt-filter";
import { measureVoice } from "#audio/voice/traits";
import type { Logger } from "#common/log";
import { type ModelFolder, ModelProblem } from "../../repository/folder.js";
import { spokenText, type SpokenText } from "../../text/spoken-text.js";
import { WordTimer } from "../../text/words.js";
import type { ChunkJob, ChunkResult, SpeechEngine } from "../engine.js";
import { allThreads, type ThreadKind } from "../model-threads.js";
import type { Phonemizer } from "../espeak/phonemizer.js";
import { ChunkShaper, toSamples } from "../shaping.js";
import { type KokoroVoice, readKokoroVoice } from "./kokoro-voice.js";
import { openKokoroReader, openReader, type SymbolKind, type VoiceReader } from "./reading.js";
import { variedSymbols } from "./sampling.js";
import type { SessionPool, SpeakCall } from "./session-pool.js";
import { graphScales, nearestSpeaker, ownSteering, steer, type Steering } from "./steering.js";
import { cutIntoPieces, idControls, isSpeakable, knownSymbols, type Piece, type VoiceSymbol } from "./symbols.js";
import type { OpenedVoice, SpokenRow } from "./thread.js";
import { checkAgreement, checkInputs, kokoroInputs, piperInputs } from "./voice-checks.js";
import { type PhonemeType, readVoiceConfig, type VoiceConfig } from "./voice-config.js";

/** A voice with more speakers has only its default speaker measured. */
const MOST_MEASURED = 12;

const warmUpText = "Hello.";
const calibrationText = "The quick brown fox jumps over the lazy dog, and nobody knows where it is going.";

export interface OnnxEngineOptions {
  model: ModelFolder;
  pool: SessionPool;
  phonemizer: Phonemizer;
  providers: readonly string[];
  log: Logger;
}

/** One chunk on its way through the graph. */
interface Rendering {
  job: ChunkJob;
  pieces: Piece[];
  spoken: SpokenText;
  speakerId: number;
  scales: number[];
  /** Change of pitch after the graph, for graphs that cannot be steered. */
  pitchRatio: number;
  whisper: boolean;
  timer: WordTimer;
  shaper: ChunkShaper;
  /** Samples before shaping. */
  rawSamples: number;
}

interface VoiceParts {
  config: VoiceConfig & { phoneme_type: PhonemeType };
  graphPath: string;
  opened: OpenedVoice;
  kind: SymbolKind;
  read: VoiceReader;
  /** What a Kokoro voice has besides; null for Piper's. */
  kokoro: KokoroVoice | null;
}

/** What one row of a call is made of. */
type Row = Pick<Rendering, "speakerId" | "pitchRatio" | "whisper"> & { piece: Piece };

/**
 * A voice in Piper's ONNX layout, or in Kokoro's. Sampling noise is zero: such graphs draw it inside, so with noise
 * equal chunks would differ. Voices with the symbols `parley-en` have noise that repeats, and take pitch, its range and
 * controls of single ids (`models/parley-en/README.md`). On the processor one call speaks one chunk (a retry is exact
 * to the bit); other providers speak a batch in one call.
 */
export class OnnxEngine implements SpeechEngine {
  readonly #options: OnnxEngineOptions;
  readonly #config: VoiceConfig & { phoneme_type: PhonemeType };
  readonly #graphPath: string;
  readonly #opened: OpenedVoice;
  readonly #kind: SymbolKind;
  readonly #read: VoiceReader;
  readonly #kokoro: KokoroVoice | null;
  /**
   * Traits of the speakers by index, null where they cannot be told; measured when the first cloned voice needs them.
   */
  #own: Promise<(VoiceTraits | null)[]> | null = null;

  private constructor(options: OnnxEngineOptions, parts: VoiceParts) {
    this.#options = options;
    this.#config = parts.config;
    this.#graphPath = parts.graphPath;
    this.#opened = parts.opened;
    this.#kind = parts.kind;
    this.#read = parts.read;
    this.#kokoro = parts.kokoro;
  }

  /** Loads a voice. Rejects with the reason when graph, configuration and manifest do not fit together. */
  static async load(options: OnnxEngineOptions): Promise<OnnxEngine> {
    const { manifest, folder } = options.model;
    const { graph, voice } = manifest.files;
    const kokoro = manifest.engine === "kokoro" ? readKokoroVoice(options.model) : null;
    if (graph === undefined || (voice === undefined && kokoro === null))
      throw new ModelProblem("files.graph and files.voice are required");
    const config = kokoro?.config ?? readVoiceConfig(join(folder, voice?.path ?? ""));
    checkAgreement(manifest, config);
    const graphPath = join(folder, graph.path);
    const opened = await options.pool.open(graphPath, options.providers).catch((cause: unknown) => {
      throw new ModelProblem(`the graph cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    });
    checkInputs(opened, kokoro === null ? piperInputs(config) : kokoroInputs);
    for (const { provider, reason } of opened.refused) {
      options.log.warn(
        { model: manifest.name, provider, reason, using: opened.provider },
        "FALLING BACK: an execution provider does not work here",
      );
    }
    const kind = kokoro !== null ? "kokoro" : manifest.phonemes === "parley-en" ? "parley-en" : config.phoneme_type;
    const read =
      kokoro === null
        ? await openReader(kind, options.model, config, options.phonemizer)
        : await openKokoroReader(kokoro, options.phonemizer);
    return new OnnxEngine(options, { config, graphPath, opened, kind, read, kokoro });
  }

  describe(): ServedModel {
    const { manifest } = this.#options.model;
    return {
      name: manifest.name,
      task: "speak",
      languages: this.#languages(),
      sampleRate: this.#config.audio.sample_rate,
      speakers: this.#speakerNames(),
      maxBatch: this.#batches ? manifest.maxBatch : 1,
      provider: this.#opened.provider,
    };
  }

  /** Speaks once: the first call of a graph is slower than later ones. */
  async warmUp(): Promise<void> {
    const piece = await this.#pieceOf(warmUpText);
    if (piece === null) return;
    const row = { piece, speakerId: this.#config.default_speaker_id, pitchRatio: 1, whisper: false };
    await Promise.all(allThreads.map((threads) => this.#run([row], this.#scales(ownSteering), threads)));
  }

  async speak(jobs: ChunkJob[]): Promise<ChunkResult[]> {
    const results = new Map<ChunkJob, ChunkResult>();
    for (const together of this.#batches ? [jobs] : jobs.map((job) => [job])) {
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
      await this.#render(renderings, results);
    }
    return jobs.map(
      (job) => results.get(job) ?? { result: "failed", error: new ServiceError("engine_failed"), retryable: true },
    );
  }

  async close(): Promise<void> {
    // Threads and the pronouncing process are shared; whoever made them closes them.
  }

  async #pieceOf(text: string): Promise<Piece | null> {
    const symbols = await this.#symbols(
      { text, language: "en", toSource: (range) => range },
      text,
      this.#config.default_speaker_id,
    );
    return cutIntoPieces(symbols, this.#config.phoneme_id_map, this.#maxIds)[0] ?? null;
  }

  /** What the speakers sound like by themselves: traits of others are relative to it. */
  async #speakerTraits(): Promise<(VoiceTraits | null)[]> {
    this.#own ??= this.#measureSpeakers().catch((error: unknown) => {
      this.#own = null;
      throw error;
    });
    return await this.#own;
  }

  async #measureSpeakers(): Promise<(VoiceTraits | null)[]> {
    const { num_speakers: count, default_speaker_id: usual } = this.#config;
    const piece = await this.#pieceOf(calibrationText);
    const measures = (speakerId: number): boolean => speakerId === usual || (this.#steers && count <= MOST_MEASURED);
    const speakerIds = Array.from({ length: count }, (_, speakerId) => speakerId);
    return await Promise.all(
      speakerIds.map((id) => (piece !== null && measures(id) ? this.#measureSpeaker(piece, id) : null)),
    );
  }

  async #measureSpeaker(piece: Piece, speakerId: number): Promise<VoiceTraits | null> {
    const { manifest } = this.#options.model;
    const [row] = await this.#run([{ piece, speakerId, pitchRatio: 1, whisper: false }], this.#scales(ownSteering));
    if (row === undefined) return null;
    try {
      const measured = measureVoice({ samples: toSamples(row.audio), sampleRate: this.#config.audio.sample_rate });
      const reported = speakerId === this.#config.default_speaker_id ? manifest.pitchHz : undefined;
      return { ...measured, pitchHz: reported ?? measured.pitchHz };
    } catch (error) {
      this.#options.log.warn(
        { err: error, model: manifest.name },
        "the voice cannot be measured: cloned voices will sound like it",
      );
      return null;
    }
  }

  get #steers(): boolean {
    return this.#kind === "parley-en";
  }

  get #batches(): boolean {
    return (
      this.#opened.provider !== "cpu" &&
      this.#opened.outputNames.length > 1 &&
      this.#options.model.manifest.maxBatch > 1
    );
  }

  get #maxIds(): number {
    return this.#options.model.manifest.buckets.at(-1) ?? 512;
  }

  #languages(): string[] {
    const { manifest } = this.#options.model;
    if (manifest.languages.length > 0) return manifest.languages;
    if (this.#kokoro !== null) return this.#kokoro.languages;
    const tag = this.#config.language?.code ?? this.#config.espeak?.voice ?? "*";
    return [tag.split(/[-_]/)[0]?.toLowerCase() ?? "*"];
  }

  #speakerNames(): string[] {
    const { manifest } = this.#options.model;
    if (manifest.speakers.length > 0) return manifest.speakers;
    const named = Object.entries(this.#config.speaker_id_map)
      .sort(([, a], [, b]) => a - b)
      .map(([name]) => name);
    return named.length > 0 ? named : ["default"];
  }

  #speakerId(name: string | null): number {
    if (name === null) return this.#config.default_speaker_id;
    const { manifest } = this.#options.model;
    const listed = manifest.speakers.indexOf(name);
    const id =
      listed >= 0
        ? listed
        : (this.#config.speaker_id_map[name] ?? (/^\d{1,5}$/.test(name) ? Number(name) : name === "default" ? 0 : -1));
    if (id < 0 || id >= this.#config.num_speakers) throw new ServiceError("unknown_reference");
    return id;
  }

  async #symbols(spoken: SpokenText, source: string, speakerId: number): Promise<VoiceSymbol[]> {
    return knownSymbols(await this.#read(spoken, source, speakerId), this.#config.phoneme_id_map);
  }

  /** The speaker that is named; for a cloned voice the one most like it. */
  #chooseSpeaker({ speaker, traits }: VoiceSettings, own: readonly (VoiceTraits | null)[], language: string): number {
    if (this.#kokoro !== null && speaker === null) return this.#kokoro.speakerFor(language);
    const nearest = speaker === null && traits !== null && this.#steers ? nearestSpeaker(traits, own) : null;
    return nearest ?? this.#speakerId(speaker);
  }

  async #prepare(job: ChunkJob): Promise<Rendering> {
    const { chunk } = job;
    const own = chunk.voice.traits === null ? [] : await this.#speakerTraits();
    const spoken = spokenText(chunk);
    const speakerId = this.#chooseSpeaker(chunk.voice, own, spoken.language);
    const symbols =
      this.#kind === "parley-en" && !/^en(?:-|$)/i.test(spoken.language)
        ? []
        : await this.#symbols(spoken, chunk.text, speakerId);
    const speakable = isSpeakable(symbols);
    // Letters of which the voice has none: silence would pretend that they had been read.
    if (!speakable && /\p{L}/u.test(spoken.text)) {
      throw new ServiceError("unsupported_language", { parameters: { languages: this.#languages().join(", ") } });
    }
    const steering = steer(
      chunk,
      own[this.#steers ? speakerId : this.#config.default_speaker_id] ?? null,
      this.#steers,
    );
    const sampleRate = this.#config.audio.sample_rate;
    const filter = steering.tiltDbPerOctave === 0 ? null : tiltFilter(steering.tiltDbPerOctave, sampleRate);
    return {
      job,
      pieces: speakable
        ? cutIntoPieces(
            this.#steers ? variedSymbols(symbols, chunk) : symbols,
            this.#config.phoneme_id_map,
            this.#maxIds,
          )
        : [],
      spoken,
      speakerId,
      scales: this.#scales(steering),
      pitchRatio: this.#steers ? 1 : 2 ** (steering.pitchSemitones / 12),
      whisper: chunk.delivery.whisper,
      timer: new WordTimer(chunk.text, spoken),
      shaper: new ChunkShaper({ ...chunk, sampleRate, gainDb: chunk.delivery.gainDb, filter }),
      rawSamples: 0,
    };
  }

  #scales(steering: Steering): number[] {
    return graphScales(steering, this.#config.inference, this.#steers);
  }

  /** Round after round, the next piece of every rendering still going; rows of one call share its scales. */
  async #render(renderings: Rendering[], results: Map<ChunkJob, ChunkResult>): Promise<void> {
    for (let round = 0; ; round++) {
      const going = renderings.filter((rendering) => !results.has(rendering.job));
      if (going.length === 0) return;
      for (const rendering of going) {
        if (rendering.job.signal.aborted) results.set(rendering.job, { result: "cancelled" });
        else if (round >= rendering.pieces.length || rendering.shaper.full)
          results.set(rendering.job, this.#finish(rendering));
      }
      for (const group of groupByScales(going).values()) {
        const rows = group.filter((rendering) => !results.has(rendering.job));
        if (rows.length > 0) await this.#renderRows(rows, round, results);
      }
    }
  }

  async #renderRows(rows: Rendering[], round: number, results: Map<ChunkJob, ChunkResult>): Promise<void> {
    try {
      const pieces = rows.map(({ pieces: all }) => all[round] as Piece);
      const spoken = await this.#run(
        rows.map((row, i) => ({ ...row, piece: pieces[i] as Piece })),
        rows[0]?.scales ?? [],
        rows[0]?.job.reserved === true ? "reserved" : "general",
      );
      for (const [i, rendering] of rows.entries()) this.#take(rendering, pieces[i] as Piece, spoken[i] as SpokenRow);
    } catch (error) {
      for (const { job } of rows) results.set(job, { result: "failed", error, retryable: true });
    }
  }

  async #run(rows: Row[], scales: number[], threads: ThreadKind = "general"): Promise<SpokenRow[]> {
    const longest = Math.max(...rows.map(({ piece }) => piece.ids.length));
    // Padding to a bucket keeps the number of shapes small, which only accelerators care for.
    const padTo = this.#batches
      ? (this.#options.model.manifest.buckets.find((bucket) => bucket >= longest) ?? longest)
      : 0;
    const call: SpeakCall = {
      path: this.#graphPath,
      providers: this.#options.providers,
      call: {
        rows: rows.map(({ piece }) => piece.ids),
        scales,
        controls: this.#steers ? rows.map(({ piece }) => idControls(piece)) : null,
        speakerIds: rows.map(({ speakerId }) => speakerId),
        padTo,
        hopLength: this.#config.hop_length,
        styles:
          this.#kokoro === null
            ? null
            : rows.map(({ piece, speakerId }) =>
                (this.#kokoro as KokoroVoice).styleOf(speakerId, piece.symbols.length),
              ),
      },
      sampleRate: this.#config.audio.sample_rate,
      changes: rows.map(({ pitchRatio, whisper }) => ({ pitchRatio, whisper })),
    };
    return await this.#options.pool.speak(call, threads);
  }

  #take(rendering: Rendering, piece: Piece, row: SpokenRow): void {
    const { job, timer, shaper } = rendering;
    const startMs = this.#toMs(rendering.rawSamples);
    const words = idStarts(piece, row).flatMap(({ symbolIndex, share }) => {
      const range = piece.symbols[symbolIndex]?.range ?? { start: 0, end: 0 };
      return timer.mark({ range, atMs: startMs + this.#toMs(row.audio.length * share) });
    });
    rendering.rawSamples += row.audio.length;
    const samples = shaper.push(toSamples(row.audio));
    if (!job.signal.aborted)
      job.emit({ samples, words: words.map((word) => shaper.place(word)).filter((word) => word !== null) });
  }

  #finish(rendering: Rendering): ChunkResult {
    const { job, timer, shaper } = rendering;
    const words = timer.finish(this.#toMs(rendering.rawSamples)).map((word) => shaper.place(word));
    const pause = shaper.finish();
    if (pause.length > 0 || words.length > 0)
      job.emit({ samples: pause, words: words.filter((word) => word !== null) });
    return { result: "spoken", samples: shaper.samples };
  }

  #toMs(samples: number): number {
    return (samples / this.#config.audio.sample_rate) * 1000;
  }
}

/**
 * Where each sounding symbol begins, as a share of the piece's audio: from the graph's frame counts, else by equal
 * shares.
 */
function idStarts(piece: Piece, row: SpokenRow): { symbolIndex: number; share: number }[] {
  const weights = piece.ids.map((_, i) => row.frames?.[i] ?? (piece.symbolOfId[i] === -1 ? 0 : 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const starts: { symbolIndex: number; share: number }[] = [];
  let before = 0;
  let last = -1;
  for (const [i, weight] of weights.entries()) {
    const symbolIndex = piece.symbolOfId[i] ?? -1;
    const sounds = symbolIndex > last && /[\p{L}\p{N}]/u.test(piece.symbols[symbolIndex]?.symbol ?? "");
    if (sounds) starts.push({ symbolIndex, share: before / total });
    last = Math.max(last, symbolIndex);
    before += weight;
  }
  return starts;
}

/** Rows of one call share its scales. */
function groupByScales(renderings: readonly Rendering[]): Map<string, Rendering[]> {
  const groups = new Map<string, Rendering[]>();
  for (const rendering of renderings) {
    const key = rendering.scales.join(" ");
    groups.set(key, [...(groups.get(key) ?? []), rendering]);
  }
  return groups;
}
