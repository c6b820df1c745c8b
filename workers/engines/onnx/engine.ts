import { join } from "node:path";
import type { ServedModel } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import type { VoiceTraits } from "#protocol/speech/chunk";
import { tiltFilter } from "#common/audio/voice/tilt-filter";
import { measureVoice } from "#common/audio/voice/traits";
import type { Logger } from "#common/log";
import { type ModelFolder, ModelProblem } from "../../repository/folder.js";
import { spokenText, type SpokenText } from "../../text/spoken-text.js";
import { WordTimer } from "../../text/words.js";
import type { ChunkJob, ChunkResult, SpeechEngine } from "../engine.js";
import type { Phonemizer } from "../espeak/phonemizer.js";
import { ChunkShaper, toSamples } from "../shaping.js";
import type { SessionPool } from "./session-pool.js";
import { cutIntoPieces, isSpeakable, knownSymbols, type Piece, textSymbols } from "./symbols.js";
import type { OpenedVoice, SpokenRow } from "./thread.js";
import { type PhonemeType, readVoiceConfig, type VoiceConfig } from "./voice-config.js";

/** What a voice can be bent by before it stops sounding like speech. */
const PITCH_RATIO_LIMITS = { low: 0.6, high: 1.7 };
const LENGTH_FACTOR_LIMITS = { low: 0.3, high: 4 };

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
  lengthScale: number;
  pitchRatio: number;
  timer: WordTimer;
  shaper: ChunkShaper;
  /** Samples before shaping. */
  rawSamples: number;
}

/**
 * A voice in Piper's ONNX layout. Sampling noise is zero: such graphs draw it inside, so with noise equal chunks would differ.
 * On the processor one call speaks one chunk (a retry is exact to the bit); other providers speak a batch in one call.
 */
export class OnnxEngine implements SpeechEngine {
  readonly #options: OnnxEngineOptions;
  readonly #config: VoiceConfig & { phoneme_type: PhonemeType };
  readonly #graphPath: string;
  readonly #opened: OpenedVoice;
  /** The voice's own traits, null where they cannot be told: traits then steer nothing. */
  #own: VoiceTraits | null = null;

  private constructor(options: OnnxEngineOptions, config: VoiceConfig & { phoneme_type: PhonemeType }, graphPath: string, opened: OpenedVoice) {
    this.#options = options;
    this.#config = config;
    this.#graphPath = graphPath;
    this.#opened = opened;
  }

  /** Loads a voice. Rejects with the reason when graph, configuration and manifest do not fit together. */
  static async load(options: OnnxEngineOptions): Promise<OnnxEngine> {
    const { manifest, folder } = options.model;
    const [graph, voice] = [manifest.files.graph, manifest.files.voice];
    if (graph === undefined || voice === undefined) throw new ModelProblem("files.graph and files.voice are required");
    const config = readVoiceConfig(join(folder, voice.path));
    checkAgreement(manifest, config);
    const graphPath = join(folder, graph.path);
    const opened = await options.pool.open(graphPath, options.providers).catch((cause: unknown) => {
      throw new ModelProblem(`the graph cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    });
    checkInputs(opened, config);
    for (const { provider, reason } of opened.refused) {
      options.log.warn({ model: manifest.name, provider, reason, using: opened.provider }, "FALLING BACK: an execution provider does not work here");
    }
    if (config.phoneme_type === "espeak") await options.phonemizer.start();
    return new OnnxEngine(options, config, graphPath, opened);
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

  /** Speaks once, and measures the voice: traits of others are relative to its own. */
  async warmUp(): Promise<void> {
    const symbols = knownSymbols(textSymbols(calibrationText), this.#config.phoneme_id_map);
    const spoken = this.#config.phoneme_type === "text" ? symbols : await this.#symbols({ text: calibrationText, language: "en" });
    const [piece] = cutIntoPieces(spoken, this.#config.phoneme_id_map, this.#maxIds);
    if (piece === undefined) return;
    const [row] = await this.#run([piece], this.#config.inference.length_scale, [this.#config.default_speaker_id], [1]);
    if (row !== undefined) this.#own = this.#measure(toSamples(row.sound));
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
          results.set(job, { result: "failed", error, retryable: !(error instanceof ServiceError) || error.code === "engine_failed" });
        }
      }
      await this.#render(renderings, results);
    }
    return jobs.map((job) => results.get(job) ?? { result: "failed", error: new ServiceError("engine_failed"), retryable: true });
  }

  async close(): Promise<void> {
    // Threads and the pronouncing process are shared; whoever made them closes them.
  }

  #measure(samples: Int16Array): VoiceTraits | null {
    const { manifest } = this.#options.model;
    try {
      const measured = measureVoice({ samples, sampleRate: this.#config.audio.sample_rate });
      return { ...measured, pitchHz: manifest.pitchHz ?? measured.pitchHz };
    } catch (error) {
      this.#options.log.warn({ err: error, model: manifest.name }, "the voice cannot be measured: cloned voices will sound like it");
      return null;
    }
  }

  get #batches(): boolean {
    return this.#opened.provider !== "cpu" && this.#opened.outputNames.length > 1 && this.#options.model.manifest.maxBatch > 1;
  }

  get #maxIds(): number {
    return this.#options.model.manifest.buckets.at(-1) ?? 512;
  }

  #languages(): string[] {
    const { manifest } = this.#options.model;
    if (manifest.languages.length > 0) return manifest.languages;
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
    const id = listed >= 0 ? listed : (this.#config.speaker_id_map[name] ?? (/^\d{1,5}$/.test(name) ? Number(name) : name === "default" ? 0 : -1));
    if (id < 0 || id >= this.#config.num_speakers) throw new ServiceError("unknown_reference");
    return id;
  }

  async #symbols(spoken: { text: string; language: string }): Promise<ReturnType<typeof textSymbols>> {
    const symbols =
      this.#config.phoneme_type === "text"
        ? textSymbols(spoken.text)
        : await this.#options.phonemizer.phonemize(spoken.text, this.#config.espeak?.voice ?? spoken.language);
    return knownSymbols(symbols, this.#config.phoneme_id_map);
  }

  async #prepare(job: ChunkJob): Promise<Rendering> {
    const { chunk } = job;
    const { voice, delivery } = chunk;
    const speakerId = this.#speakerId(voice.speaker);
    const spoken = spokenText(chunk);
    const symbols = await this.#symbols(spoken);
    const speakable = isSpeakable(symbols);
    // Letters of which the voice has none: silence would pretend that they had been read.
    if (!speakable && /\p{L}/u.test(spoken.text)) {
      throw new ServiceError("unsupported_language", { parameters: { languages: this.#languages().join(", ") } });
    }
    const { traits } = voice;
    const own = this.#own;
    const wanted = (traits === null || own === null ? 1 : traits.pitchHz / own.pitchHz) * 2 ** (delivery.pitchSemitones / 12);
    const pitchRatio = clamp(wanted, PITCH_RATIO_LIMITS.low, PITCH_RATIO_LIMITS.high);
    const traitRate = traits === null || own === null ? 1 : clamp(traits.syllablesPerSecond / own.syllablesPerSecond, 0.75, 1.35);
    const slower = clamp(1 / (voice.speed * delivery.rateFactor * traitRate), LENGTH_FACTOR_LIMITS.low, LENGTH_FACTOR_LIMITS.high);
    const tilt = traits === null || own === null ? 0 : traits.spectralTiltDbPerOctave - own.spectralTiltDbPerOctave;
    const sampleRate = this.#config.audio.sample_rate;
    const filter = tilt === 0 ? null : tiltFilter(tilt, sampleRate);
    return {
      job,
      pieces: speakable ? cutIntoPieces(symbols, this.#config.phoneme_id_map, this.#maxIds) : [],
      spoken,
      speakerId,
      lengthScale: this.#config.inference.length_scale * slower * pitchRatio,
      pitchRatio,
      timer: new WordTimer(chunk.text, spoken),
      shaper: new ChunkShaper({ ...chunk, sampleRate, gainDb: delivery.gainDb, filter }),
      rawSamples: 0,
    };
  }

  /** Round after round, the next piece of every rendering still going; rows of one call share its scales. */
  async #render(renderings: Rendering[], results: Map<ChunkJob, ChunkResult>): Promise<void> {
    for (let round = 0; ; round++) {
      const going = renderings.filter((rendering) => !results.has(rendering.job));
      if (going.length === 0) return;
      for (const rendering of going) {
        if (rendering.job.signal.aborted) results.set(rendering.job, { result: "cancelled" });
        else if (round >= rendering.pieces.length || rendering.shaper.full) results.set(rendering.job, this.#finish(rendering));
      }
      for (const group of groupByScale(going).values()) {
        const rows = group.filter((rendering) => !results.has(rendering.job));
        if (rows.length > 0) await this.#renderRows(rows, round, results);
      }
    }
  }

  async #renderRows(rows: Rendering[], round: number, results: Map<ChunkJob, ChunkResult>): Promise<void> {
    try {
      const pieces = rows.map(({ pieces: all }) => all[round] as Piece);
      const scale = rows[0]?.lengthScale ?? 1;
      const spoken = await this.#run(
        pieces,
        scale,
        rows.map((row) => row.speakerId),
        rows.map((row) => row.pitchRatio),
      );
      for (const [i, rendering] of rows.entries()) this.#take(rendering, pieces[i] as Piece, spoken[i] as SpokenRow);
    } catch (error) {
      for (const { job } of rows) results.set(job, { result: "failed", error, retryable: true });
    }
  }

  async #run(pieces: Piece[], lengthScale: number, speakerIds: number[], pitchRatios: number[]): Promise<SpokenRow[]> {
    const longest = Math.max(...pieces.map((piece) => piece.ids.length));
    // Padding to a bucket keeps the number of shapes small, which only accelerators care for.
    const padTo = this.#batches ? (this.#options.model.manifest.buckets.find((bucket) => bucket >= longest) ?? longest) : 0;
    return await this.#options.pool.speak({
      path: this.#graphPath,
      providers: this.#options.providers,
      call: { rows: pieces.map((piece) => piece.ids), scales: [0, lengthScale, 0], speakerIds, padTo, hopLength: this.#config.hop_length },
      pitchRatios,
    });
  }

  #take(rendering: Rendering, piece: Piece, row: SpokenRow): void {
    const { job, timer, shaper } = rendering;
    const startMs = this.#toMs(rendering.rawSamples);
    const words = idStarts(piece, row).flatMap(({ symbolIndex, share }) => {
      const range = piece.symbols[symbolIndex]?.range ?? { start: 0, end: 0 };
      return timer.mark({ range, atMs: startMs + this.#toMs(row.sound.length * share) });
    });
    rendering.rawSamples += row.sound.length;
    const samples = shaper.push(toSamples(row.sound));
    if (!job.signal.aborted) job.emit({ samples, words: words.map((word) => shaper.place(word)).filter((word) => word !== null) });
  }

  #finish(rendering: Rendering): ChunkResult {
    const { job, timer, shaper } = rendering;
    const words = timer.finish(this.#toMs(rendering.rawSamples)).map((word) => shaper.place(word));
    const pause = shaper.finish();
    if (pause.length > 0 || words.length > 0) job.emit({ samples: pause, words: words.filter((word) => word !== null) });
    return { result: "spoken", samples: shaper.samples };
  }

  #toMs(samples: number): number {
    return (samples / this.#config.audio.sample_rate) * 1000;
  }
}

/** Where each sounding symbol begins, as a share of the piece's sound: from the graph's frame counts, else by equal shares. */
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

function checkInputs({ inputNames, outputNames }: OpenedVoice, config: VoiceConfig): void {
  const needed = ["input", "input_lengths", "scales", ...(config.num_speakers > 1 ? ["sid"] : [])];
  const missing = needed.filter((name) => !inputNames.includes(name));
  const unknown = inputNames.filter((name) => !needed.includes(name));
  if (missing.length > 0) throw new ModelProblem(`the graph lacks the input ${missing.join(", ")}`);
  if (unknown.length > 0) throw new ModelProblem(`the graph has an input that nothing feeds: ${unknown.join(", ")}`);
  if (outputNames.length === 0) throw new ModelProblem("the graph has no output");
}

function checkAgreement(manifest: ModelFolder["manifest"], config: VoiceConfig & { phoneme_type: PhonemeType }): void {
  const rate = config.audio.sample_rate;
  if (manifest.sampleRate !== undefined && manifest.sampleRate !== rate) {
    throw new ModelProblem(`model.yaml says ${manifest.sampleRate} Hz, the voice ${rate} Hz`);
  }
  if (manifest.phonemes !== undefined && manifest.phonemes !== config.phoneme_type) {
    throw new ModelProblem(`model.yaml says phonemes ${manifest.phonemes}, the voice ${config.phoneme_type}`);
  }
  if (manifest.speakers.length > config.num_speakers) {
    throw new ModelProblem(`model.yaml names ${manifest.speakers.length} speakers, the voice has ${config.num_speakers}`);
  }
}

/** Rows of one call share its length scale. */
function groupByScale(renderings: readonly Rendering[]): Map<number, Rendering[]> {
  const groups = new Map<number, Rendering[]>();
  for (const rendering of renderings) groups.set(rendering.lengthScale, [...(groups.get(rendering.lengthScale) ?? []), rendering]);
  return groups;
}

function clamp(value: number, low: number, high: number): number {
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : 1;
}
