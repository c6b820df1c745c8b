import { existsSync } from "node:fs";
import { z } from "zod";
import { RECOGNITION_RATE } from "#protocol/transcription/chunk";
import { ModelProblem } from "../../repository/folder.js";
import { readJsonFile } from "../../repository/json-file.js";

/** What of `config.json` the graphs' shapes follow from; the rest is ignored, here and below. */
const modelConfig = z.object({
  model_type: z.literal("whisper"),
  d_model: z.number().int().min(1),
  decoder_layers: z.number().int().min(1).max(128),
  decoder_attention_heads: z.number().int().min(1).max(256),
  num_mel_bins: z.number().int().min(1).max(256).default(80),
  vocab_size: z.number().int().min(1),
  max_source_positions: z.number().int().min(1).default(1500),
  max_target_positions: z.number().int().min(8).default(448),
});

const generationConfig = z.object({
  is_multilingual: z.boolean().optional(),
  suppress_tokens: z.array(z.number().int()).nullish(),
  begin_suppress_tokens: z.array(z.number().int()).nullish(),
  max_initial_timestamp_index: z.number().int().min(0).nullish(),
});

const preprocessorConfig = z.object({
  feature_size: z.number().int().default(80),
  sampling_rate: z.literal(RECOGNITION_RATE).default(RECOGNITION_RATE),
  hop_length: z.literal(160).default(160),
  n_fft: z.literal(400).default(400),
  chunk_length: z.literal(30).default(30),
});

/** What a Whisper folder's JSON files say. */
export interface WhisperSettings {
  layers: number;
  heads: number;
  headSize: number;
  melBands: number;
  vocabularySize: number;
  /** Frames that the encoder gives for 30 s. */
  encoderFrames: number;
  /** Most tokens in all: prompt and text. */
  maxTokens: number;
  multilingual: boolean;
  suppressed: number[];
  suppressedAtBegin: number[];
  /** Steps of 20 ms before which the first timestamp must be. */
  maxInitialTimestamp: number;
}

/** English-only models have one token fewer than all others. */
const SMALLEST_MULTILINGUAL_VOCABULARY = 51_865;

/** Reads and checks the settings; `generation` may be missing. Throws `ModelProblem`. */
export function readWhisperSettings(paths: {
  config: string;
  generation: string | null;
  preprocessor: string;
}): WhisperSettings {
  const config = readJsonFile(paths.config, "config.json", modelConfig);
  const generation =
    paths.generation === null || !existsSync(paths.generation)
      ? {}
      : readJsonFile(paths.generation, "generation_config.json", generationConfig);
  const features = readJsonFile(paths.preprocessor, "preprocessor_config.json", preprocessorConfig);
  if (features.feature_size !== config.num_mel_bins) {
    throw new ModelProblem(
      `config.json says ${config.num_mel_bins} mel bands, preprocessor_config.json ${features.feature_size}`,
    );
  }
  if (config.d_model % config.decoder_attention_heads !== 0)
    throw new ModelProblem("config.json: d_model is no multiple of decoder_attention_heads");
  return {
    layers: config.decoder_layers,
    heads: config.decoder_attention_heads,
    headSize: config.d_model / config.decoder_attention_heads,
    melBands: config.num_mel_bins,
    vocabularySize: config.vocab_size,
    encoderFrames: config.max_source_positions,
    maxTokens: config.max_target_positions,
    multilingual: generation.is_multilingual ?? config.vocab_size >= SMALLEST_MULTILINGUAL_VOCABULARY,
    suppressed: (generation.suppress_tokens ?? []).filter((id) => id >= 0),
    suppressedAtBegin: (generation.begin_suppress_tokens ?? []).filter((id) => id >= 0),
    maxInitialTimestamp: generation.max_initial_timestamp_index ?? 50,
  };
}
