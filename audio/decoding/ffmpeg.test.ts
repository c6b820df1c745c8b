import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { ffmpegEncode } from "../testing/ffmpeg.js";
import { tone } from "../testing/signals.js";
import { decodeBytes } from "./decode-bytes.js";

const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

const bounds = { maxSeconds: 10, sampleRate: null };

test("without ffmpeg the refusal names the format and what is missing", async () => {
  const bytes = ffmpegEncode(tone(440, 1, 44100), 44100, ["-c:a", "aac", "-f", "adts"]);
  expect((await decodeBytes(bytes, bounds)).format).toBe("aac");
  process.env.PATH = "/nowhere";
  await expect(decodeBytes(bytes, bounds)).rejects.toMatchObject({
    code: "unsupported_format",
    reason: "ffmpeg_missing",
    message: "Unsupported audio format: aac needs ffmpeg, which is not installed on this server",
  });
});

test("a file that asks ffmpeg to open others gets nothing", async () => {
  // An m4a sniffed by its first box, with a playlist behind it: only the mov demuxer is tried, on the pipe alone.
  const bytes = Buffer.concat([
    Buffer.from("\0\0\0\x10ftypM4A \0\0\0\0", "latin1"),
    Buffer.from("#EXTM3U\nfile:///etc/hostname\n".repeat(20)),
  ]);
  await expect(decodeBytes(bytes, bounds)).rejects.toMatchObject({
    code: "unsupported_format",
    parameters: { detail: "m4a that ffmpeg cannot read" },
  });
});

test("ffmpeg's memory is limited", async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-ffmpeg-"));
  try {
    // What stands in for ffmpeg tells its limits instead of a recording.
    writeFileSync(join(folder, "ffmpeg"), `#!/bin/sh\nulimit -v > ${join(folder, "limit")}\n`, { mode: 0o755 });
    process.env.PATH = `${folder}:${path}`;
    const bytes = Buffer.concat([Buffer.from("\0\0\0\x10ftypM4A \0\0\0\0", "latin1")]);
    await expect(decodeBytes(bytes, bounds)).rejects.toMatchObject({ code: "unsupported_format" });
    expect(Number(readFileSync(join(folder, "limit"), "utf8"))).toBe(1024 * 1024);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
