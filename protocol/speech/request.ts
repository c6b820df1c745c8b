import { z } from "zod";
import { defaultSampling } from "./chunk.js";

/** The four speech models of the service, as callers name them in the `model` header. */
export const speechModels = ["s2.1-pro", "s2.1-pro-free", "s2-pro", "s1"] as const;
export type SpeechModel = (typeof speechModels)[number];

/** The model used when the `model` header is absent. */
export const defaultSpeechModel: SpeechModel = "s2-pro";

/** Names that older clients send, and what serves them. */
export const speechModelAliases: Readonly<Record<string, SpeechModel>> = {
  "speech-1.5": "s2-pro",
  "speech-1.6": "s2-pro",
};

export const audioFormats = ["mp3", "wav", "pcm", "opus"] as const;
export type AudioFormat = (typeof audioFormats)[number];

export const sampleRatesByFormat: Readonly<Record<AudioFormat, readonly number[]>> = {
  mp3: [32000, 44100],
  wav: [8000, 16000, 24000, 32000, 44100],
  pcm: [8000, 16000, 24000, 32000, 44100],
  opus: [48000],
};

const everySampleRate = [...new Set(Object.values(sampleRatesByFormat).flat())].toSorted((a, b) => a - b);
const sampleRateWords = `Hz: ${audioFormats.map((format) => `${format} ${sampleRatesByFormat[format].join(", ")}`).join("; ")}.`;

/** Automatic Opus bitrate. */
const OPUS_BITRATE_AUTO = -1000;

/** What a field stands for that a request leaves out. */
export const speechDefaults = {
  format: "mp3",
  mp3_bitrate: 128,
  latency: "balanced",
  chunk_length: 200,
  min_chunk_length: 50,
  temperature: defaultSampling.temperature,
  top_p: defaultSampling.topP,
  repetition_penalty: defaultSampling.repetitionPenalty,
  normalize: true,
  speed: 1,
  volume: 0,
} as const;

/**
 * `null` and absent mean the same in every optional field (the TypeScript client sends nil for undefined). `usual`, of
 * those that have one value for absent, is what the description of the API says of it.
 */
function optional<T extends z.ZodType>(schema: T, usual?: z.output<T>): z.ZodPreprocess<z.ZodOptional<T>> {
  const absent = schema.optional();
  return z.preprocess(
    (value) => (value === null ? undefined : value),
    usual === undefined ? absent : absent.meta({ default: usual }),
  );
}

/** A map of fields: MessagePack's bytes, timestamps and extensions are objects to JavaScript too, and no maps. */
function map<T extends z.ZodType>(schema: T): z.ZodPreprocess<T> {
  return z.preprocess((value, context) => {
    if (
      typeof value !== "object" ||
      value === null ||
      Array.isArray(value) ||
      Object.getPrototypeOf(value) === Object.prototype
    )
      return value;
    context.addIssue({ code: "invalid_type", expected: "object", input: value });
    return z.NEVER;
  }, schema);
}

/** `1.0` from MessagePack or JSON is the integer 1; JavaScript numbers already agree, bigints from int64 do not. */
const integer = z.preprocess((value) => (typeof value === "bigint" ? Number(value) : value), z.number().int());

const number = z.preprocess((value) => (typeof value === "bigint" ? Number(value) : value), z.number());

/** Fields of requests that carry audio; `data` is that of a serialised Node Buffer too. */
export const audioFields = ["audio", "data"] as const;

/**
 * Audio bytes as clients send them: bin (MessagePack), base64 or data URL, a serialised Node Buffer, or a list of
 * bytes.
 */
export const audioBytes = z.unknown().transform((value, context): Uint8Array => {
  const bytes = toBytes(value);
  if (bytes === null) {
    context.addIssue({ code: "custom", message: "Input should be audio bytes: binary, base64 or a data URL" });
    return z.NEVER;
  }
  return bytes;
});

const base64Pattern = /^[A-Za-z0-9+/_-]+={0,2}$/;

function toBytes(value: unknown): Uint8Array | null {
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string") return base64ToBytes(value);
  if (Array.isArray(value)) return byteListToBytes(value);
  if (typeof value === "object" && value !== null && (value as { type?: unknown }).type === "Buffer") {
    const data = (value as { data?: unknown }).data;
    if (data instanceof Uint8Array) return data;
    return Array.isArray(data) ? byteListToBytes(data) : null;
  }
  return null;
}

function base64ToBytes(text: string): Uint8Array | null {
  const comma = text.startsWith("data:") ? text.indexOf(",") : -1;
  if (text.startsWith("data:") && (comma < 0 || !text.slice(0, comma).endsWith(";base64"))) return null;
  const encoded = text.slice(comma + 1).replace(/\s+/g, "");
  if (encoded.length === 0 || encoded.length % 4 === 1 || !base64Pattern.test(encoded)) return null;
  return Buffer.from(encoded, "base64");
}

function byteListToBytes(list: unknown[]): Uint8Array | null {
  const isByte = (item: unknown): item is number =>
    typeof item === "number" && Number.isInteger(item) && item >= 0 && item <= 255;
  return list.every(isByte) ? Uint8Array.from(list) : null;
}

/** Reference audio with its transcript: a voice sent with the request instead of saved before. */
const referenceAudio = map(z.object({ audio: audioBytes, text: z.string().max(10_000).default("") }));
export type ReferenceAudio = z.infer<typeof referenceAudio>;

const prosody = map(
  z.object({
    /** Speaking rate; pitch stays. */
    speed: optional(number.pipe(z.number().min(0.5).max(2)), speechDefaults.speed),
    /** Decibels. */
    volume: optional(number.pipe(z.number().min(-20).max(20)), speechDefaults.volume),
    normalize_loudness: optional(z.boolean()),
  }),
);

/** Longest text of one HTTP request, in UTF-16 units. */
export const MAX_TEXT_CHARACTERS = 1_000_000;

const opusKilobits = [24, 32, 48, 64];

/**
 * Body of `POST /v1/tts`, and `request` of the live WebSocket's `start` (docs/protocol.md "Speech requests"). Unknown
 * fields are ignored: newer clients send fields that this version does not know.
 */
export const speechRequest = z
  .object({
    text: z.string().max(MAX_TEXT_CHARACTERS),
    reference_id: optional(z.union([z.string(), z.array(z.string()).max(16)])),
    references: optional(z.union([z.array(referenceAudio).max(16), z.array(z.array(referenceAudio).max(16)).max(16)])),
    format: optional(z.enum(audioFormats), speechDefaults.format),
    mp3_bitrate: optional(
      integer.pipe(z.union([z.literal(64), z.literal(128), z.literal(192)])),
      speechDefaults.mp3_bitrate,
    ),
    opus_bitrate: optional(
      integer
        .pipe(z.number())
        .refine(
          (value) => value === OPUS_BITRATE_AUTO || opusKilobits.includes(value) || opusKilobits.includes(value / 1000),
          { message: "Input should be -1000, 24000, 32000, 48000 or 64000" },
        )
        .meta({
          enum: [OPUS_BITRATE_AUTO, ...opusKilobits.map((kilobits) => kilobits * 1000), ...opusKilobits],
          description: "Bits or kilobits a second; -1000, the default, is automatic.",
        }),
    ),
    sample_rate: optional(integer.pipe(z.number()).meta({ enum: everySampleRate, description: sampleRateWords })),
    prosody: optional(prosody),
    latency: optional(z.enum(["low", "balanced", "normal"]), speechDefaults.latency),
    chunk_length: optional(integer.pipe(z.number().min(100).max(300)), speechDefaults.chunk_length),
    min_chunk_length: optional(integer.pipe(z.number().min(0).max(100)), speechDefaults.min_chunk_length),
    temperature: optional(number.pipe(z.number().min(0).max(1)), speechDefaults.temperature),
    top_p: optional(number.pipe(z.number().min(0).max(1)), speechDefaults.top_p),
    repetition_penalty: optional(number.pipe(z.number().min(0).max(10)), speechDefaults.repetition_penalty),
    max_new_tokens: optional(integer.pipe(z.number().min(0).max(1_000_000))),
    normalize: optional(z.boolean(), speechDefaults.normalize),
    condition_on_previous_chunks: optional(z.boolean()),
    early_stop_threshold: optional(number.pipe(z.number().min(0).max(1))),
    features: optional(z.array(z.string()).max(64)),
  })
  .superRefine((request, context) => {
    const format = request.format ?? speechDefaults.format;
    const rates = sampleRatesByFormat[format];
    if (request.sample_rate !== undefined && !rates.includes(request.sample_rate)) {
      context.addIssue({
        code: "custom",
        path: ["sample_rate"],
        message: `Input should be one of ${rates.join(", ")} for ${format}`,
      });
    }
  });

/** A validated speech request; every absent field is undefined. */
export type SpeechRequest = z.infer<typeof speechRequest>;

/** Opus bitrate in bits per second from either unit family; null is automatic. */
export function opusBitsPerSecond(value: number | undefined): number | null {
  if (value === undefined || value === OPUS_BITRATE_AUTO) return null;
  return value < 1000 ? value * 1000 : value;
}
