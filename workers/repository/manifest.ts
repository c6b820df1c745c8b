import { z } from "zod";

/** Text that may become part of a bus subject, a path or a log line. */
const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must be 1 to 64 letters, digits, dots, dashes or underscores");

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex");

/** A file inside the model's folder. Absolute paths and `..` would let a folder name files that are not its own. */
const filePath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith("/") && !path.split(/[\\/]/).includes(".."), "must be inside the model's folder");

/** How many id slots one call is padded to, smallest first; the last one is the longest piece of text spoken in one call. */
const buckets = z
  .array(z.number().int().min(8).max(65_536))
  .min(1)
  .max(32)
  .refine((list) => list.every((value, i) => i === 0 || value > (list[i - 1] ?? 0)), "must grow");

export const defaultBuckets = [64, 128, 256, 512];

/** `model.yaml`: what a model folder says about itself. Unknown keys are errors: a misspelt one would be ignored otherwise. */
export const manifest = z
  .strictObject({
    name,
    task: z.literal("speak"),
    engine: z.enum(["espeak", "onnx"]),
    /** Free text for people. */
    description: z.string().max(2000).default(""),
    licence: z.string().min(1).max(200),
    /** Files by role: `graph` and `voice` (the `.onnx.json`) for `onnx`; none for `espeak`. */
    files: z.record(z.string(), z.strictObject({ path: filePath, sha256: sha256.optional() })).default({}),
    /** Hz; must agree with the voice's own where it has one. */
    sampleRate: z.number().int().min(8000).max(48_000).optional(),
    /** BCP-47 tags; the engine's own list when empty. */
    languages: z.array(z.string().min(1).max(35)).max(200).default([]),
    /** Names of the speakers, by index; the voice's own list when empty. */
    speakers: z.array(name).max(10_000).default([]),
    /** What the graph's symbols are. */
    phonemes: z.enum(["none", "text", "espeak"]).optional(),
    /** Most chunks in one call of the graph; 1 where the graph has no masking. */
    maxBatch: z.number().int().min(1).max(256).default(1),
    buckets: buckets.default(defaultBuckets),
    /** Median pitch of the voice, Hz, for changing it; measured at start when absent. */
    pitchHz: z.number().min(40).max(600).optional(),
  })
  .superRefine((value, context) => {
    for (const role of value.engine === "onnx" ? ["graph", "voice"] : []) {
      if (value.files[role] === undefined) context.addIssue({ code: "custom", path: ["files", role], message: "is required for the engine onnx" });
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
