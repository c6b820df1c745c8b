import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { measureVoiceSample } from "#audio/voice/measure-sample";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { sha256Hex } from "#common/identifier";
import { serveSamples } from "#edge/samples/serve-samples";
import {
  controlSubjects,
  type ForwardedResponse,
  type KeysReply,
  type Principal,
  type Reply,
  type VerifyKeyReply,
} from "#protocol/bus/control";
import { type Heartbeat, membersSubject } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import type { ModelEntity } from "#protocol/voices";
import { until } from "../harness/processes.js";
import { type ExternalServer, startNats } from "../harness/servers.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { silentLog } from "./databases.js";

const main = new URL("./../../control-plane/main.js", import.meta.url).pathname;
const API_KEY = "my-development-key";

/** Three seconds that a client takes for speech: a buzz whose pitch moves, in syllables. */
function speechLikeWav(): Buffer {
  const rate = 16_000;
  const samples = new Int16Array(3 * rate);
  let phase = 0;
  for (let index = 0; index < samples.length; index++) {
    const seconds = index / rate;
    phase = (phase + (130 + 15 * Math.sin(3 * seconds)) / rate) % 1;
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 4 * seconds));
    samples[index] = Math.round(9000 * syllable * (1 - 2 * phase));
  }
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, Buffer.from(samples.buffer)]);
}

describe("the control plane's process", { timeout: 120_000 }, () => {
  const directory = temporaryDirectory("control-plane");
  let nats: ExternalServer;
  let bus: Bus;
  let child: ChildProcess;
  let edge: { close(): void };
  let states: string[] = [];

  const start = async (): Promise<void> => {
    const { PATH } = process.env;
    const env = {
      PATH,
      PARLEY_DATA_DIR: directory.path,
      NATS_URL: nats.url,
      PARLEY_API_KEY: API_KEY,
      LOG_LEVEL: "warn",
    };
    child = spawn(process.execPath, [main], { env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    await once(child, "message");
  };
  const ask = <T>(subject: string, question: object): Promise<T> =>
    bus.request<T>(subject, question, { timeoutMs: 5000, dependency: "the control plane" });
  const verify = (key: string): Promise<Reply<VerifyKeyReply>> =>
    ask(controlSubjects.verifyKey, { keyDigest: sha256Hex(key) });
  const principal = async (): Promise<Principal> => {
    const reply = await verify(API_KEY);
    if (!reply.ok) throw new Error(reply.error.code);
    return reply.value.principal;
  };
  const http = async (method: string, path: string, body?: object): Promise<{ status: number; json: unknown }> => {
    const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const sent = {
      method,
      path,
      query: "",
      headers,
      body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
      bodyObject: null,
      principal: await principal(),
    };
    const response = await ask<ForwardedResponse>(controlSubjects.http, sent);
    return { status: response.status, json: JSON.parse(Buffer.from(response.body).toString()) };
  };

  beforeAll(async () => {
    nats = await startNats();
    bus = await connectNats({ url: nats.url, name: "test", log: silentLog });
    bus.subscribe<Heartbeat>(membersSubject, (heartbeat) => states.push(`${heartbeat.role} ${heartbeat.state}`));
    edge = serveSamples({
      bus,
      log: silentLog,
      measure: measureVoiceSample,
      transcribe: () => Promise.reject(new ServiceError("no_worker")),
    });
    await start();
  });
  afterAll(async () => {
    edge.close();
    await closeDecoderThreads();
    if (child.exitCode === null) child.kill("SIGKILL");
    await bus.close();
    await nats.stop();
    directory.remove();
  });

  it("knows the development key as soon as it says that it is ready, and beats", async () => {
    expect(await principal()).toMatchObject({ hasCredit: true, betaAccess: true, scopes: ["*"] });
    expect(await verify("another key")).toMatchObject({ ok: false, error: { code: "invalid_token" } });
    await until(() => states.includes("control-plane ready"), { withinMs: 2000, what: "a heartbeat" });
  });

  it("makes a voice from what it hears, and refuses what is no voice", async () => {
    const voice = { type: "tts", train_mode: "fast", title: "buzz", voices: [speechLikeWav().toString("base64")] };
    const made = await http("POST", "/model", voice);
    expect(made).toMatchObject({ status: 201, json: { title: "buzz", state: "trained" } });
    const { _id } = made.json as ModelEntity;
    const { teamId } = await principal();
    const resolved = await ask<Reply<{ voices: { traits: { pitchHz: number } }[] }>>(controlSubjects.resolveVoices, {
      teamId,
      voiceIds: [_id],
    });
    expect(resolved.ok && Math.abs((resolved.value.voices[0]?.traits.pitchHz ?? 0) - 130)).toBeLessThan(20);
    const noise = Buffer.from("this is not audio at all").toString("base64");
    expect(await http("POST", "/model", { ...voice, voices: [voice.voices[0], noise] })).toMatchObject({
      status: 400,
      json: { message: expect.stringMatching(/^Reference audio cannot be used: voices\[1\]: /) },
    });
  });

  it("keeps keys and voices over kill -9", async () => {
    const created = await ask<Reply<KeysReply>>(controlSubjects.keys, {
      action: "create",
      name: "kept",
      teamId: null,
      scopes: null,
      expiresInMs: null,
    });
    const key = created.ok ? (created.value.key ?? "") : "";
    child.kill("SIGKILL");
    await once(child, "exit");
    await start();
    expect(await verify(key)).toMatchObject({ ok: true });
    expect(await http("GET", "/model")).toMatchObject({ status: 200, json: { total: 1 } });
  });

  it("answers again after NATS was restarted", async () => {
    const { port } = nats;
    await nats.stop();
    nats = await startNats({ port });
    await until(async () => (await verify(API_KEY).catch(() => null))?.ok === true, {
      withinMs: 15_000,
      what: "an answer after the restart",
    });
  });

  it("stops when asked, says so, and lets go of the database", async () => {
    states = [];
    child.kill("SIGTERM");
    const [code] = (await once(child, "exit")) as [number | null];
    expect(code).toBe(0);
    expect(states).toContain("control-plane draining");
    expect(states.at(-1)).toBe("control-plane stopped");
    await start();
    expect(await verify(API_KEY)).toMatchObject({ ok: true });
  });
});
