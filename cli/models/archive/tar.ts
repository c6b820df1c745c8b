import { CommandError } from "../../command.js";
import type { ArchiveEntry } from "./archive-entry.js";

const BLOCK_BYTES = 512;
/** Largest extension header: it holds a few names. */
const MAX_EXTENSION_BYTES = 64 * 1024;

/** Type flags (POSIX.1-1988 ustar, POSIX.1-2001 pax, GNU tar). */
const types = { file: ["0", "\0", "7"], folder: ["5"], paxEntry: "x", paxGlobal: "g", longName: "L" } as const;

/** Reads a tar archive front to back. Throws CommandError where it is damaged or ends too early. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const reader = new BlockReader(source);
  let extension: { path?: string; size?: number } = {};
  for (;;) {
    const header = await reader.take(BLOCK_BYTES);
    if (header === null || header.every((byte) => byte === 0)) return;
    checkSum(header);
    const type = String.fromCharCode(header[156] as number);
    const bytes = extension.size ?? sizeOf(header);
    if (type === types.paxEntry || type === types.paxGlobal || type === types.longName) {
      const own = sizeOf(header);
      if (own > MAX_EXTENSION_BYTES) throw new CommandError("the archive is damaged: an extension header is too large");
      const content = await reader.take(own);
      if (content === null) throw tooShort();
      await reader.skip(padding(own));
      if (type === types.paxEntry) extension = { ...extension, ...readPax(content) };
      if (type === types.longName) extension = { ...extension, path: textOf(content) };
      continue;
    }
    const kind = types.file.some((flag) => flag === type)
      ? "file"
      : types.folder.some((flag) => flag === type)
        ? "folder"
        : "other";
    let left = kind === "file" ? bytes : 0;
    async function* content(): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const piece = await reader.some(left);
        if (piece === null) throw tooShort();
        left -= piece.length;
        yield piece;
      }
    }
    yield { name: extension.path ?? nameOf(header), kind, bytes: left, content: content() };
    const unread = left;
    await reader.skip(kind === "file" ? unread + padding(bytes) : 0);
    extension = {};
  }
}

const padding = (bytes: number): number => (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
const tooShort = (): CommandError => new CommandError("the archive ends too early");

/** Text up to the first zero byte. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString("utf8");
}

function nameOf(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100));
  const isUstar = textOf(header.subarray(257, 262)) === "ustar" && header[262] === 0;
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

function sizeOf(header: Uint8Array): number {
  const text = textOf(header.subarray(124, 136)).trim();
  // GNU's base-256 form is for entries of 8 GiB and more.
  if (!/^[0-7]*$/.test(text)) throw new CommandError("the archive holds an entry of 8 GiB or more, or is damaged");
  return text === "" ? 0 : Number.parseInt(text, 8);
}

/** The sum of all bytes of the header, its own field taken as blanks. */
function checkSum(header: Uint8Array): void {
  const stated = Number.parseInt(textOf(header.subarray(148, 156)).trim(), 8);
  const sum = header.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
  if (sum !== stated) throw new CommandError("the archive is damaged: a header's sum is wrong");
}

/** Records `length key=value\n`. */
function readPax(content: Uint8Array): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {};
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(32, at);
    const length = Number(bytes.toString("latin1", at, blank));
    if (blank < 0 || !Number.isInteger(length) || length < 5 || at + length > bytes.length) break;
    const [key, ...rest] = bytes.toString("utf8", blank + 1, at + length - 1).split("=");
    const value = rest.join("=");
    if (key === "path") found.path = value;
    if (key === "size" && /^\d{1,15}$/.test(value)) found.size = Number(value);
    at += length;
  }
  return found;
}

/** Takes a stream of pieces apart at other places than where it was cut. */
class BlockReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next bytes, at least one and at most `limit`; null at the end. */
  async some(limit: number): Promise<Uint8Array | null> {
    while (this.#piece.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) return null;
      this.#piece = next.value;
    }
    const taken = this.#piece.subarray(0, limit);
    this.#piece = this.#piece.subarray(taken.length);
    return taken;
  }

  /** Exactly so many bytes; null when the source is at its end. Throws CommandError when it ends within them. */
  async take(bytes: number): Promise<Uint8Array | null> {
    const whole = new Uint8Array(bytes);
    for (let filled = 0; filled < bytes; ) {
      const piece = await this.some(bytes - filled);
      if (piece === null) {
        if (filled > 0) throw tooShort();
        return null;
      }
      whole.set(piece, filled);
      filled += piece.length;
    }
    return whole;
  }

  async skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0; ) {
      const piece = await this.some(left);
      if (piece === null) throw tooShort();
      left -= piece.length;
    }
  }
}
