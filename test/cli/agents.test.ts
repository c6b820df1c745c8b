import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommandLine } from "../../cli/main.js";
import { runProgram } from "../harness/audio.js";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { canRunLiveKit, findOrBuildLiveKit, LIVEKIT_BUILD_MS } from "../harness/livekit.js";
import { until } from "../harness/processes.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

const bootstrap = pathToFileURL(join(import.meta.dirname, "../../../launcher/bootstrap.mjs")).href;

const GREETING = "Welcome to the museum.";
const guide = "# Tickets\n\nA ticket costs twelve euros. Children under six pay nothing. Dogs stay outside.\n";

describe.skipIf(!canRunLiveKit)("an agent that is made, published and talked to at a terminal", () => {
  const folder = temporaryDirectory("cli-agents");
  let cluster: TestCluster;

  beforeAll(async () => {
    const program = await findOrBuildLiveKit();
    const livekit = join(program, "..");
    writeFileSync(join(folder.path, "visitor guide.md"), guide);
    writeFileSync(join(folder.path, "prompt.txt"), "You answer visitors.");
    cluster = await startCluster({
      models: allModels,
      agents: 1,
      settings: { PARLEY_LIVEKIT: "auto", PARLEY_SAMPLE: "on" },
      environment: { PATH: `${process.env.PATH}:${livekit}` },
    });
    await until(() => cluster.gateway().type === "running", { withinMs: 30_000, what: "LiveKit" });
  }, LIVEKIT_BUILD_MS);
  afterAll(async () => {
    await cluster?.stop();
    folder.remove();
  });

  /** Runs `parley` as a process of its own, with `input` on a pipe. */
  async function parley(args: string[], input = ""): Promise<{ code: number | null; out: string; err: string }> {
    const script = `const { parley } = await import(${JSON.stringify(bootstrap)}); await parley(process.argv.slice(1));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, ...args, "--url", cluster.baseUrl], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, PARLEY_API_KEY: cluster.apiKey, PARLEY_DATA_DIR: folder.path },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const output = Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "close")]);
    child.stdin.end(input);
    const [out, err, [code]] = await output;
    return { code: code as number | null, out, err };
  }

  it("greets, answers from its documents line by line, and hangs up when the lines are over", async () => {
    const knowledge = ["--knowledge", "visitor guide.md"];
    const words = ["--greeting", GREETING, "--prompt", "@prompt.txt", "--public"];
    const created = await parley(["agents", "create", "Museum", ...words, ...knowledge]);
    expect(created).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^[0-9a-f]{32}\n$/) });
    const id = created.out.trim();

    const early = await parley(["talk", id, "--typed"]);
    expect(early).toMatchObject({ code: 1, err: expect.stringContaining("no published version") });
    expect(await parley(["agents", "publish", "museum"])).toMatchObject({
      code: 0,
      err: expect.stringContaining('Version 1 of "Museum" is live'),
    });
    const list = await parley(["agents", "list"]);
    expect(list.out).toMatch(new RegExp(`^${id} +Museum +live +public `, "m"));

    // The first search after a start may take longer than a reply waits for it: a greeting needs no passages.
    const lines = "Hello.\nWhat does a ticket cost?\nDo children pay?\n";
    const talked = await parley(["talk", "Museum", "--typed"], lines);
    expect(talked.out.split("\n")).toEqual([
      `agent: ${GREETING}`,
      "you: Hello.",
      "agent: Hello. What would you like to know?",
      "you: What does a ticket cost?",
      expect.stringMatching(/^agent: In “visitor guide” it says: .*A ticket costs twelve euros\./),
      "you: Do children pay?",
      expect.stringMatching(/^agent: .*Children under six pay nothing\./),
      "",
    ]);
    expect(talked.code).toBe(0);
    expect(talked.err).toMatch(/· speaking\n(?:.*\n)*.*· listening\n/);
    expect(talked.err.match(/· first sign of the answer after \d+\.\d\d s\n/g)).toHaveLength(3);
    expect(talked.err).toMatch(/\nSession [0-9a-f]{32}: completed \(caller_left\) after \d+ s\n$/);
  }, 120_000);

  it("is kept as files, changed by them, and tested", async () => {
    const id = (await parley(["agents", "create", "Clerk", "--greeting", GREETING])).out.trim();
    expect(await parley(["agents", "pull", "Clerk", "--dir", "as files"])).toMatchObject({
      ...{ code: 0, err: "" },
      out: "write  agents/clerk.yaml\n",
    });
    const file = join(folder.path, "as files/agents/clerk.yaml");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace("tests: []", "tests: [quiet, calls]").replace(GREETING, "Good day."),
    );
    mkdirSync(join(folder.path, "as files/tests"));
    for (const [name, absence] of Object.entries({ quiet: true, calls: false }))
      writeFileSync(
        join(folder.path, `as files/tests/${name}.yaml`),
        `name: ${name}\ntest_type: tool\nconversation: [{text: Hello}]\n` +
          `referenced_tool: {id: hang_up_call, type: system}\nverify_absence: ${absence}\n`,
      );
    const steps = ["create  tests/calls.yaml", "create  tests/quiet.yaml", "update  agents/clerk.yaml", ""].join("\n");
    expect(await parley(["agents", "push", "--dry-run", "--dir", "as files"])).toMatchObject({ code: 0, out: steps });
    expect(await parley(["agents", "push", "--publish", "--dir", "as files"])).toMatchObject({
      ...{ code: 0, out: steps },
      err: `Version 1 of ${id} is live.\n`,
    });

    const tested = await parley(["agents", "test", "--dir", "as files"]);
    expect(tested).toMatchObject({
      code: 1,
      err: expect.stringContaining("50.0 % of the runs passed; 100 % are asked"),
    });
    expect(tested.out.split("\n").sort()).toEqual(["", expect.stringMatching(/^failed {2}calls: ./), "passed  quiet"]);
    expect(await parley(["agents", "test", "Clerk", "--pass-rate", "0.5"])).toMatchObject({ code: 0 });
    expect(await parley(["agents", "test", "Clerk", "--pass-rate", "2"])).toMatchObject({
      ...{ code: 2, err: expect.stringContaining("--pass-rate is a number from 0 to 1") },
    });
    expect(await parley(["agents", "test", "--dir", "elsewhere"])).toMatchObject({ code: 2 });
  }, 120_000);

  it("is spoken with where there are programs of a microphone and a loudspeaker", async () => {
    expect(
      (await parley(["agents", "create", "Desk", "--greeting", GREETING, "--knowledge", "visitor guide.md"])).code,
    ).toBe(0);
    expect((await parley(["agents", "publish", "Desk"])).code).toBe(0);
    const question = await speech("What does a ticket cost?");
    writeFileSync(join(folder.path, "spoken"), Buffer.concat([silence(6), question, silence(30)]));
    const program = (name: string, line: string): void =>
      writeFileSync(join(folder.path, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    const raw = "-f s16le -ar 16000";
    program(
      "arecord",
      `exec ffmpeg -loglevel error -nostdin -re ${raw} -i "${join(folder.path, "spoken")}" ${raw} pipe:1`,
    );
    program("aplay", `exec cat > "${join(folder.path, "played")}"`);

    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    let out = "";
    stdout.on("data", (data: Buffer) => {
      out += data.toString();
    });
    const err = readAll(stderr);
    const ended = runCommandLine(["talk", "Desk", "--url", cluster.baseUrl, "--key", cluster.apiKey], {
      environment: { PATH: `${folder.path}:${process.env.PATH}`, PARLEY_DATA_DIR: folder.path },
      ...{ stdin, stdout, stderr, distDirectory: "" },
    });
    await until(() => /\nagent: .*\n$/.test(out), { withinMs: 40_000, what: "an answer" });
    stdin.write("/quit\n");
    expect(await ended).toBe(0);
    stderr.end();
    expect(out).toMatch(/^agent: Welcome to the museum\.\nyou: .*ticket.*\nagent: .*A ticket costs twelve euros\.\n$/i);
    expect(await err).toMatch(/Speak \(arecord, aplay; (?:.*\n)*.*· first sign of the answer after [0-4]\.\d\d s\n/);
    // What was played is what was said: the recognizer understands it.
    const played = await transcriptOf(readFileSync(join(folder.path, "played")));
    expect(played).toMatch(/welcome to the museum.*(?:ticket|twelve|€12)/i);
  }, 120_000);

  const silence = (seconds: number): Buffer => Buffer.alloc(seconds * 32_000);

  async function ask(path: string, body: string | FormData, headers: Record<string, string> = {}): Promise<Response> {
    const authorization = `Bearer ${cluster.apiKey}`;
    return await fetch(cluster.baseUrl + path, { method: "POST", headers: { authorization, ...headers }, body });
  }

  /** Mono samples of 16 kHz. */
  async function speech(text: string): Promise<Buffer> {
    const body = JSON.stringify({ text, format: "pcm", sample_rate: 16_000 });
    const answer = await ask("/v1/tts", body, { "content-type": "application/json" });
    return Buffer.from(await answer.arrayBuffer());
  }

  async function transcriptOf(samples: Buffer<ArrayBuffer>): Promise<string> {
    const raw = ["-loglevel", "error", "-f", "s16le", "-ar", "24000", "-i", "pipe:0"];
    const wav = await runProgram("ffmpeg", [...raw, "-f", "wav", "pipe:1"], samples);
    const form = new FormData();
    form.append("audio", new Blob([new Uint8Array(wav)]), "played.wav");
    const answer = (await (await ask("/v1/asr", form)).json()) as { text: string };
    return answer.text;
  }

  it("is there in a new data directory: the guide, which hangs up when it is told goodbye", async () => {
    const talked = await parley(["talk", "Parley guide"], "Can I call you by phone?\nGoodbye.\n");
    expect(talked.out).toMatch(/^agent: Hello, I am the guide to Parley\./);
    expect(talked.out).toMatch(/\nagent: .*Parley cannot make or take phone calls yet\.\n/);
    expect(talked.err).toMatch(/\nSession [0-9a-f]{32}: completed \(agent_hung_up\)/);
    expect(talked.code).toBe(0);
  }, 60_000);

  it("is talked to under its name only where that names one", async () => {
    const none = await parley(["talk", "Nobody", "--typed"]);
    expect(none).toMatchObject({ code: 1, out: "", err: expect.stringContaining('there is no agent "Nobody"') });
    expect((await parley(["agents", "create", "Twin"])).code).toBe(0);
    expect((await parley(["agents", "create", "Twin"])).code).toBe(0);
    expect((await parley(["talk", "Twin"])).err).toContain('2 agents are named "Twin"');
  }, 60_000);

  it("leaves no document behind where it cannot be made", async () => {
    writeFileSync(join(folder.path, "other.md"), "Something else.");
    const asked = ["agents", "create", "x".repeat(500), "--knowledge", "other.md"];
    expect(await parley(asked)).toMatchObject({ code: 1, err: expect.stringContaining("422") });
    const answer = await fetch(`${cluster.baseUrl}/v1/agent/knowledge-sources?search=other`, {
      headers: { authorization: `Bearer ${cluster.apiKey}` },
    });
    expect(await answer.json()).toMatchObject({ knowledge_sources: [] });
  }, 60_000);
});
