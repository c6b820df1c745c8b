import { describe, expect, it } from "vitest";
import { sniffMediaType } from "./media-type.js";

describe("sniffMediaType", () => {
  it.each([
    ["RIFF....WAVEfmt ", "audio/wav"],
    ["fLaC", "audio/flac"],
    ["OggS", "audio/ogg"],
    ["ID3\x04", "audio/mpeg"],
    ["\xff\xfb\x90", "audio/mpeg"],
    ["....ftypM4A ", "audio/mp4"],
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["\xff\xd8\xff\xe0", "image/jpeg"],
    ["RIFF....WEBP", "image/webp"],
  ])("knows %j", (head, mediaType) => {
    expect(sniffMediaType(Buffer.from(`${head}and the rest`, "latin1"))).toBe(mediaType);
  });

  it.each(["", "R", "<html><script>", "<svg xmlns=", "WAVE", "%PDF"])("serves %j as bytes, not as a page", (head) => {
    expect(sniffMediaType(Buffer.from(head, "latin1"))).toBe("application/octet-stream");
  });
});
