import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { systemClock } from "#common/clock";
import { createOutbound, type Outbound } from "#common/outbound/outbound";
import { createSealer, type Sealer } from "#common/secrets/sealer";
import type { Db } from "#control-plane/database/database";
import { type ControlPlaneService, type ServiceOptions, startService } from "#control-plane/service";
import type { MeasureVoice } from "#control-plane/voices/measurement";
import {
  controlSubjects,
  type ForwardedRequest,
  type ForwardedResponse,
  type Principal,
  uploadsBucket,
} from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { startNats } from "../harness/servers.js";
import { type EngineName, freshDatabase, silentLog } from "./databases.js";
import type { TestPostgres } from "./postgres.js";

/**
 * Stands in for listening to the samples of a voice: bytes that say "silent" are refused, and the length of any others
 * decides the pitch.
 */
const measureByLength: MeasureVoice = (samples) => {
  if (samples.some((bytes) => Buffer.from(bytes).toString("latin1").startsWith("silent"))) {
    return Promise.reject(new ServiceError("bad_reference_audio", { parameters: { detail: "it is silent" } }));
  }
  const pitchHz = samples.reduce((sum, bytes) => sum + bytes.byteLength, 0);
  const traits = { pitchHz, pitchRangeSemitones: 2, syllablesPerSecond: 4, spectralTiltDbPerOctave: -6 };
  const prompt = Uint8Array.of(...samples.flatMap((bytes) => [bytes[0] ?? 0, 1]));
  return Promise.resolve({ traits, durationsMs: samples.map((bytes) => bytes.byteLength), prompt });
};

/** What a service needs to listen to the samples of a voice. */
export const standInRecognizers = {
  measure: measureByLength,
  transcribe: (samples: Uint8Array[]) =>
    Promise.resolve(samples.map((bytes) => ({ text: `${bytes.byteLength} bytes`, languages: ["sv"] }))),
};

/** A way out of its own, and a sealer with a fixed key. */
export function testDoors(allow: string[] = []): { outbound: Outbound; sealer: Sealer } {
  return { outbound: createOutbound({ allow, log: silentLog }), sealer: createSealer(["test key ".repeat(8)]) };
}

export interface CallOptions {
  /** Of a caller without a key. */
  clientAddress?: string;
  requestId?: string;
  headers?: Record<string, string>;
  query?: string;
  contentType?: string;
  body?: Uint8Array | string;
}

/** The control plane's service in this process, on real NATS and a real database, spoken to as an edge does. */
export interface ServiceFixture {
  /** For further connections. */
  natsUrl: string;
  bus: Bus;
  db: Db;
  /** Null where the database is embedded. */
  postgres: TestPostgres | null;
  call(principal: Principal | null, method: string, path: string, options?: CallOptions): Promise<ForwardedResponse>;
  /** As `call`, with the body parsed as JSON where there is one. */
  callJson(
    principal: Principal | null,
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<{ status: number; json: unknown }>;
  /** As a process does that is asked to stop and has this long. */
  drain(deadlineMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a service of its own; `allow` names private hosts that its outbound requests may reach. */
export async function startFixture(
  engine: EngineName,
  options: { allow?: string[] } & Partial<
    Pick<
      ServiceOptions,
      | "rooms"
      | "sessions"
      | "recordings"
      | "cache"
      | "now"
      | "testRuns"
      | "s3"
      | "readTrace"
      | "phones"
      | "calls"
      | "lines"
    >
  > = {},
): Promise<ServiceFixture> {
  const [nats, { database, server: postgres, stop: stopDatabase }] = await Promise.all([
    startNats(),
    freshDatabase(engine),
  ]);
  const [bus, own] = await Promise.all(
    ["edge", "service"].map((name) => connectNats({ url: nats.url, name, log: silentLog })),
  );
  if (bus === undefined || own === undefined) throw new Error("no connection");
  const { db } = database;
  const now = options.now ?? (() => new Date());
  const service: ControlPlaneService = await startService({
    bus: own,
    clock: systemClock,
    db,
    log: silentLog,
    ...standInRecognizers,
    ...testDoors(options.allow),
    now,
    developmentKey: null,
    s3: options.s3 ?? null,
    ...{ rooms: options.rooms ?? null, sessions: options.sessions, cache: options.cache },
    ...(options.readTrace === undefined ? {} : { readTrace: options.readTrace }),
    ...(options.phones === undefined ? {} : { phones: options.phones }),
    ...(options.lines === undefined ? {} : { lines: options.lines }),
    ...(options.calls === undefined ? {} : { calls: options.calls }),
    ...(options.testRuns === undefined ? {} : { testRuns: options.testRuns }),
    ...(options.recordings === undefined ? {} : { recordings: options.recordings }),
  });
  const call = (
    principal: Principal | null,
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<ForwardedResponse> => {
    const headers: Record<string, string> = {
      ...options.headers,
      ...(options.contentType === undefined ? {} : { "content-type": options.contentType }),
    };
    const body = Buffer.from(options.body ?? "");
    const request: ForwardedRequest = {
      method,
      path,
      query: options.query ?? "",
      headers,
      body,
      bodyObject: null,
      principal,
      clientAddress: options.clientAddress ?? null,
      ...(options.requestId === undefined ? {} : { requestId: options.requestId }),
    };
    return sendAsEdge(bus, request);
  };
  let draining: Promise<void> | null = null;
  const drain = (deadlineMs: number): Promise<void> => {
    draining ??= service.drain(deadlineMs);
    return draining;
  };
  return {
    natsUrl: nats.url,
    bus,
    db,
    postgres,
    call,
    drain,
    async callJson(principal, method, path, options) {
      const { status, body } = await call(principal, method, path, options);
      return { status, json: body.byteLength === 0 ? null : JSON.parse(Buffer.from(body).toString()) };
    },
    async stop() {
      await drain(10_000);
      service.stop();
      await Promise.all([bus.close(), own.close()]);
      await stopDatabase();
      await nats.stop();
    },
  };
}

/**
 * Sends a request the way an edge does: a large body goes through the object store, and a large answer comes from
 * there.
 */
async function sendAsEdge(bus: Bus, request: ForwardedRequest): Promise<ForwardedResponse> {
  const uploads = bus.objects(uploadsBucket);
  const isLarge = request.body.byteLength > 100_000;
  if (isLarge) await uploads.put("upload", request.body);
  const sent = isLarge ? { ...request, body: new Uint8Array(0), bodyObject: "upload" } : request;
  const response = await bus.request<ForwardedResponse>(controlSubjects.http, sent, {
    timeoutMs: 10_000,
    dependency: "the control plane",
  });
  if (isLarge && (await uploads.get("upload")) !== null) throw new Error("the upload was not deleted");
  if (typeof response.bodyObject !== "string") return response;
  const body = (await uploads.get(response.bodyObject)) ?? new Uint8Array(0);
  await uploads.delete(response.bodyObject);
  return { ...response, body };
}
