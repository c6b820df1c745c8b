import { fieldValues, filesNamed, type Form } from "#common/multipart/form";
import type { DecodedBody } from "../http/body.js";

/** A voice upload with its encoding's quirks undone: plain values, still a stranger's. */
export interface Submission {
  values: Record<string, unknown>;
  /** File names of the voices, where the encoding has them. */
  sampleNames: string[];
}

const scalarFields = [
  "type",
  "train_mode",
  "title",
  "description",
  "visibility",
  "enhance_audio_quality",
  "generate_sample",
];

/**
 * Makes one record of a body in any encoding. Lists come as repeated parts, as JSON lists or as one text; the official
 * TypeScript client joins them with commas into one part. One `tags` text is therefore split at its commas; one `texts`
 * text is split only where that gives exactly one transcript per voice, and is the first voice's transcript otherwise:
 * transcripts have commas of their own.
 */
export function readSubmission(body: DecodedBody): Submission {
  if (body.kind === "form")
    return { values: formValues(body.form), sampleNames: filesNamed(body.form, "voices").map((file) => file.filename) };
  const { value } = body;
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Uint8Array) {
    return { values: value as Record<string, unknown>, sampleNames: [] };
  }
  const given = value as Record<string, unknown>;
  const voices = listOfVoices(given["voices"]);
  return {
    values: { ...given, voices, tags: readTags(given["tags"]), texts: readTexts(given["texts"], voices?.length ?? 0) },
    sampleNames: [],
  };
}

function formValues(form: Form): Record<string, unknown> {
  const scalars = scalarFields.flatMap((name) => {
    const value = fieldValues(form, name).at(-1);
    return value === undefined ? [] : [[name, value] as const];
  });
  const voices = [...filesNamed(form, "voices").map((file) => file.bytes), ...fieldValues(form, "voices")];
  const cover = filesNamed(form, "cover_image").at(-1)?.bytes ?? fieldValues(form, "cover_image").at(-1);
  return {
    ...Object.fromEntries(scalars),
    voices: voices.length === 0 ? undefined : voices,
    // A form's empty file input is a part of no bytes.
    cover_image: cover === undefined || cover.length === 0 ? undefined : cover,
    tags: readTags(oneOrList(fieldValues(form, "tags"))),
    texts: readTexts(oneOrList(fieldValues(form, "texts")), voices.length),
  };
}

function oneOrList(values: string[]): unknown {
  return values.length > 1 ? values : values[0];
}

function listOfVoices(value: unknown): unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) return [value];
  // A list of numbers is one voice as bytes, not many voices.
  return value.length > 0 && value.every((item) => typeof item === "number") ? [value] : value;
}

function readTags(value: unknown): unknown {
  if (value === null) return undefined;
  const list = typeof value === "string" ? value.split(",") : value;
  if (!Array.isArray(list)) return list;
  const words = list
    .map((item: unknown) => (typeof item === "string" ? item.trim() : item))
    .filter((item) => item !== "");
  return [...new Set(words)];
}

function readTexts(value: unknown, voiceCount: number): unknown {
  if (value === null) return undefined;
  if (typeof value !== "string") return value;
  const pieces = value.split(",");
  return voiceCount > 1 && pieces.length === voiceCount ? pieces.map((piece) => piece.trim()) : [value];
}
