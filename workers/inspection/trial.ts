import { RECOGNITION_RATE, type AudioChunk } from "#protocol/transcription/chunk";
import type { ModelReport, ModelTrial } from "#protocol/models/inspection";
import { defaultSampling, neutralDelivery, type SpeechChunk } from "#protocol/speech/chunk";
import { createResampler } from "#audio/resampling/resampler";
import type { SpeechEngine } from "../engines/engine.js";
import type { Recognizer, RecognitionResult } from "../engines/recognizer.js";
import { type LoadOptions, loadEngines } from "../engines/load.js";
import { embeddedModels } from "../repository/embedded.js";
import type { ModelFolder } from "../repository/folder.js";
import { openRepository } from "../repository/repository.js";

/** What is said to recognizers, and by voices that know English or every language. */
const englishSentence = "The quick brown fox jumps over the lazy dog.";

/** A greeting for voices of languages that have no Latin letters; the others read the English sentence in their way. */
const greetings: Readonly<Record<string, string>> = {
  ...{
    ar: "مرحبا بالعالم",
    fa: "سلام دنیا",
    ur: "ہیلو دنیا",
    he: "שלום עולם",
    ru: "Привет, как дела?",
    uk: "Привіт, як справи?",
    kk: "Сәлем, әлем",
  },
  ...{
    bg: "Здравей, свят",
    sr: "Здраво, свете",
    el: "Γεια σου κόσμε",
    ka: "გამარჯობა მსოფლიო",
    hi: "नमस्ते दुनिया",
    ne: "नमस्ते संसार",
    ml: "ഹലോ ലോകം",
  },
  ...{
    te: "హలో ప్రపంచం",
    zh: "你好，世界",
    ja: "こんにちは",
    ko: "안녕하세요",
    vi: "Xin chào thế giới",
    th: "สวัสดีชาวโลก",
  },
};

/** The voice whose speech recognizers are tried with. */
const tryingVoice = "parley-en";
const CALLED_SILENT_BELOW = 10;

export type TrialOptions = Pick<LoadOptions, "log" | "clock" | "providers">;

/** Loads a model as a worker does, with one thread, and gives it one test input. The reason for a failure is data. */
export async function tryModel(
  model: ModelFolder,
  options: TrialOptions,
): Promise<Pick<ModelReport, "problem" | "trial">> {
  const { name, task } = model.manifest;
  const startMs = options.clock.nowMs();
  const loaded = await loadEngines({ models: [model], broken: [] }, { ...options, slots: 1 });
  try {
    const loadMs = options.clock.nowMs() - startMs;
    const failed = loaded.broken[0];
    if (failed !== undefined) return { problem: failed.reason, trial: null };
    const engine = loaded.engines.get(name);
    if (engine !== undefined) return await trySpeaking(engine, loadMs, options);
    const recognizer = loaded.recognizers.get(name);
    if (recognizer !== undefined) return await tryRecognition(recognizer, loadMs, options);
    return { problem: `nothing was loaded for the task ${task}`, trial: null };
  } finally {
    await loaded.close();
  }
}

async function trySpeaking(
  engine: SpeechEngine,
  loadMs: number,
  { clock }: TrialOptions,
): Promise<Pick<ModelReport, "problem" | "trial">> {
  const { languages, sampleRate } = engine.describe();
  const language = languages.includes("*") || languages.includes("en") ? "en" : (languages[0] ?? "en");
  const text = greetings[language] ?? englishSentence;
  const startMs = clock.nowMs();
  const samples = await speak(engine, text, language);
  const tookMs = clock.nowMs() - startMs;
  if (!(samples instanceof Int16Array)) return { problem: `it cannot say "${text}": ${samples.reason}`, trial: null };
  if (samples.every((sample) => Math.abs(sample) < CALLED_SILENT_BELOW))
    return { problem: `it gives silence for "${text}"`, trial: null };
  return {
    problem: null,
    trial: trialOf(engine, { loadMs, tookMs, audioSeconds: samples.length / sampleRate, outcome: `said "${text}"` }),
  };
}

async function tryRecognition(
  engine: Recognizer,
  loadMs: number,
  options: TrialOptions,
): Promise<Pick<ModelReport, "problem" | "trial">> {
  const audio = await testSpeech(options);
  const { task } = engine.describe();
  const startMs = options.clock.nowMs();
  const chunk: AudioChunk = {
    ...{
      task: task === "vad" ? "vad" : "transcribe",
      streamId: "trial",
      chunkIndex: 0,
      attempt: 1,
      ownerId: "trial",
      model: engine.describe().name,
    },
    ...{ samples: audio.length, language: null, traceparent: null },
  };
  const [result] = await engine.recognize([{ chunk, samples: audio, signal: new AbortController().signal }]);
  const tookMs = options.clock.nowMs() - startMs;
  if (result === undefined || result.result === "cancelled") return { problem: "it gives no result", trial: null };
  if (result.result === "failed") return { problem: `it cannot hear: ${messageOf(result.error)}`, trial: null };
  return {
    problem: null,
    trial: trialOf(engine, {
      loadMs,
      tookMs,
      audioSeconds: audio.length / RECOGNITION_RATE,
      outcome: describeRecognized(result),
    }),
  };
}

function describeRecognized(result: Extract<RecognitionResult, { result: "recognized" | "vad" }>): string {
  if (result.result === "recognized") {
    return result.words.length === 0
      ? "heard no word in an English sentence"
      : `heard "${result.words.map(({ text }) => text).join(" ")}"`;
  }
  const speech = result.speech.filter((value) => value >= 128).length;
  return `found speech in ${Math.round((100 * speech) / Math.max(1, result.speech.length))} % of a spoken sentence`;
}

function trialOf(
  engine: SpeechEngine | Recognizer,
  measured: { loadMs: number; tookMs: number; audioSeconds: number; outcome: string },
): ModelTrial {
  const { provider, sampleRate, speakers, languages } = engine.describe();
  const { loadMs, tookMs, audioSeconds, outcome } = measured;
  return {
    provider,
    sampleRate,
    speakers,
    languages,
    loadMs,
    audioSeconds,
    outcome,
    realTimeFactor: tookMs / 1000 / audioSeconds,
  };
}

/** A spoken sentence: whoever is to recognize one is tried with what it is for. */
async function testSpeech(options: TrialOptions): Promise<Int16Array> {
  const loaded = await loadEngines(await openRepository([embeddedModels], [tryingVoice]), { ...options, slots: 1 });
  try {
    const voice = loaded.engines.get(tryingVoice);
    if (voice === undefined)
      throw new RangeError(`the embedded voice ${tryingVoice} is not there: ${loaded.broken[0]?.reason ?? ""}`);
    const samples = await speak(voice, englishSentence, "en");
    if (!(samples instanceof Int16Array))
      throw new RangeError(`the embedded voice ${tryingVoice} does not speak: ${samples.reason}`);
    return resampled(samples, voice.describe().sampleRate);
  } finally {
    await loaded.close();
  }
}

function resampled(samples: Int16Array, sampleRate: number): Int16Array {
  const resampler = createResampler(sampleRate, RECOGNITION_RATE);
  const body = resampler.process(Float32Array.from(samples)).slice();
  return Int16Array.from([...body, ...resampler.flush()], (value) =>
    Math.max(-32_768, Math.min(32_767, Math.round(value))),
  );
}

async function speak(engine: SpeechEngine, text: string, language: string): Promise<Int16Array | { reason: string }> {
  const pieces: Int16Array[] = [];
  const chunk: SpeechChunk = {
    ...{
      task: "speak",
      streamId: "trial",
      chunkIndex: 0,
      attempt: 1,
      ownerId: "trial",
      model: engine.describe().name,
      traceparent: null,
    },
    ...{ text, normalize: false, pauseAfterMs: 0, seed: 1, maxSamples: 0 },
    voice: { speaker: null, language, speed: 1, traits: null },
    delivery: neutralDelivery,
    sampling: defaultSampling,
  };
  const [result] = await engine.speak([
    { chunk, signal: new AbortController().signal, emit: ({ samples }) => void pieces.push(samples) },
  ]);
  if (result?.result !== "spoken")
    return { reason: result?.result === "failed" ? messageOf(result.error) : "it gives no result" };
  return Int16Array.from(pieces.flatMap((piece) => [...piece]));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
