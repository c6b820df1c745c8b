import { z } from "zod";
import { looseBoolean, queryInteger } from "./loose.js";
import { audioBytes } from "./speech/request.js";

/** Who may see a voice: everyone and in lists, everyone who has its id, its own team. */
export const visibilities = ["public", "unlist", "private"] as const;
export type Visibility = (typeof visibilities)[number];

export const voiceSortOrders = ["score", "task_count", "created_at"] as const;

/** Most samples of one voice. */
export const MAX_VOICE_SAMPLES = 20;

/** Sizes that one voice upload may have. */
export const voiceUploadLimits = { fileBytes: 20 * 1024 * 1024, totalBytes: 100 * 1024 * 1024 } as const;

const timestamp = z.iso.datetime();

const voiceSample = z.object({
  title: z.string(),
  text: z.string(),
  task_id: z.string(),
  /** Path of the sample on this service; needs the same credential. */
  audio: z.string(),
});

/**
 * A voice as `/model` shows it (docs/protocol.md "Voices"): every key is always present, some client libraries insist.
 */
export const modelEntity = z.object({
  _id: z.string(),
  type: z.literal("tts"),
  title: z.string(),
  description: z.string(),
  /** Path of the cover on this service, or empty. */
  cover_image: z.string(),
  train_mode: z.literal("fast"),
  state: z.enum(["created", "training", "trained", "failed"]),
  tags: z.array(z.string()),
  samples: z.array(voiceSample),
  created_at: timestamp,
  updated_at: timestamp,
  languages: z.array(z.string()),
  visibility: z.enum(visibilities),
  lock_visibility: z.boolean(),
  dmca_taken_down: z.boolean(),
  default_text: z.string(),
  source: z.string().nullable(),
  pvc_release_state: z.enum(["released", "retiring"]).nullable(),
  pvc_notice_period_months: z.int().nullable(),
  pvc_released_at: timestamp.nullable(),
  pvc_retire_requested_at: timestamp.nullable(),
  pvc_retire_effective_at: timestamp.nullable(),
  quality: z.null(),
  like_count: z.int(),
  mark_count: z.int(),
  shared_count: z.int(),
  task_count: z.int(),
  unliked: z.boolean(),
  liked: z.boolean(),
  marked: z.boolean(),
  author: z.object({ _id: z.string(), nickname: z.string(), avatar: z.string() }),
});
export type ModelEntity = z.infer<typeof modelEntity>;

/** Answer of `GET /model`. */
export const modelList = z.object({
  total: z.int(),
  items: z.array(modelEntity),
  has_more: z.boolean(),
  max_offset: z.int().nullable(),
  accessible_upper_bound: z.int().nullable(),
  window_limited: z.boolean(),
  total_is_exact: z.boolean(),
});
export type ModelList = z.infer<typeof modelList>;

/** Postgres text cannot hold U+0000; saying so beats failing at the insert. */
function storableText(minLength: number, maxLength: number): z.ZodString {
  const withoutNul = { message: "Input should not contain NUL characters" };
  return z
    .string()
    .min(minLength)
    .max(maxLength)
    .refine((value) => !value.includes("\u0000"), withoutNul);
}

function absentIfNull<T extends z.ZodType>(schema: T): z.ZodPreprocess<z.ZodOptional<T>> {
  return z.preprocess((value) => (value === null ? undefined : value), schema.optional());
}

const filterWords = z.array(z.string()).default([]);

/** Query of `GET /model`; repeatable parameters come as lists. */
export const modelListQuery = z.object({
  page_size: queryInteger(1, 100, 10),
  page_number: queryInteger(1, Number.MAX_SAFE_INTEGER, 1),
  title: z.string().optional(),
  tag: filterWords,
  self: looseBoolean(false),
  author_id: z.string().optional(),
  language: filterWords,
  title_language: filterWords,
  sort_by: z.enum(voiceSortOrders).default("score"),
});
export type ModelListQuery = z.infer<typeof modelListQuery>;

const title = storableText(1, 256);
const description = storableText(0, 10_000);
const tags = z.array(storableText(1, 64)).max(64);
/** No bytes are no cover: a form's empty file input sends them, and a download of them would have no body. */
const cover = absentIfNull(audioBytes).transform((bytes) => (bytes?.byteLength === 0 ? undefined : bytes));

/** Body of `POST /model` after its encoding's quirks are undone: lists are lists. */
export const modelCreate = z.object({
  type: z.literal("tts"),
  train_mode: z.literal("fast"),
  title,
  voices: z.array(audioBytes).min(1).max(MAX_VOICE_SAMPLES),
  texts: z.array(storableText(0, 10_000)).max(MAX_VOICE_SAMPLES).default([]),
  tags: tags.default([]),
  visibility: absentIfNull(z.enum(visibilities)),
  description: absentIfNull(description),
  cover_image: cover,
  enhance_audio_quality: looseBoolean(true),
  generate_sample: looseBoolean(false),
});
export type ModelCreate = z.infer<typeof modelCreate>;

/** Body of `PATCH /model/{id}`: absent and null fields keep their value. */
export const modelPatch = z.object({
  title: absentIfNull(title),
  description: absentIfNull(description),
  cover_image: cover,
  visibility: absentIfNull(z.enum(visibilities)),
  tags: absentIfNull(tags),
});
export type ModelPatch = z.infer<typeof modelPatch>;

/** Answer of PATCH and DELETE. */
export const statusOk = z.object({ status: z.literal("ok") });
