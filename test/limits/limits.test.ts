import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newIdentifier } from "#common/identifier";
import { closeDecoderThreads } from "#audio/decoding/decoder-pool";
import { openAudio } from "#audio/decoding/open-audio";
import { wavHeader } from "#audio/encoding/pcm-codec";
import { joinTrace } from "#common/tracing/traceparent";
import { requireCallsLeft } from "#control-plane/calls/call-limits";
import { phoneCalls } from "#control-plane/calls/tables";
import { phoneNumbers } from "#control-plane/phone/tables";
import { TranscriptionBench } from "#edge/transcription/testing/transcription-bench";
import { interfaceRoutes } from "#edge/routes/interface-routes";
import { transcribeFile } from "#edge/transcription/transcribe-file";
import { ServiceError } from "#protocol/errors";
import { type LimitName, limits } from "#protocol/limit-table";
import { sizedOperations } from "#protocol/operations/sized-operations";
import { SpeechBench } from "#edge/speech/testing/speech-bench";
import { addClient, startTeams } from "../agents/client.js";
import type { ServiceFixture } from "../control-plane/service.js";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { insertOverSession } from "../sessions/rows.js";
import { requestProbes } from "./request-probes.js";
import type { Probe } from "./probe.js";
import { announceBody, sendBody, sendFrame } from "./size-probes.js";
import { partProbes } from "./part-probes.js";

/** A question to the control plane's service in this process: no carrier is needed to be refused. */
function phoneProbe(fixture: () => ServiceFixture): Probe {
  return {
    // No carrier is behind the service here.
    within: "status 502",
    async send(amount) {
      const team = await addClient(fixture());
      const row = (index: number) => ({
        id: newIdentifier(),
        teamId: team.principal.teamId,
        phoneNumber: `+1${newIdentifier().replace(/\D/g, "").padEnd(14, "0").slice(0, 10)}${index}`,
        provider: "twilio" as const,
        label: "",
        agentId: null,
        status: "active" as const,
        statusDetail: "",
        createdAt: new Date(),
        updatedAt: new Date(),
      });
      await fixture()
        .db.insert(phoneNumbers)
        .values(Array.from({ length: amount - 1 }, (_, index) => row(index)));
      const { status } = await team.ask("POST", "/v1/agent/phone-numbers", {
        provider: "twilio",
        phone_number: "+14155550200",
      });
      return `status ${status}`;
    },
  };
}

/** What a team that has made some calls today is told of the next one; `isOver`: none of them goes on. */
function callsProbe(fixture: () => ServiceFixture, isOver: boolean): Probe {
  return {
    within: "taken",
    async send(amount) {
      const { db } = fixture();
      const { teamId } = (await addClient(fixture())).principal;
      const status = isOver ? "completed" : "active";
      const ids = await Promise.all(
        Array.from({ length: amount - 1 }, () => insertOverSession(db, teamId, { status, endedAt: null })),
      );
      const now = new Date();
      const call = { teamId, phoneNumberId: "number", direction: "outbound" as const, createdAt: now };
      if (ids.length > 0) await db.insert(phoneCalls).values(ids.map((sessionId) => ({ sessionId, ...call })));
      return await requireCallsLeft(db, teamId, now).then(
        () => "taken",
        (error: unknown) => `status ${error instanceof ServiceError ? error.status : error}`,
      );
    },
  };
}

/** A WAV file of 16-bit samples at 8 kHz. */
const silence = (seconds: number): Buffer => Buffer.concat([wavHeader(8000), Buffer.alloc(seconds * 16_000)]);

const transcriptionProbe: Probe = {
  within: "taken",
  far: 2 * 3600,
  async send(amount) {
    const bench = new TranscriptionBench();
    const [trace, principal] = [joinTrace(undefined), bench.principal];
    const context = { ...bench.context, openAudio };
    return await transcribeFile({
      context,
      caller: { principal, trace },
      route: "/v1/asr",
      audio: silence(amount),
      language: undefined,
      signal: new AbortController().signal,
    }).then(
      () => "taken",
      (error: unknown) => `status ${error instanceof ServiceError ? error.status : error}`,
    );
  },
};

describe("the table of limits", () => {
  let cluster: TestCluster;
  let fixture: ServiceFixture;
  const probes: Readonly<Record<LimitName, Probe>> = {
    ...requestProbes(() => cluster),
    ...partProbes,
    phoneNumbers: phoneProbe(() => fixture),
    callsPerDay: callsProbe(() => fixture, true),
    callsAtOnce: callsProbe(() => fixture, false),
    transcribedSeconds: transcriptionProbe,
  };

  beforeAll(async () => {
    [cluster, { fixture }] = await Promise.all([
      startCluster({ models: allModels, settings: { PARLEY_TRUSTED_PROXIES: "127.0.0.0/8" } }),
      startTeams("pglite"),
    ]);
  });
  afterAll(() => Promise.all([cluster?.stop(), fixture?.stop(), closeDecoderThreads()]));

  it.each(Object.keys(limits) as LimitName[])("holds for %s: as much, one more, and far more", async (name) => {
    const { send, within, far } = probes[name];
    const { most, beyond } = limits[name];
    expect([most, await send(most)]).toEqual([most, within]);
    for (const amount of [most + 1, far ?? 2 * most]) expect([amount, await send(amount)]).toEqual([amount, beyond]);
  }, 90_000);

  const bodies = sizedOperations.filter(({ method }) => method !== "WebSocket");
  it.each(bodies)("holds for an announced body of $method $path", async (operation) => {
    for (const bytes of [operation.maxBytes + 1, 2 * operation.maxBytes])
      expect([bytes, await announceBody(cluster, operation, bytes)]).toEqual([bytes, 413]);
  });

  // One operation for each bound: what reads the bodies is the same.
  const bounds = bodies.filter(({ maxBytes }, at) => bodies.findIndex((other) => other.maxBytes === maxBytes) === at);
  it.each(bounds)("holds for a body of $maxBytes bytes that is sent, as to $path", async (operation) => {
    const { maxBytes } = operation;
    expect(await sendBody(cluster, operation, maxBytes)).not.toBe(413);
    for (const bytes of [maxBytes + 1, 2 * maxBytes])
      expect([bytes, await sendBody(cluster, operation, bytes)]).toEqual([bytes, 413]);
  }, 60_000);

  const sockets = sizedOperations.filter(({ method }) => method === "WebSocket");
  it.each(sockets)("holds for the frames of $path", async (operation) => {
    const { maxBytes } = operation;
    expect(await sendFrame(cluster, operation, maxBytes)).toBe("open");
    expect(await sendFrame(cluster, operation, maxBytes + 1)).toBe(1009);
    // The engine breaks off what is too large to be read to its end.
    expect([1006, 1009]).toContain(await sendFrame(cluster, operation, 2 * maxBytes));
  }, 60_000);

  it("names every operation that takes a body", () => {
    const served = interfaceRoutes(new SpeechBench().context, new TranscriptionBench().context);
    const own = [
      ...served.routes.map(({ method, path, maxBodyBytes = 0 }) => ({ method, path, maxBytes: maxBodyBytes })),
      ...served.sockets.map(({ path, maxFrameBytes }) => ({ method: "WebSocket", path, maxBytes: maxFrameBytes })),
    ];
    const named = new Map(sizedOperations.map(({ method, path, maxBytes }) => [`${method} ${path}`, maxBytes]));
    for (const { method, path, maxBytes } of own)
      expect([path, named.get(`${method} ${path}`) ?? 0]).toEqual([path, maxBytes]);
  });
});
