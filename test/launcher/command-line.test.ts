import { createServer, type Server } from "node:http";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { controlSubjects, type KeysReply, type KeysRequest, type KeySummary, type Reply } from "#protocol/bus/control";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import { runCommandLine } from "../../cli/main.js";
import { type ExternalServer, startNats } from "../harness/servers.js";

const directory = mkdtempSync(join(tmpdir(), "parley-cli-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs a command line with everything it writes caught. */
async function parley(
  args: string[],
  environment: Record<string, string> = {},
  input = "",
): Promise<{ code: number; out: string; err: string; bytes: Buffer }> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const chunks: Buffer[] = [];
  stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const err = readAll(stderr);
  const code = await runCommandLine(args, {
    environment: { PATH: process.env.PATH, PARLEY_DATA_DIR: directory, ...environment },
    stdin: Object.assign(Readable.from([Buffer.from(input)]), { isTTY: false }),
    stdout,
    stderr,
    distDirectory: join(import.meta.dirname, "../.."),
  });
  stdout.end();
  stderr.end();
  const bytes = Buffer.concat(chunks);
  return { code, out: bytes.toString(), err: await err, bytes };
}

describe("the command line", () => {
  it("shows its commands, and the help of each", async () => {
    const overview = await parley(["--help"]);
    expect(overview.code).toBe(0);
    for (const name of [
      "up",
      "say",
      "transcribe",
      "agents",
      "talk",
      "console",
      "models",
      "teams",
      "keys",
      "credit",
      "webhooks",
      "config",
      "doctor",
      "licences",
    ]) {
      expect(overview.out).toContain(`\n  ${name}`);
      const help = await parley([name, "--help"]);
      expect(help.code).toBe(0);
      expect(help.out).toMatch(new RegExp(`^Usage: parley ${name}`));
    }
  });

  it.each([
    [["speak"]],
    [[]],
    [["say", "--loud", "x"]],
    [["say", "a", "b"]],
    [["keys"]],
    [["keys", "create"]],
    [["models"]],
    [["models", "add"]],
    [["up", "now"]],
    [["config", "--speed"]],
  ])("answers %j with code 2 and help", async (args) => {
    const { code, out, err } = await parley(args);
    expect(code).toBe(2);
    expect(out + err).toContain("Usage: parley");
  });

  it("shows where each setting comes from, and no secret", async () => {
    const { code, out } = await parley(["config"], {
      PORT: "9000",
      PARLEY_API_KEY: "pk_secret",
      DATABASE_URL: "postgres://u:geheim@h/db",
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^PORT +9000 {2}\(environment\)$/m);
    expect(out).toMatch(/^HOST +127\.0\.0\.1 {2}\(default\)$/m);
    expect(out).toMatch(/^PARLEY_API_KEY +•+ {2}\(environment\)$/m);
    expect(out).not.toMatch(/pk_secret|geheim/);
  });

  it("says which setting is wrong", async () => {
    const { code, err } = await parley(["config"], { PORT: "soon", PARLEY_WORKRES: "3" });
    expect(code).toBe(1);
    expect(err).toContain('PORT must be an integer from 0 to 65535, not "soon"');
    expect(err).toContain("PARLEY_WORKRES is not a known setting");
  });

  it("says what this machine lacks and how to get it", async () => {
    const { code, out } = await parley(["doctor", "--json"], { PORT: "0", PATH: "/nowhere" });
    const findings = JSON.parse(out) as { subject: string; state: string; remedy: string | null }[];
    expect(findings.find((finding) => finding.subject === "redis-server")).toMatchObject({
      state: "missing",
      remedy: "apt-get install -y redis-server",
    });
    expect(code).toBe(1);
    expect((await parley(["doctor"], { PORT: "0", PATH: process.env.PATH ?? "" })).out).toContain("✓ Node.js");
  });
});

describe("parley say", () => {
  let server: Server;
  let url: string;
  const requests: { headers: Record<string, unknown>; body: Record<string, unknown> }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      void readAll(request).then((body) => {
        requests.push({ headers: request.headers, body: JSON.parse(body) as Record<string, unknown> });
        if (request.headers.authorization !== "Bearer pk_good") {
          response
            .writeHead(401, { "content-type": "application/json" })
            .end('{"status":401,"message":"Invalid token"}');
          return;
        }
        response.writeHead(200, { "content-type": "audio/mpeg" });
        response.write(Buffer.alloc(16_000, 1));
        setImmediate(() => response.end(Buffer.alloc(16_000, 2)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it("writes the sound to a file and says how much it is", async () => {
    const file = join(directory, "out.mp3");
    const { code, err } = await parley([
      "say",
      "Hello",
      "-o",
      file,
      "--url",
      url,
      "--key",
      "pk_good",
      "--speed",
      "1.5",
      "--model",
      "s1",
      "--voice",
      "v1",
    ]);
    expect(code).toBe(0);
    expect(err).toMatch(/^2\.0 s of audio, first after \d+ ms → .*out\.mp3\n$/);
    expect(readFileSync(file)).toEqual(Buffer.concat([Buffer.alloc(16_000, 1), Buffer.alloc(16_000, 2)]));
    const last = requests.at(-1);
    expect(last?.body).toEqual({
      text: "Hello",
      format: "mp3",
      mp3_bitrate: 128,
      reference_id: "v1",
      prosody: { speed: 1.5 },
    });
    expect(last?.headers.model).toBe("s1");
  });

  it("reads the text from standard input and writes the sound to standard output", async () => {
    const { code, bytes } = await parley(
      ["say", "-", "-o", "-", "--format", "wav", "--url", url, "--key", "pk_good"],
      {},
      "From a pipe",
    );
    expect(code).toBe(0);
    expect(bytes.length).toBe(32_000);
    expect(requests.at(-1)?.body).toEqual({ text: "From a pipe", format: "wav" });
  });

  it("says why the service refused, and leaves the file alone", async () => {
    const file = join(directory, "refused.mp3");
    const { code, err } = await parley(["say", "Hello", "-o", file, "--url", url, "--key", "pk_bad"]);
    expect(code).toBe(1);
    expect(err).toBe("parley: the service refused (401): Invalid token\n");
    expect(() => readFileSync(file)).toThrow("ENOENT");
  });

  it("tells that nothing runs there", async () => {
    const { code, err } = await parley(["say", "Hello", "-o", "-", "--url", "http://127.0.0.1:1", "--key", "k"]);
    expect(code).toBe(3);
    expect(err).toContain("http://127.0.0.1:1 does not answer; start Parley with: npm start");
  });
});

describe("parley keys", () => {
  let nats: ExternalServer;
  let bus: Bus;
  const asked: KeysRequest[] = [];
  const summary: KeySummary = {
    keyId: "k1",
    name: "phone",
    teamId: "t1",
    prefix: "pk_abc",
    scopes: ["speech"],
    createdAtMs: 0,
    expiresAtMs: null,
    revokedAtMs: null,
    lastUsedAtMs: null,
  };

  beforeAll(async () => {
    nats = await startNats();
    bus = await connectNats({ url: nats.url, name: "control-plane", log: createLogger("test", "fatal") });
    bus.respond<KeysRequest, Reply<KeysReply>>(controlSubjects.keys, async (request) => {
      asked.push(request);
      if (request.action === "revoke" && request.keyId !== "k1")
        return { ok: false, error: toErrorRecord(new ServiceError("not_found")) };
      return { ok: true, value: { keys: [summary], key: request.action === "create" ? "pk_abcdef" : null } };
    });
    await bus.flush();
  });
  afterAll(async () => {
    await bus.close();
    await nats.stop();
  });

  it("prints a new key, and nothing else, on standard output", async () => {
    const { code, out } = await parley(
      ["keys", "create", "phone", "--scopes", "speech, voices", "--expires-days", "2"],
      { NATS_URL: nats.url },
    );
    expect(code).toBe(0);
    expect(out).toBe("pk_abcdef\n");
    expect(asked.at(-1)).toEqual({
      action: "create",
      name: "phone",
      teamId: null,
      scopes: ["speech", "voices"],
      expiresInMs: 172_800_000,
    });
  });

  it("lists keys", async () => {
    const { out } = await parley(["keys", "list"], { NATS_URL: nats.url });
    expect(out.split("\n")[1]).toMatch(/^k1 +phone +pk_abc +t1 +speech +1970-01-01 +never +never$/);
  });

  it("revokes a key, and says when there is none", async () => {
    expect((await parley(["keys", "revoke", "k1"], { NATS_URL: nats.url })).code).toBe(0);
    const { code, err } = await parley(["keys", "revoke", "k2"], { NATS_URL: nats.url });
    expect(code).toBe(1);
    expect(err).toBe("parley: Not found\n");
  });

  it("tells that nothing runs here", async () => {
    const { code, err } = await parley(["keys", "list"]);
    expect(code).toBe(3);
    expect(err).toContain("start Parley with: npm start");
  });
});
