import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, rmSync, statSync, type WriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { diskProblem } from "#common/files/disk-error";
import { PRIVATE_FILE } from "#common/files/durable-file";
import { CommandError, exitCodes } from "../command.js";
import { modelLimits } from "./limits.js";

export interface DownloadOptions {
  url: string;
  /** Lower-case hex, of the whole file. */
  sha256: string;
  /** Where the bytes gather; what is there already is taken for the beginning. */
  path: string;
  /** `total` is null where the server does not say. */
  onProgress(bytes: number, total: number | null): void;
  limitBytes?: number;
  /** Waited before going on after a broken connection. */
  retryDelayMs?: number;
  /** A server that sends nothing for this long is given up. */
  stallMs?: number;
}

/** Broken connections in a row that brought nothing. */
const MAX_FRUITLESS_TRIES = 4;

/**
 * Brings a file by http or https, going on where an earlier try broke off if the server can. Gives when all of it is
 * there with the right sum. Throws CommandError; after a wrong sum nothing is left, after a broken connection what came
 * is.
 */
export async function download(options: DownloadOptions): Promise<void> {
  const url = httpUrl(options.url);
  for (let fruitless = 0; ; ) {
    const before = sizeOf(options.path);
    const ended = await receive(url, before, options);
    if (ended === "whole") break;
    fruitless = sizeOf(options.path) > before ? 0 : fruitless + 1;
    if (fruitless >= MAX_FRUITLESS_TRIES)
      throw new CommandError(`${url.host} breaks off: ${ended.reason}; the same command goes on where it was`);
    await pause(options.retryDelayMs ?? 1000);
  }
  const actual = await sha256Of(options.path);
  if (actual === options.sha256) return;
  rmSync(options.path);
  throw new CommandError(
    `what ${url.host} sent has the SHA-256 ${actual}, not ${options.sha256}; nothing is kept of it`,
  );
}

/**
 * Throws CommandError (usage) for what is no http or https URL, or carries a password, which would stand in the shell's
 * history.
 */
function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CommandError(`"${text}" is no http or https URL`, exitCodes.usage);
  if (url.username !== "" || url.password !== "")
    throw new CommandError("a URL with a user name or password is not taken", exitCodes.usage);
  return url;
}

type Ended = "whole" | { reason: string };

async function receive(url: URL, have: number, options: DownloadOptions): Promise<Ended> {
  const { path, onProgress, limitBytes = modelLimits.downloadBytes, stallMs = 60_000 } = options;
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new RangeError(`nothing came for ${stallMs / 1000} s`)), stallMs);
  try {
    const headers: Record<string, string> =
      have > 0 ? { range: `bytes=${have}-`, "accept-encoding": "identity" } : { "accept-encoding": "identity" };
    const response = await fetch(url, { headers, signal: stalled.signal });
    if (response.status === 416 && have > 0) return "whole";
    if (!response.ok) {
      await response.body?.cancel();
      if (response.status >= 500) return { reason: `it answers ${response.status}` };
      throw new CommandError(`${url.host} answers ${response.status} ${response.statusText}`.trimEnd());
    }
    const goesOn =
      response.status === 206 && response.headers.get("content-range")?.startsWith(`bytes ${have}-`) === true;
    let at = goesOn ? have : 0;
    const length = Number(response.headers.get("content-length") ?? Number.NaN);
    const total = Number.isFinite(length) ? at + length : null;
    if ((total ?? 0) > limitBytes) throw new CommandError(`the file has ${total} bytes, more than ${limitBytes}`);
    if (response.body === null) return { reason: "it sends no body" };
    const body = response.body as AsyncIterable<Uint8Array>;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of body) {
        timer.refresh();
        at += piece.length;
        if (at > limitBytes) throw new CommandError(`the file has more than ${limitBytes} bytes`);
        onProgress(at, total);
        yield piece;
      }
    };
    await writeAll(counted, createWriteStream(path, { flags: goesOn ? "a" : "w", mode: PRIVATE_FILE }));
    return total === null || at === total ? "whole" : { reason: "the end is missing" };
  } catch (error) {
    // A full or read-only disk does not get better by asking the server again.
    if (error instanceof CommandError || diskProblem(error) !== null) throw error;
    return { reason: reasonOf(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** As `pipeline`, and settles once the file is closed: whoever goes on with it, or deletes it, has it alone. */
async function writeAll(bytes: () => AsyncGenerator<Uint8Array>, file: WriteStream): Promise<void> {
  const closed = new Promise<void>((resolve) => file.once("close", resolve));
  await pipeline(bytes, file).finally(() => closed);
}

/** What fetch throws says why in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
