import { z } from "zod";

/** Text that may become part of a bus subject, a path or a log line. */
const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must be 1 to 64 letters, digits, dots, dashes or underscores");

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex");

/** A file inside the model's folder. Absolute paths and `..` would let a folder name files that are not its own. */
const filePath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith("/") && !path.split(/[\\/]/).includes(".."), "must be inside the model's folder");

/**
 * How many id slots one call is padded to, smallest first; the last one is the longest piece of text spoken in one
 * call.
 */
const buckets = z
  .array(z.number().int().min(8).max(65_536))
  .min(1)
  .max(32)
  .refine((list) => list.every((value, i) => i === 0 || value > (list[i - 1] ?? 0)), "must grow");

const defaultBuckets = [64, 128, 256, 512];

/** Inputs, outputs and features of the graphs that the engine `ctc` runs. */
export const ctcLayouts = ["zipformer_ctc", "nemo_ctc", "waveform_ctc"] as const;

/** What each engine does, and the roles of the files that it cannot do without. */
const engineTraits = {
  espeak: { task: "speak", files: [] },
  onnx: { task: "speak", files: ["graph", "voice"] },
  kokoro: { task: "speak", files: ["graph"] },
  pocket: {
    task: "speak",
    files: ["lm_main", "lm_flow", "encoder", "decoder", "text_conditioner", "vocab", "token_scores"],
  },
  ctc: { task: "transcribe", files: ["graph", "tokens"] },
  whisper: { task: "transcribe", files: ["encoder", "decoder", "tokens", "config", "preprocessor"] },
  moonshine: { task: "transcribe", files: ["encoder", "decoder", "tokens"] },
  "onnx-vad": { task: "vad", files: ["graph"] },
  tfjs: { task: "vad", files: ["graph"] },
} as const;

const engineNames = [
  "espeak",
  "onnx",
  "kokoro",
  "pocket",
  "ctc",
  "whisper",
  "moonshine",
  "onnx-vad",
  "tfjs",
] as const satisfies (keyof typeof engineTraits)[];

/** How a recognizer searches for words; the engine's own values where absent. */
const decoding = z.strictObject({
  /** Weight of the language model against the audio. */
  lmWeight: z.number().min(0).max(10).optional(),
  /** Added for each word, in nats: more makes for more and shorter words. */
  wordBonus: z.number().min(-20).max(20).optional(),
  /** Most hypotheses kept from frame to frame. */
  beam: z.number().int().min(1).max(20_000).optional(),
  /** Hypotheses this many nats behind the best are dropped. */
  threshold: z.number().min(0.5).max(100).optional(),
  /** How much later than the truth a word's first and last symbols come, measured on speech with known times. */
  startBiasMs: z.number().min(-500).max(500).optional(),
  endBiasMs: z.number().min(-500).max(500).optional(),
});

/**
 * `model.yaml`: what a model folder says about itself. Unknown keys are errors: a misspelt one would be ignored
 * otherwise.
 */
export const manifest = z
  .strictObject({
    name,
    task: z.preprocess(
      // Folders that people made earlier have the former names.
      (value) => (value === "listen" ? "transcribe" : value === "detect" ? "vad" : value),
      z.enum(["speak", "transcribe", "vad"]),
    ),
    engine: z.enum(engineNames),
    /** Free text for people. */
    description: z.string().max(2000).default(""),
    licence: z.string().min(1).max(200),
    /**
     * Files by role. `onnx`: `graph`, `voice` (the `.onnx.json`), `encoder` and `decoder` where the same graph is also
     * there cut in two, and, with phonemes `parley-en`, `lexicon`. `kokoro`:
     * `graph`, `tokens` (Kokoro-82M's own where it is absent) and `voices`, an archive of styles (which lie in `voices/` where it is absent). `pocket`: `lm_main`, `lm_flow`, `encoder`, `decoder`,
     * `text_conditioner`, `vocab`, `token_scores` (recordings lie in `voices/` or `test_wavs/`). `ctc`: `graph`, `tokens`, `int8` where the
     * same graph is also there with convolutions of 8-bit integers, which processors run instead, and, where the tokens
     * are speech sounds, `words` (lexicon and language model). `whisper`: `encoder`, `decoder`, `tokens`, `config`, `preprocessor` and,
     * where it is there, `generation` (`generation_config.json`). `moonshine`: `encoder`, `decoder`, `tokens` (`tokenizer.bin` or
     * `tokenizer.json`). `onnx-vad`: `graph`. `tfjs`: `graph` (`model.json`;
     * its weights lie beside it). None for `espeak`.
     */
    files: z.record(z.string(), z.strictObject({ path: filePath, sha256: sha256.optional() })).default({}),
    /** Hz; must agree with the voice's own where it has one. */
    sampleRate: z.number().int().min(8000).max(48_000).optional(),
    /** BCP-47 tags; the engine's own list when empty. */
    languages: z.array(z.string().min(1).max(35)).max(200).default([]),
    /** Names of the speakers, by index; the voice's own list when empty. */
    speakers: z.array(name).max(10_000).default([]),
    /** What the graph's symbols are. */
    phonemes: z.enum(["none", "text", "espeak", "parley-en"]).optional(),
    /** Most chunks in one call of the graph; 1 where the graph has no masking. */
    maxBatch: z.number().int().min(1).max(256).default(1),
    buckets: buckets.default(defaultBuckets),
    /** Median pitch of the voice, Hz, for changing it; measured at start when absent. */
    pitchHz: z.number().min(40).max(600).optional(),
    /** Inputs, outputs and audio features of a recognizer's graph; told from the graph when absent. */
    layout: z.enum(ctcLayouts).optional(),
    decoding: decoding.default({}),
  })
  .superRefine((value, context) => {
    const { engine, task, files } = value;
    const traits = engineTraits[engine];
    if (task !== traits.task)
      context.addIssue({ code: "custom", path: ["task"], message: `must be ${traits.task} for the engine ${engine}` });
    for (const role of traits.files) {
      if (files[role] === undefined)
        context.addIssue({ code: "custom", path: ["files", role], message: `is required for the engine ${engine}` });
    }
  });

export type Manifest = z.infer<typeof manifest>;

/** A zod error as one readable line: `languages.0: must …; licence: …`. */
export function describeProblems(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.join(".") || "(top)"}: ${issue.message}`)
    .join("; ")
    .slice(0, 500);
}
