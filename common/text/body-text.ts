import { TextDecoder } from "node:util";

/**
 * A body as text in the charset that its `Content-Type` names, UTF-8 where it names none or one that nobody knows. Of a
 * body that was cut, a character that the cut parted is left out.
 */
export function bodyText(body: Uint8Array, contentType: string, isCut: boolean): string {
  const [, charset = "utf-8"] = /charset="?([\w.:-]+)/i.exec(contentType) ?? [];
  return decoderFor(charset).decode(body, { stream: isCut });
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder();
    throw error;
  }
}
