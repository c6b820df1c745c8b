import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { ServiceError } from "#protocol/errors";
import type { Form, FormFile } from "./form.js";

/** Bounds of one form. Every one is needed: a limit on files alone does not bound the request. */
export interface MultipartLimits {
  files: number;
  fileBytes: number;
  fields: number;
  fieldBytes: number;
  /** Whole body, part headers included. */
  totalBytes: number;
  /** Parts of these names are files even where they carry no file name: some clients leave it out. */
  fileFields: readonly string[];
}

/** True for `multipart/form-data`, whatever its parameters. */
export function isMultipart(contentType: string | undefined): boolean {
  return /^\s*multipart\/form-data\s*(;|$)/i.test(contentType ?? "");
}

/**
 * Parses a `multipart/form-data` body (RFC 7578), whole or as it arrives; at most `totalBytes` of it are ever held.
 * Throws `malformed_multipart` for what is not such a body, is cut off or has too many parts, and `payload_too_large`
 * past a size.
 */
export async function parseMultipart(
  contentType: string,
  body: Uint8Array | AsyncIterable<Uint8Array>,
  limits: MultipartLimits,
): Promise<Form> {
  const reader = new FormReader(contentType, limits);
  let received = 0;
  for await (const chunk of body instanceof Uint8Array ? inPieces(body) : body) {
    received += chunk.byteLength;
    if (received > limits.totalBytes) reader.fail(tooLarge(limits.totalBytes));
    if (!(await reader.write(chunk))) break;
  }
  return await reader.end();
}

const PIECE_BYTES = 64 * 1024;

function* inPieces(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}

function malformed(detail: string, cause?: unknown): ServiceError {
  return new ServiceError("malformed_multipart", { parameters: { detail }, cause });
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError("payload_too_large", { parameters: { limitBytes } });
}

class FormReader {
  readonly #parser: ReturnType<typeof Busboy>;
  readonly #form: Form = { fields: [], files: [] };
  readonly #finished: Promise<void>;
  #resolve: () => void = () => undefined;
  #failure: ServiceError | null = null;

  constructor(contentType: string, limits: MultipartLimits) {
    this.#finished = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#parser = openParser(contentType, limits);
    this.#parser.on("file", (name: string | undefined, stream, filename: string | undefined, _encoding, type) => {
      this.#readFile(name, stream, filename ?? "", type, limits.fileBytes);
    });
    this.#parser.on("field", (name: string | undefined, value, _nameTruncated, truncated) => {
      if (name === undefined) this.fail(malformed("a part has no name"));
      else if (truncated) this.fail(tooLarge(limits.fieldBytes));
      else this.#form.fields.push({ name, value });
    });
    this.#parser.on("filesLimit", () => this.fail(malformed(`more than ${limits.files} files`)));
    this.#parser.on("fieldsLimit", () => this.fail(malformed(`more than ${limits.fields} fields`)));
    this.#parser.on("partsLimit", () => this.fail(malformed("too many parts")));
    this.#parser.on("error", (error: unknown) => this.fail(malformed("it is cut off or broken", error)));
    this.#parser.on("finish", () => this.#resolve());
  }

  /** Remembers the first failure; everything after it is ignored. */
  fail(error: ServiceError): void {
    this.#failure ??= error;
    this.#resolve();
  }

  /** Takes a piece in; false once the form has failed and the rest is of no use. */
  async write(chunk: Uint8Array): Promise<boolean> {
    if (this.#failure !== null) return false;
    await Promise.race([new Promise<void>((resolve) => this.#parser.write(chunk, () => resolve())), this.#finished]);
    return this.#failure === null;
  }

  /** Gives the whole form, or throws what went wrong. */
  async end(): Promise<Form> {
    if (this.#failure === null) {
      this.#parser.end();
      await this.#finished;
    }
    if (this.#failure !== null) throw this.#failure;
    if (this.#form.fields.length + this.#form.files.length === 0) throw malformed("it has no parts");
    return this.#form;
  }

  #readFile(
    name: string | undefined,
    stream: BusboyFileStream,
    filename: string,
    contentType: string,
    limitBytes: number,
  ): void {
    const pieces: Buffer[] = [];
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("limit", () => this.fail(tooLarge(limitBytes)));
    stream.on("error", (error: unknown) => this.fail(malformed("a file is cut off", error)));
    if (name === undefined) return this.fail(malformed("a part has no name"));
    const file: FormFile = { name, filename, contentType, bytes: new Uint8Array(0) };
    // Listed when it begins, so that files keep the order in which they were sent.
    this.#form.files.push(file);
    stream.on("end", () => {
      file.bytes = Buffer.concat(pieces);
    });
  }
}

function openParser(contentType: string, limits: MultipartLimits): ReturnType<typeof Busboy> {
  try {
    return Busboy({
      headers: { "content-type": contentType },
      isPartAFile: (name, type, filename) =>
        filename !== undefined ||
        type === "application/octet-stream" ||
        (name !== undefined && limits.fileFields.includes(name)),
      limits: {
        files: limits.files,
        fileSize: limits.fileBytes,
        fields: limits.fields,
        fieldSize: limits.fieldBytes,
        // The closing boundary counts as a part.
        parts: limits.files + limits.fields + 1,
        headerPairs: 32,
        headerSize: 8 * 1024,
      },
    });
  } catch (cause) {
    throw malformed("the content type names no boundary", cause);
  }
}
