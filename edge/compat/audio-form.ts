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
  /** Undefined where no file was sent. */
  file: Uint8Array | undefined;
}

/**
 * Reads a form with a `file` while it arrives. Throws `unsupported_media_type`, `malformed_multipart` and
 * `payload_too_large`.
 */
export async function readAudioForm(request: HttpRequest): Promise<AudioForm> {
  const contentType = request.header("content-type");
  if (!isMultipart(contentType)) throw new ServiceError("unsupported_media_type");
  const form = await parseMultipart(contentType ?? "", request.stream(), limits);
  return { values: valuesOf(form), file: filesNamed(form, "file")[0]?.bytes };
}

/**
 * The file of a form. Throws `validation` without one, or with an empty one. Ask for it after the other fields were
 * checked: a form that names a file elsewhere, such as a `url`, is told what is wrong with that.
 */
export function requireFile({ file }: Pick<AudioForm, "file">): Uint8Array {
  const loc = ["body", "file"];
  if (file === undefined)
    throw new ServiceError("validation", { problems: [{ type: "missing", loc, msg: "Field required" }] });
  if (file.byteLength === 0)
    throw new ServiceError("validation", { problems: [{ type: "value_error", loc, msg: "The file is empty" }] });
  return file;
}

function valuesOf(form: Form): Record<string, string | string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of form.fields) {
    const plain = name.replace(/\[\]$/, "");
    values.set(plain, [...(values.get(plain) ?? []), value]);
  }
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? "") : list]));
}
