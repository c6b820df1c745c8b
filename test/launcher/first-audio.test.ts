import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { curlLine } from "#launcher/banner";
import type { TestCluster } from "../harness/cluster.js";
import { sharedCluster } from "../harness/shared-cluster.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

describe("first sound", () => {
  const directory = temporaryDirectory("first-sound");
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await sharedCluster();
  });
  afterAll(async () => {
    directory.remove();
  });

  it("comes from the curl line of the banner, as it is pasted", () => {
    const run = spawnSync("sh", ["-c", curlLine(cluster.baseUrl, cluster.apiKey)], {
      cwd: directory.path,
      encoding: "utf8",
    });
    expect(run.stderr + run.stdout).toBe("");
    expect(run.status).toBe(0);
    expect(secondsOfAudio(join(directory.path, "hello.mp3"))).toBeGreaterThan(1);
  });

  it("comes from parley say", () => {
    const file = join(directory.path, "said.opus");
    const main = join(import.meta.dirname, "../../cli/main.js");
    const script = `const { main } = await import(${JSON.stringify(main)}); process.exitCode = await main(process.argv.slice(1));`;
    const args = ["say", "Good morning, and welcome.", "-o", file, "--url", cluster.baseUrl, "--key", cluster.apiKey];
    const run = spawnSync(process.execPath, ["--input-type=module", "-e", script, "--", ...args], {
      cwd: directory.path,
      encoding: "utf8",
    });
    expect(run.status, run.stderr).toBe(0);
    const said = Number(/^([\d.]+) s of audio/.exec(run.stderr)?.[1]);
    expect(Math.abs(said - secondsOfAudio(file))).toBeLessThan(0.2);
    expect(readFileSync(file).subarray(0, 4).toString()).toBe("OggS");
  });
});

/** Length of what ffmpeg hears in a file, louder than silence. */
function secondsOfAudio(file: string): number {
  const decoded = spawnSync("ffmpeg", ["-v", "error", "-i", file, "-f", "s16le", "-ac", "1", "-ar", "16000", "-"], {
    maxBuffer: 1 << 26,
  }).stdout;
  const samples = new Int16Array(decoded.buffer, decoded.byteOffset, decoded.length >> 1);
  expect(samples.some((sample) => Math.abs(sample) > 1000)).toBe(true);
  return samples.length / 16_000;
}
