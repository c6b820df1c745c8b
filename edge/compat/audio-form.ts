import { MAX_COMPAT_AUDIO_BODY_BYTES, MAX_COMPAT_AUDIO_BYTES } from "#protocol/compat/openai-transcription";
import { ServiceError } from "#protocol/errors";
import { type Form, filesNamed } from "#common/multipart/form";
import { isMultipart, parseMultipart } from "#common/multipart/multipart";
import type { HttpRequest } from "../http/exchange.js";

const limits = {
  files: 1,
  fileBytes: MAX_COMPAT_AUDIO_BYTES,
  fields: 200,
  fieldBytes: 256 * 1024,
  totalBytes: MAX_COMPAT_AUDIO_BODY_BYTES,
  fileFields: ["file"],
};

/** A form with one file of audio. */
export interface AudioForm {
  /** Values by field; a field that came several times has a list. `name[]` and `name` are one. */
  values: Record<string, string | string[]>;
  /** The file; never empty. */
  audio: Uint8Array;
}

/**
 * Reads a form with a `file` while it arrives. `check` sees the values before the file is missed: a form that names a
 * file elsewhere is told what is wrong with that. Throws `unsupported_media_type`, `malformed_multipart`,
 * `payload_too_large`, what `check` throws, and `validation` without a file, or with an empty one.
 */
export async function readAudioForm(
  request: HttpRequest,
  check: (values: AudioForm["values"]) => void = () => undefined,
): Promise<AudioForm> {
  const contentType = request.header("content-type");
  if (!isMultipart(contentType)) throw new ServiceError("unsupported_media_type");
  const form = await parseMultipart(contentType ?? "", request.stream(), limits);
  const values = valuesOf(form);
  check(values);
  return { values, audio: present(filesNamed(form, "file")[0]?.bytes) };
}

function present(audio: Uint8Array | undefined): Uint8Array {
  const loc = ["body", "file"];
  if (audio === undefined)
    throw new ServiceError("validation", { problems: [{ type: "missing", loc, msg: "Field required" }] });
  if (audio.byteLength === 0)
    throw new ServiceError("validation", { problems: [{ type: "value_error", loc, msg: "The file is empty" }] });
  return audio;
}

function valuesOf(form: Form): Record<string, string | string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of form.fields) {
    const plain = name.replace(/\[\]$/, "");
    values.set(plain, [...(values.get(plain) ?? []), value]);
  }
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? "") : list]));
}
