import { TextDecoder } from "node:util";
import type { Form } from "#common/multipart/form";
import { isMultipart, type MultipartLimits, parseMultipart } from "#common/multipart/multipart";
import { ServiceError } from "#protocol/errors";
import { MAX_KNOWLEDGE_BYTES } from "#protocol/knowledge";
import type { RouteRequest } from "../http/route.js";

const limits: MultipartLimits = {
  files: 2,
  // Enough to tell a file that is somewhat too large from a broken form.
  fileBytes: 4 * MAX_KNOWLEDGE_BYTES,
  fields: 20,
  fieldBytes: 64 * 1024,
  totalBytes: 8 * MAX_KNOWLEDGE_BYTES,
  fileFields: ["source"],
};

/** What a form brought: values by field name, for validation, and the name of the file. */
export interface Upload {
  values: Record<string, unknown>;
  fileName: string;
}

/**
 * Reads an upload. Throws `unsupported_media_type` for anything but a form, `malformed_multipart`, and
 * `unreadable_knowledge` past the sizes.
 */
export async function readUpload(request: RouteRequest): Promise<Upload> {
  const contentType = request.headers["content-type"];
  if (contentType === undefined || !isMultipart(contentType)) throw new ServiceError("unsupported_media_type");
  const bytes = await request.body();
  if (bytes.byteLength === 0) throw new ServiceError("unsupported_media_type");
  return toUpload(await parse(contentType, bytes));
}

async function parse(contentType: string, bytes: Uint8Array): Promise<Form> {
  try {
    if (bytes.byteLength > limits.totalBytes) throw unreadable("it is larger than 1 MB");
    return await parseMultipart(contentType, bytes, limits);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "payload_too_large")
      throw unreadable("it is larger than 1 MB", error);
    throw error;
  }
}

function toUpload(form: Form): Upload {
  const values: Record<string, unknown> = {};
  // Of a field that came several times the last value counts.
  for (const { name, value } of form.fields) values[name] = value;
  for (const file of form.files) values[file.name] = file.bytes;
  return { values, fileName: form.files.findLast((file) => file.name === "source")?.filename ?? "" };
}

const extensions = [".md", ".markdown", ".txt", ".text"];

/**
 * The text of an uploaded file, without a byte order mark and with line feeds for line ends.
 * Throws `unreadable_knowledge` for what is too large, empty, of another kind by its name, or no UTF-8 text.
 */
export function readText(bytes: Uint8Array, fileName: string): string {
  if (bytes.byteLength > MAX_KNOWLEDGE_BYTES) throw unreadable("it is larger than 1 MB");
  const base = fileName.slice(Math.max(fileName.lastIndexOf("/"), fileName.lastIndexOf("\\")) + 1);
  const [extension] = /\.[^.]*$/.exec(base.toLowerCase()) ?? [];
  if (extension !== undefined && !extensions.includes(extension)) throw unreadable("its name must end in .md or .txt");
  const text = decode(bytes);
  // Tab, line feed, form feed and carriage return are text; other control characters are how binary files begin.
  if (/[\u0000-\u0008\u000b\u000e-\u001f\u007f]/.test(text)) throw unreadable("it has control characters");
  if (text.trim() === "") throw unreadable("it is empty");
  return text.replace(/\r\n?/g, "\n");
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable("it is not UTF-8", cause);
  }
}

function unreadable(detail: string, cause?: unknown): ServiceError {
  return new ServiceError("unreadable_knowledge", { parameters: { detail }, cause });
}

/** A file name as it can be shown and stored: its last part, without what no name should hold. */
export function displayFileName(fileName: string): string {
  const base = fileName.slice(Math.max(fileName.lastIndexOf("/"), fileName.lastIndexOf("\\")) + 1);
  const plain = base
    .replace(/[\p{Cc}\p{Surrogate}]/gu, "")
    .trim()
    .slice(0, 255);
  return plain === "" ? "source.txt" : plain;
}
