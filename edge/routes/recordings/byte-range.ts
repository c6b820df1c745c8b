/** Bytes of a file, both ends included. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * What a `Range` header asks of a file of so many bytes (RFC 9110 section 14.1.2): one range, or the whole where there
 * is none, where there are several, and where it cannot be read. `beyond` is one that begins behind the file's end.
 */
export function readByteRange(header: string | undefined, bytes: number): ByteRange | "whole" | "beyond" {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") {
    const count = Math.min(bytes, Number(last));
    return count === 0 ? "beyond" : { from: bytes - count, to: bytes - 1 };
  }
  const [from, to] = [Number(first), last === "" ? bytes - 1 : Math.min(bytes - 1, Number(last))];
  if (from >= bytes) return "beyond";
  // A range that ends before it begins is none.
  return to < from ? "whole" : { from, to };
}
