import { z } from "zod";
import { ModelProblem } from "../../../repository/folder.js";
import { readJsonFile } from "../../../repository/json-file.js";

/** `x.onnx.json`, as Piper writes it beside a voice; what is not named here is ignored. */
const voiceConfig = z.object({
  num_speakers: z.number().int().min(1).max(100_000).default(1),
  audio: z.object({ sample_rate: z.number().int().min(8000).max(48_000) }),
  espeak: z.object({ voice: z.string() }).optional(),
  language: z.object({ code: z.string() }).optional(),
  phoneme_type: z.string().default("espeak"),
  phoneme_id_map: z.record(z.string(), z.array(z.number().int().min(0)).min(1)),
  inference: z
    .object({
      length_scale: z.number().min(0.05).max(20).default(1),
      noise_scale: z.number().min(0).max(2).default(0.667),
      noise_w: z.number().min(0).max(2).default(0.8),
    })
    .default({ length_scale: 1, noise_scale: 0.667, noise_w: 0.8 }),
  speaker_id_map: z.record(z.string(), z.number().int().min(0)).default({}),
  /** Samples per frame of the optional second output. */
  hop_length: z.number().int().min(1).max(8192).default(256),
  default_speaker_id: z.number().int().min(0).default(0),
});

/** A voice's configuration. `phoneme_type` says how its symbols are made from text. */
export type PiperConfig = z.infer<typeof voiceConfig> & { phoneme_type: "text" | "espeak" };

/** Reads and checks a voice's configuration. Throws `ModelProblem`. */
export function readPiperConfig(path: string): PiperConfig {
  const config = readJsonFile(path, "the voice's JSON", voiceConfig);
  const { phoneme_type: type, phoneme_id_map: ids } = config;
  if (type !== "text" && type !== "espeak")
    throw new ModelProblem(`phoneme_type ${type} is not supported; text and espeak are`);
  for (const symbol of ["_", "^", "$"])
    if (ids[symbol] === undefined) throw new ModelProblem(`phoneme_id_map lacks "${symbol}"`);
  return { ...config, phoneme_type: type };
}

/** The primary language of a voice, `*` when its configuration names none. */
export function languageOf({ language, espeak }: PiperConfig): string {
  const tag = language?.code ?? espeak?.voice ?? "*";
  return tag.split(/[-_]/)[0]?.toLowerCase() ?? "*";
}
