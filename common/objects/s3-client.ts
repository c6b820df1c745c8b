import { AwsV4Signer } from "aws4fetch";
import { ServiceError } from "#protocol/errors";
import type { Clock } from "../clock.js";
import { sha256Hex } from "../identifier.js";
import { mayPass, refusalOf, S3Failure, silenceOf } from "./s3-failure.js";
import { objectUrl, type S3Settings } from "./s3-settings.js";

const MIB = 1024 * 1024;
/** How long one answer may take. */
const LIMIT_MS = 10_000;
const LIMIT_MS_PER_MIB = 1000;
/** Before each further attempt. */
const WAITS_MS = [200, 1000];
/** A request that has taken so long is not repeated: whoever waits for it does not for ever. */
const LAST_ATTEMPT_MS = 5000;

/** The longest that an address may be good: seven days, in seconds. */
const MAX_ADDRESS_SECONDS = 604_800;

export interface S3ClientOptions {
  settings: S3Settings;
  clock: Clock;
  /** Wall-clock time, which requests are signed with. */
  now: () => Date;
  /** Called after each request: whether it was answered, with a no that something is not there at worst. */
  onAnswer?: (method: string, outcome: "ok" | "failed") => void;
}

interface Asked {
  query?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  contentType?: string;
}

interface Answer {
  headers: Headers;
  body: Uint8Array;
}

/**
 * A client of one bucket of an S3-compatible store. The operator names the store, so it may be at a private address.
 * What can be repeated without harm is, for a moment. Every call may throw `dependency_unavailable`, whose cause is an
 * S3Failure.
 */
export class S3Client {
  readonly #options: S3ClientOptions;
  /** Keys that signatures are made with, by day. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();

  constructor(options: S3ClientOptions) {
    this.#options = options;
  }

  async put(key: string, bytes: Uint8Array, contentType: string): Promise<void> {
    await this.#patiently(() => this.#ask("PUT", key, { body: bytes, contentType }));
  }

  /** Null where there is no such object. */
  async get(key: string): Promise<Uint8Array | null> {
    return await this.#patiently(() => unlessMissing(this.#ask("GET", key).then(({ body }) => body)));
  }

  /** Length of an object, bytes; null where there is none. */
  async size(key: string): Promise<number | null> {
    const ask = () => this.#ask("HEAD", key).then(({ headers }) => Number(headers.get("content-length")));
    return await this.#patiently(() => unlessMissing(ask()));
  }

  /** Deleting what is not there is not an error. */
  async delete(key: string): Promise<void> {
    await this.#patiently(() => unlessMissing(this.#ask("DELETE", key)));
  }

  /** Begins an object that is sent in parts; gives the id of the upload. */
  async beginUpload(key: string, contentType: string): Promise<string> {
    const { body } = await this.#once(() => this.#ask("POST", key, { query: { uploads: "" }, contentType }));
    const [, uploadId] = /<UploadId>([^<]{1,1000})<\/UploadId>/.exec(textOf(body)) ?? [];
    if (uploadId === undefined) throw unavailable(new S3Failure(200, "", "the S3 store began no upload"));
    return uploadId;
  }

  /** Sends a part, counted from 1; all but the last have 5 MiB or more. Gives its tag. */
  async putPart(key: string, uploadId: string, part: number, bytes: Uint8Array): Promise<string> {
    const query = { partNumber: String(part), uploadId };
    const { headers } = await this.#patiently(() => this.#ask("PUT", key, { query, body: bytes }));
    return headers.get("etag") ?? "";
  }

  /** Makes the object of its parts, which have these tags. */
  async completeUpload(key: string, uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    const asked = { query: { uploadId }, body, contentType: "application/xml" };
    const answer = textOf((await this.#once(() => this.#ask("POST", key, asked))).body);
    // The status is sent before the parts are joined: what fails then is said in the body alone.
    if (!answer.includes("CompleteMultipartUploadResult")) throw unavailable(refusalOf(200, answer));
  }

  /** Deletes the parts of an object that will not be. */
  async abortUpload(key: string, uploadId: string): Promise<void> {
    await this.#patiently(() => unlessMissing(this.#ask("DELETE", key, { query: { uploadId } })));
  }

  /** An address at which everybody may download an object until `expiresAt`, as a file of this name. */
  async downloadAddress(
    key: string,
    { fileName, contentType, expiresAt }: { fileName: string; contentType: string; expiresAt: Date },
  ): Promise<string> {
    const { settings, now } = this.#options;
    const url = objectUrl(settings, settings.publicEndpoint, key);
    const seconds = Math.ceil((expiresAt.getTime() - now().getTime()) / 1000);
    url.searchParams.set("X-Amz-Expires", String(Math.min(MAX_ADDRESS_SECONDS, Math.max(1, seconds))));
    url.searchParams.set("response-content-type", contentType);
    url.searchParams.set("response-content-disposition", `attachment; filename="${fileName}"`);
    const signed = await this.#signer({ method: "GET", url: url.href, signQuery: true }).sign();
    // A plus stands for a space in forms alone.
    return signed.url.href.replaceAll("+", "%20");
  }

  /** Asks again, a moment later, where that may help. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const beganMs = clock.nowMs();
    for (const waitMs of WAITS_MS) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof S3Failure)) throw error;
        if (!mayPass(error) || clock.nowMs() - beganMs > LAST_ATTEMPT_MS) throw unavailable(error);
      }
      await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
    }
    return await this.#once(ask);
  }

  async #once<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw error instanceof S3Failure ? unavailable(error) : error;
    }
  }

  /** One request and its whole answer. Throws S3Failure for what is no success. */
  async #ask(method: string, key: string, { query = {}, body, contentType }: Asked = {}): Promise<Answer> {
    const { settings, clock, onAnswer } = this.#options;
    const url = objectUrl(settings, settings.endpoint, key);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers = {
      "x-amz-content-sha256": sha256Hex(body ?? ""),
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    };
    const signed = await this.#signer({ method, url: url.href, headers }).sign();
    const limitMs = LIMIT_MS + ((body?.byteLength ?? 0) / MIB) * LIMIT_MS_PER_MIB;
    const late = new AbortController();
    const cancel = clock.after(limitMs, () =>
      late.abort(new Error(`no answer within ${Math.round(limitMs / 1000)} s`)),
    );
    try {
      const response = await fetch(signed.url, {
        ...{ method, headers: signed.headers, redirect: "manual", signal: late.signal },
        ...(body === undefined ? {} : { body }),
      });
      const received = new Uint8Array(await response.arrayBuffer());
      if (!response.ok) throw refusalOf(response.status, textOf(received));
      onAnswer?.(method, "ok");
      return { headers: response.headers, body: received };
    } catch (error) {
      const failure = error instanceof S3Failure ? error : silenceOf(error);
      onAnswer?.(method, isMissing(failure) ? "ok" : "failed");
      throw failure;
    } finally {
      cancel();
    }
  }

  #signer(request: {
    method: string;
    url: string;
    headers?: Record<string, string>;
    signQuery?: boolean;
  }): AwsV4Signer {
    const { settings, now } = this.#options;
    const { accessKeyId, secretAccessKey, region } = settings;
    const datetime = now()
      .toISOString()
      .replace(/[-:]|\.\d{3}/g, "");
    if (this.#signingKeys.size > 1) this.#signingKeys.clear();
    return new AwsV4Signer({
      ...{ ...request, accessKeyId, secretAccessKey, region, service: "s3" },
      ...{ datetime, cache: this.#signingKeys },
    });
  }
}

const unavailable = (cause: S3Failure): ServiceError =>
  new ServiceError("dependency_unavailable", { parameters: { dependency: "Object storage" }, cause });

/** Null for an answer that says that there is no such object; a bucket that is missing is a failure. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof S3Failure && isMissing(error)) return null;
    throw error;
  }
}

/** The answer to HEAD has no body to say what is missing. */
const isMissing = ({ status, code }: S3Failure): boolean =>
  status === 404 && ["", "NoSuchKey", "NoSuchUpload"].includes(code);

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
