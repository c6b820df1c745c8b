import { ServiceError } from "#protocol/errors";
import { bodyLimits } from "#protocol/limits";
import { MAX_AUDIO_FILE_BYTES, type TranscriptionRequest, transcriptionRequest } from "#protocol/transcription/request";
import { decodeBody } from "#common/http/body-decoder";
import { bodyEncoding } from "#common/http/body-encoding";
import { validate } from "#common/http/validation";
import { fieldValues, filesNamed } from "#common/multipart/form";
import { isMultipart, parseMultipart } from "#common/multipart/multipart";
import type { HttpRequest } from "../../http/exchange.js";

const formLimits = {
  files: 1,
  fileBytes: MAX_AUDIO_FILE_BYTES,
  fields: 20,
  fieldBytes: 64 * 1024,
  totalBytes: bodyLimits.audio,
  // Some clients send it without a file name.
  fileFields: ["audio"],
};

const textFields = ["language", "ignore_timestamps", "timestamp_granularity", "numbers"];

/**
 * Reads and checks the body of `POST /v1/asr`: a form or MessagePack. Throws `unsupported_media_type` for anything
 * else, `payload_too_large`, `malformed_multipart` (more than one file, too), `malformed_msgpack` and `validation`.
 */
export async function readTranscriptionRequest(request: HttpRequest): Promise<TranscriptionRequest> {
  const contentType = request.header("content-type");
  const isForm = isMultipart(contentType);
  if (!isForm && bodyEncoding(contentType) !== "msgpack") throw new ServiceError("unsupported_media_type");
  const value = isForm ? await readForm(contentType ?? "", request) : await readPacked(request);
  const body = validate(transcriptionRequest, value, ["body"]);
  if (body.audio.byteLength > MAX_AUDIO_FILE_BYTES)
    throw new ServiceError("payload_too_large", { parameters: { limitBytes: MAX_AUDIO_FILE_BYTES } });
  return body;
}

async function readPacked(request: HttpRequest): Promise<unknown> {
  const bytes = await request.body();
  if (bytes.byteLength === 0) throw new ServiceError("unsupported_media_type");
  return await decodeBody({ encoding: "msgpack", bytes });
}

/** Parses the form while it arrives. */
async function readForm(contentType: string, request: HttpRequest): Promise<Record<string, unknown>> {
  const form = await parseMultipart(contentType, notEmpty(request.stream()), formLimits);
  const fields = textFields.map((name) => [name, fieldValues(form, name).at(-1)]);
  return { ...Object.fromEntries(fields), audio: filesNamed(form, "audio")[0]?.bytes };
}

/** A body, unless there is none. */
async function* notEmpty(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  for await (const piece of pieces) {
    isEmpty &&= piece.byteLength === 0;
    yield piece;
  }
  if (isEmpty) throw new ServiceError("unsupported_media_type");
}
