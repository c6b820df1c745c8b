/** What is measured in the samples of a speaker. A model that clones no voice gives a cloned one these traits. */
export interface VoiceTraits {
  /** Median fundamental frequency of voiced speech, Hz. */
  pitchHz: number;
  /** Standard deviation of pitch, semitones. */
  pitchRangeSemitones: number;
  /** Syllable nuclei per second of speech, pauses excluded. */
  syllablesPerSecond: number;
  /** Slope of the long-term spectrum between 300 Hz and 5 kHz, dB per octave (more negative is darker). */
  spectralTiltDbPerOctave: number;
}

/**
 * A recording that a model which clones voices speaks in the voice of. It stays with who has it: the `stream`, or the
 * `library` of saved voices (bus/voice-prompts.ts); the chunk names it. Equal ids are equal recordings.
 */
export interface VoicePrompt {
  source: "stream" | "library";
  /** SHA-256 of the samples as they were sent, or the saved voice's id. */
  id: string;
}

/** Which voice speaks a chunk, and how. */
export interface VoiceSettings {
  /** Speaker name or index within the model; null is the model's default speaker. */
  speaker: string | null;
  /** The model that the speaker is of; another one speaks with its default speaker. Absent where none was named. */
  speakerModel?: string;
  /** BCP-47 language of the text; null lets the engine detect or use the model's language. */
  language: string | null;
  /** Speaking rate relative to the voice's own, 0.5 to 2; pitch stays. */
  speed: number;
  /** Measured traits of a cloned voice; null is the model's own audio. */
  traits: VoiceTraits | null;
  /** The cloned voice itself, for models that speak in it; absent where there is none or no such model. */
  prompt?: VoicePrompt;
}

/** Manner that an emotion or expression tag asks for; every field relative to neutral. */
export interface Delivery {
  /** Tag as written, lower case, for engines that know more than the numbers below; empty is neutral. */
  style: string;
  /** Semitones added to mean pitch. */
  pitchSemitones: number;
  /** Factor on pitch movement, 1 is neutral. */
  pitchRangeFactor: number;
  /** Factor on speaking rate, 1 is neutral. */
  rateFactor: number;
  /** Decibels added. */
  gainDb: number;
  /** Breath instead of voice. */
  whisper: boolean;
}

export const neutralDelivery: Delivery = {
  style: "",
  pitchSemitones: 0,
  pitchRangeFactor: 1,
  rateFactor: 1,
  gainDb: 0,
  whisper: false,
};

/**
 * How freely a chunk is read. What each number does is the engine's to say (`docs/voices.md`); equal chunks stay equal
 * whatever it is.
 */
export interface Sampling {
  /** 0 (steady) to 1 (lively). */
  temperature: number;
  /** Share of the probability that is drawn from, 0 to 1: the lower, the fewer surprises. */
  topP: number;
  /** By how much what was just drawn becomes less likely, 0 to 10; 1 changes nothing. */
  repetitionPenalty: number;
}

/** What a request that says nothing gets: every voice as it is by itself. */
export const defaultSampling: Sampling = { temperature: 0.7, topP: 0.7, repetitionPenalty: 1.2 };

/**
 * A speakable piece of a stream: the unit that is queued, batched, spoken and, if need be, spoken again. Two chunks
 * with equal text, voice, delivery, sampling, seed and `chunkIndex` give equal samples, whoever speaks them
 * (docs/architecture.md "Decisions"); where only the index differs, samples may differ by rounding.
 */
export interface SpeechChunk {
  task: "speak";
  streamId: string;
  /** Position in the stream, from 0. */
  chunkIndex: number;
  /** 1 for the first try; each resubmission adds one. */
  attempt: number;
  /** The edge that waits for the audio (`ownerAudioSubject`). */
  ownerId: string;
  /** Name of the model folder that speaks it. */
  model: string;
  /** Source text without tags; never empty. */
  text: string;
  /** Whether numbers, dates and abbreviations are read out as words. */
  normalize: boolean;
  voice: VoiceSettings;
  delivery: Delivery;
  sampling: Sampling;
  /** Silence after the spoken text, part of the chunk's samples. */
  pauseAfterMs: number;
  /** Seed of whatever the engine draws: 32-bit, from `chunkSeed`. */
  seed: number;
  /** Most samples the chunk may produce, at `sampleRate`; 0 is no limit (`max_new_tokens`). */
  maxSamples: number;
  /** Rate that the stream is given in, Hz: a worker whose model has another converts. The model's own when absent. */
  sampleRate?: number;
  /** W3C trace context of the request, or null. */
  traceparent: string | null;
}

/** When a word sounds inside its chunk. */
export interface WordTiming {
  /** The word as written in the source text, without punctuation. */
  text: string;
  startMs: number;
  endMs: number;
  /** UTF-16 range of the word in the chunk's source text. */
  sourceStart: number;
  sourceEnd: number;
}
