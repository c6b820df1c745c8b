import { z } from "zod";
import type { WorkerInbound } from "#protocol/bus/scheduling";
import { defaultSampling } from "#protocol/speech/chunk";
import { RECOGNITION_RATE, MAX_AUDIO_SECONDS } from "#protocol/transcription/chunk";

/**
 * What a worker takes from the bus. Other versions' extra fields are ignored; what is malformed is refused at this
 * door.
 */

const subjectToken = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);
const finite = z.number().refine(Number.isFinite);

const traits = z.object({
  pitchHz: finite,
  pitchRangeSemitones: finite,
  syllablesPerSecond: finite,
  spectralTiltDbPerOctave: finite,
});

/** Longest text of one chunk: the edge cuts far below it. */
const MAX_CHUNK_CHARACTERS = 10_000;

/** Longest pause of one chunk. */
const MAX_PAUSE_MS = 60_000;

const anyChunk = z.object({
  streamId: z.string().min(1).max(128),
  chunkIndex: z.number().int().min(0),
  attempt: z.number().int().min(1),
  ownerId: subjectToken,
  model: z.string().max(128),
  traceparent: z.string().max(256).nullable(),
});

const speechChunk = anyChunk.extend({
  task: z.literal("speak"),
  text: z.string().max(MAX_CHUNK_CHARACTERS),
  normalize: z.boolean(),
  voice: z.object({
    speaker: z.string().max(256).nullable(),
    language: z.string().max(64).nullable(),
    speed: finite.pipe(z.number().min(0.1).max(10)),
    traits: traits.nullable(),
    prompt: z
      .object({ source: z.enum(["stream", "library"]), id: z.string().regex(/^[0-9a-f]{32}(?:[0-9a-f]{32})?$/) })
      .optional(),
  }),
  delivery: z.object({
    style: z.string().max(256),
    pitchSemitones: finite.pipe(z.number().min(-48).max(48)),
    pitchRangeFactor: finite.pipe(z.number().min(0).max(10)),
    rateFactor: finite.pipe(z.number().min(0.1).max(10)),
    gainDb: finite.pipe(z.number().min(-60).max(60)),
    whisper: z.boolean(),
  }),
  // An edge of the version before says nothing of it.
  sampling: z
    .object({
      temperature: finite.pipe(z.number().min(0).max(1)),
      topP: finite.pipe(z.number().min(0).max(1)),
      repetitionPenalty: finite.pipe(z.number().min(0).max(10)),
    })
    .default(defaultSampling),
  pauseAfterMs: finite.pipe(z.number().min(0).max(MAX_PAUSE_MS)),
  seed: z.number(),
  maxSamples: z.number().int().min(0),
  sampleRate: z.number().int().min(8000).max(96_000).optional(),
});

const audioChunk = anyChunk.extend({
  task: z.enum(["transcribe", "vad"]),
  samples: z
    .number()
    .int()
    .min(1)
    .max(MAX_AUDIO_SECONDS * RECOGNITION_RATE),
  language: z.string().max(64).nullable(),
});

const chunk = z.discriminatedUnion("task", [speechChunk, audioChunk]);

const inbound = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("batch"),
    batchId: z.string().min(1).max(128),
    schedulerId: subjectToken,
    model: z.string().max(128),
    reserved: z.boolean().optional(),
    chunks: z
      .array(z.object({ chunk, queuedUs: finite }))
      .min(1)
      .max(256),
  }),
  z.object({ type: z.literal("cancel"), streamId: z.string(), fromChunk: z.number(), toChunk: z.number().optional() }),
]);

/** The message, or why it is not one. */
export function parseInbound(message: unknown): { ok: true; message: WorkerInbound } | { ok: false; reason: string } {
  const parsed = inbound.safeParse(message);
  if (parsed.success) return { ok: true, message: parsed.data };
  return {
    ok: false,
    reason: parsed.error.issues
      .map((issue) => `${issue.path.join(".")}: ${issue.code}`)
      .slice(0, 5)
      .join("; "),
  };
}

/**
 * Where a batch that could not be read must still be answered, so that its slot is not lost for ever; null when even
 * that is unknown.
 */
export function unreadableBatch(message: unknown): { batchId: string; schedulerId: string; model: string } | null {
  const parsed = z
    .object({
      type: z.literal("batch"),
      batchId: z.string().min(1).max(128),
      schedulerId: subjectToken,
      model: z.string().max(128),
    })
    .safeParse(message);
  return parsed.success ? parsed.data : null;
}
