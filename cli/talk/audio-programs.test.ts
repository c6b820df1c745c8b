import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findAudioPrograms } from "./audio-programs.js";

it("a microphone and a loudspeaker are a pair of programs, the nearest to the hardware first", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-audio-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const install = (name: string): void => writeFileSync(join(folder, name), "", { mode: 0o755 });
  const found = (platform: NodeJS.Platform = "linux"): string[] => {
    const programs = findAudioPrograms(folder, platform);
    return programs === null
      ? []
      : [programs.microphone, programs.loudspeaker].map(({ command }) => relative(folder, command));
  };
  expect(found()).toEqual([]);
  install("ffmpeg");
  install("aplay");
  expect(found()).toEqual([]);
  install("ffplay");
  expect(found()).toEqual(["ffmpeg", "ffplay"]);
  expect(findAudioPrograms(folder, "linux")?.microphone.args).toContain("alsa");
  expect(findAudioPrograms(folder, "darwin")?.microphone.args).toContain("avfoundation");
  expect(found("win32")).toEqual([]);
  install("rec");
  install("play");
  expect(found()).toEqual(["rec", "play"]);
  install("arecord");
  expect(found()).toEqual(["arecord", "aplay"]);
});
