import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Transcript } from "#protocol/transcription/request";
import { CommandError } from "./command.js";
import { progressLine } from "./commands/transcribe.js";
import { type BatchOptions, type BatchProgress, planBatch, runBatch } from "./transcription-batch.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-batch-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const inside = (name: string): string => join(folder, name);
const transcript: Transcript = {
  text: "good morning",
  duration: 2,
  segments: [{ text: "good morning", start: 0.5, end: 1.5 }],
};

function batch(files: string[], changes: Partial<BatchOptions> = {}) {
  const recognized: string[] = [];
  const failures: string[] = [];
  const parts: number[] = [];
  const options: BatchOptions = {
    jobs: planBatch(files.map(inside), inside("out"), "srt"),
    format: "srt",
    concurrency: 2,
    overwrite: false,
    transcribe: async (audio) => {
      const text = Buffer.from(audio).toString();
      if (text === "bad") throw new CommandError("refused (400): no audio");
      recognized.push(text);
      return transcript;
    },
    onProgress: ({ part }) => parts.push(part),
    onFailure: (file, reason) => failures.push(`${file}: ${reason}`),
    ...changes,
  };
  return { run: (): Promise<BatchProgress> => runBatch(options), recognized, failures, parts };
}

it("writes a transcript for each file, and tells of those that fail", async () => {
  for (const [name, text] of [
    ["a.wav", "one"],
    ["b.mp3", "bad"],
    ["c.wav", "three"],
    ["d.wav", "four"],
  ] as const)
    writeFileSync(inside(name), text);
  truncateSync(inside("d.wav"), 20 * 2 ** 20 + 1);
  const { run, failures, parts } = batch(["a.wav", "b.mp3", "c.wav", "d.wav", "missing.wav"]);
  expect(await run()).toEqual({ files: 5, done: 2, skipped: 0, failed: 3, part: 1, audioSeconds: 4 });
  expect(readdirSync(inside("out")).sort()).toEqual(["a.srt", "c.srt"]);
  expect(readFileSync(inside("out/a.srt"), "utf8")).toBe("1\n00:00:00,500 --> 00:00:01,500\ngood morning\n");
  expect(failures).toHaveLength(3);
  expect(failures.join("\n")).toMatch(
    /b\.mp3: refused \(400\): no audio.*d\.wav: it is larger than 20 MB.*missing\.wav: ENOENT/s,
  );
  expect(parts).toEqual(parts.toSorted((a, b) => a - b));
});

it("goes on where it was broken off", async () => {
  for (const name of ["a.wav", "b.wav"]) writeFileSync(inside(name), name);
  let calls = 0;
  const broken = batch(["a.wav", "b.wav"], {
    concurrency: 1,
    transcribe: async () => {
      if (++calls === 2) throw new Error("the process dies");
      return transcript;
    },
  });
  await expect(broken.run()).rejects.toThrow("the process dies");
  writeFileSync(inside("out/.b.srt.part"), "half");
  const again = batch(["a.wav", "b.wav"]);
  expect(await again.run()).toMatchObject({ done: 1, skipped: 1, failed: 0 });
  expect(again.recognized).toEqual(["b.wav"]);
  expect(readdirSync(inside("out")).sort()).toEqual(["a.srt", "b.srt"]);
  const forced = batch(["a.wav", "b.wav"], { overwrite: true });
  expect(await forced.run()).toMatchObject({ done: 2, skipped: 0 });
});

it("refuses two files that would have one transcript", () => {
  expect(() => planBatch(["x/a.wav", "y/a.mp3"], "out", "txt")).toThrow(
    "x/a.wav and y/a.mp3 would both become out/a.txt",
  );
});

it("shows how far it is and how fast", () => {
  expect(progressLine({ files: 200, done: 90, skipped: 10, failed: 0, part: 0.5, audioSeconds: 1234 }, 10)).toBe(
    "[############............] 100/200 files, 10 skipped, 1234 s of audio, 123.4 s per second",
  );
});
