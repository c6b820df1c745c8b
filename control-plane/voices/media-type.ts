import { ServiceError } from "#protocol/errors";

const signatures: readonly [mediaType: string, offset: number, bytes: string][] = [
  ["audio/wav", 8, "WAVE"],
  ["audio/flac", 0, "fLaC"],
  ["audio/ogg", 0, "OggS"],
  ["audio/mpeg", 0, "ID3"],
  ["audio/mpeg", 0, "\xff\xfb"],
  ["audio/mpeg", 0, "\xff\xf3"],
  ["audio/mpeg", 0, "\xff\xf2"],
  ["audio/webm", 0, "\x1a\x45\xdf\xa3"],
  ["audio/mp4", 4, "ftyp"],
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
];

/**
 * Recognizes what bytes are from how they begin. What the uploader called them is not believed: served under a type of
 * a stranger's choice, a sample could be a page with a script. Anything unknown is `application/octet-stream`.
 */
export function sniffMediaType(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 32)).toString("latin1");
  return (
    signatures.find(([, offset, signature]) => head.startsWith(signature, offset))?.[0] ?? "application/octet-stream"
  );
}

/** Throws `validation` where a cover is given and is no picture that browsers show. */
export function requirePicture(cover: Uint8Array | undefined): void {
  if (cover === undefined || sniffMediaType(cover).startsWith("image/")) return;
  const problem = {
    type: "value_error",
    loc: ["body", "cover_image"],
    msg: "Input should be a PNG, JPEG, GIF or WebP picture",
  };
  throw new ServiceError("validation", { problems: [problem] });
}
