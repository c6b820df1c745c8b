import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { createSealer } from "#common/secrets/sealer";
import { type ScriptedEndpoint, startScriptedEndpoint } from "#agents/model/testing/scripted-endpoint";
import { DEVELOPMENT_TEAM_ID } from "#control-plane/accounts/development";
import type { SessionAnalysis } from "#protocol/agents/analysis";
import {
  controlSubjects,
  EVERY_SCOPE,
  type ForwardedRequest,
  type ForwardedResponse,
  type Principal,
} from "#protocol/bus/control";
import type { CallAnalyzedPayload, WebhookPayload } from "#protocol/webhooks";
import { silentLog } from "../control-plane/databases.js";
import { postgresPrograms, startPostgres, type TestPostgres } from "../control-plane/postgres.js";
import { KilledControlPlane } from "../faults/control-plane/killed-process.js";
import { until } from "../harness/processes.js";
import { type ExternalServer, startNats } from "../harness/servers.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { howMany, isThorough } from "../harness/thorough.js";
import { isSigned, type Receipt, type Receiver, startReceiver } from "../webhooks/receivers.js";
import { analysisAnswer } from "./analysis-script.js";
import { type Analyzer, startAnalyzer } from "./analyzer.js";
import { type RoomServerStandIn, startRoomServer } from "./room-server.js";
import { type RuntimeStandIn, startRuntime } from "./runtime.js";
import { model, startWorker, type WorkerStandIn } from "./worker.js";

/**
 * A few calls on the embedded database, with a kill after so many requests at the receiver; the whole proof, on
 * Postgres and with a kill every 10 s, is `TEST_THOROUGH=1 npx vitest run test/sessions/analysis-kill.test.ts`.
 */
const CALLS = howMany(24, 200);
const KILL_INTERVAL_MS = 10_000;
const killAtReceipts: readonly number[] = isThorough ? [] : [15, 60];
const PATHS = ["/prompt", "/refuses-once"] as const;
const SECRET_KEY = "0123456789abcdef".repeat(4);
const WITHIN_MS = 300_000;
const programs = isThorough ? postgresPrograms() : null;

/** The team that every installation has. */
const principal: Principal = {
  ...{ teamId: DEVELOPMENT_TEAM_ID, userId: "user", keyId: "key", scopes: [EVERY_SCOPE], hasCredit: true },
  ...{ betaAccess: true, maxConcurrentStreams: 0 },
};

/** What callers say; every fourth says nothing, and every tenth call is analyzed twice. */
const words = ["I want to order.", "On the second try.", "This is unreadable.", null] as const;
const expectedStatus = ["completed", "completed", "error", "skipped"] as const;

describe.skipIf(isThorough && programs === null)(
  `the events of ${CALLS} calls while the control plane is killed`,
  () => {
    const directory = temporaryDirectory("analysis-kill");
    let postgres: TestPostgres | null = null;
    let nats: ExternalServer;
    let bus: Bus;
    let receiver: Receiver;
    let endpoint: ScriptedEndpoint;
    let roomServer: RoomServerStandIn;
    let runtime: RuntimeStandIn;
    let worker: WorkerStandIn;
    let analyzers: Analyzer[] = [];
    let controlPlane: KilledControlPlane;

    beforeAll(async () => {
      if (isThorough && programs === null) return;
      [nats, roomServer] = await Promise.all([startNats(), startRoomServer()]);
      postgres = programs === null ? null : await startPostgres(programs);
      bus = await connectNats({ url: nats.url, name: "test", log: silentLog });
      const refused = new Set<string>();
      receiver = await startReceiver(({ path, body }, response) => {
        if (receiver.receipts.length === killAtReceipts[controlPlane.kills]) void controlPlane.kill();
        const isRefused = path === "/refuses-once" && !refused.has(body);
        refused.add(body);
        response.writeHead(isRefused ? 500 : 204).end();
      });
      endpoint = await startScriptedEndpoint((request) => {
        const answer = analysisAnswer(request);
        return "status" in answer ? answer : [{ waitMs: isThorough ? 500 : 50 }, ...answer];
      });
      controlPlane = new KilledControlPlane(bus, {
        ...{ PARLEY_DATA_DIR: directory.path, PARLEY_SECRET_KEY: SECRET_KEY, PARLEY_OUTBOUND_ALLOW: receiver.host },
        ...{ NATS_URL: nats.url, PARLEY_SAMPLE: "off", ...(postgres === null ? {} : { DATABASE_URL: postgres.url }) },
        LIVEKIT_URL: roomServer.url,
        ...{ LIVEKIT_API_KEY: roomServer.apiKey, LIVEKIT_API_SECRET: roomServer.apiSecret },
      });
      await controlPlane.ready();
      worker = startWorker(bus, [model("asr", "transcribe"), model("espeak", "speak")]);
      runtime = await startRuntime(bus);
      const settings = { LLM_BASE_URL: endpoint.baseUrl, LLM_MODEL: "scripted" };
      const sealer = createSealer([SECRET_KEY]);
      analyzers = await Promise.all([1, 2].map(() => startAnalyzer(nats.url, settings, sealer)));
    }, 120_000);

    afterAll(async () => {
      if (isThorough && programs === null) return;
      runtime.kill();
      worker.kill();
      await Promise.all([controlPlane.end(), ...analyzers.map((analyzer) => analyzer.kill())]);
      await Promise.all([bus.close(), receiver.close(), endpoint.close(), roomServer.stop()]);
      await Promise.all([postgres?.stop(), nats.stop()]);
      directory.remove();
    });

    /** Asks until the answer is there: of what was asked when the process died, nobody knows what became. */
    async function ask(method: string, path: string, status: number, body?: object): Promise<Record<string, unknown>> {
      const [pathname = "", query = ""] = path.split("?");
      const request: ForwardedRequest = {
        ...{ method, path: pathname, query, bodyObject: null, principal },
        headers: body === undefined ? {} : { "content-type": "application/json" },
        body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
      };
      let json: Record<string, unknown> = {};
      let last = "";
      await until(
        async () => {
          const answer = await controlPlane.ask<ForwardedResponse>(controlSubjects.http, request);
          last = answer === null ? "" : Buffer.from(answer.body).toString();
          if (answer?.status !== status) return false;
          json = JSON.parse(last) as Record<string, unknown>;
          return true;
        },
        { withinMs: 60_000, what: `${method} ${path}` },
      ).catch((error: unknown) => {
        throw new Error(`it answered ${last}`, { cause: error });
      });
      return json;
    }
    async function hold(agentId: string, said: string | null): Promise<string> {
      const sessionId = String((await ask("POST", "/v1/agent/sessions", 201, { agent_id: agentId }))["session_id"]);
      runtime.write(sessionId, { type: "caller-joined" });
      if (said !== null) runtime.write(sessionId, { type: "caller-said", turnId: 1, text: said });
      runtime.write(sessionId, { type: "ended", reason: "caller_left", detail: null });
      return sessionId;
    }
    /** What the record says of a call's analysis. */
    async function recordOf(sessionId: string): Promise<SessionAnalysis | null> {
      return (await ask("GET", `/v1/agent/sessions/${sessionId}`, 200))["analysis"] as SessionAnalysis | null;
    }
    async function untilAnalyzed(sessionId: string): Promise<void> {
      let shown: unknown = null;
      const isAnalyzed = async (): Promise<boolean> => {
        const { items: _, ...session } = await ask("GET", `/v1/agent/sessions/${sessionId}`, 200);
        shown = session;
        return typeof (session["analysis"] as SessionAnalysis | null)?.finished_at === "string";
      };
      await until(isAnalyzed, { withinMs: 120_000, what: "an analysis" }).catch((error: unknown) => {
        throw new Error(`the session is ${JSON.stringify(shown)}`, { cause: error });
      });
    }
    async function hasPendingDeliveries(): Promise<boolean> {
      const { deliveries } = await ask("GET", "/v1/agent/webhook-deliveries?status=pending&page_size=1", 200);
      return (deliveries as object[]).length > 0;
    }

    it(
      "each arrive, in order, and agree with each other and with the records",
      async () => {
        const post = PATHS.map((path) => ({ url: receiver.url(path), secret: `secret of ${path}` }));
        const config = { webhooks: { post_call: post } };
        const { agent_id: agentId } = await ask("POST", "/v1/agent/agents", 201, { name: "Ann", config });
        await ask("POST", `/v1/agent/agents/${agentId}/publish`, 200);
        const killer = setInterval(() => {
          if (isThorough) void controlPlane.kill();
        }, KILL_INTERVAL_MS);
        const calls: string[] = [];
        const repeated: string[] = [];
        try {
          for (let index = 0; index < CALLS; index++) {
            calls.push(await hold(String(agentId), words[index % words.length] ?? null));
            if (index % 10 !== 9) continue;
            const sessionId = calls[index - 5] ?? "";
            await untilAnalyzed(sessionId);
            await ask("POST", `/v1/agent/sessions/${sessionId}/analysis`, 202);
            repeated.push(sessionId);
          }
          for (const sessionId of calls) await untilAnalyzed(sessionId);
          await until(async () => !(await hasPendingDeliveries()), { withinMs: WITHIN_MS, what: "every delivery" });
        } finally {
          clearInterval(killer);
        }
        expect(controlPlane.kills).toBeGreaterThanOrEqual(isThorough ? 3 : killAtReceipts.length);

        const records = await Promise.all(calls.map(recordOf));
        for (const path of PATHS) {
          const receipts = receiver.at(path);
          expect(receipts.every((receipt) => isSigned(receipt, `secret of ${path}`))).toBe(true);
          expect([...new Set(receipts.map(({ payload }) => payload.session.id))].sort()).toEqual([...calls].sort());
          for (const [index, sessionId] of calls.entries()) {
            const told = firstSeen(receipts.filter(({ payload }) => payload.session.id === sessionId));
            // One body for each key by which receivers tell events apart.
            expect(new Set(told.map(keyOf)).size).toBe(told.length);
            const [ended, ...analyzed] = told;
            expect([ended?.event, ended?.session.status]).toEqual(["call.ended", "completed"]);
            const analyses = analyzed.filter((event): event is CallAnalyzedPayload => event.event === "call.analyzed");
            expect(analyses.length).toBe(analyzed.length);
            if (repeated.includes(sessionId)) expect(analyses.length).toBeGreaterThanOrEqual(2);
            else expect(analyses.length).toBe(1);
            const times = analyses.map(({ analysis }) => analysis.finished_at);
            expect(times).toEqual([...times].sort());
            for (const event of analyses) {
              expect(event.session).toEqual(ended?.session);
              expect(event.analysis.status).toBe(expectedStatus[index % expectedStatus.length]);
            }
            expect(records[index]).toMatchObject(analyses.at(-1)?.analysis ?? {});
          }
        }
        expect(endpoint.problems.filter((problem) => !problem.includes("aborted"))).toEqual([]);
        const events = new Set(receiver.receipts.map(({ path, body }) => `${path} ${body}`)).size;
        console.info(
          `${CALLS} calls, ${controlPlane.kills} kills, ${receiver.receipts.length} requests for ${events} events`,
        );
      },
      WITHIN_MS + 120_000,
    );
  },
);

const keyOf = (event: WebhookPayload): string =>
  `${event.event} ${event.session.id} ${event.event === "call.analyzed" ? event.analysis.finished_at : ""}`;

/** Events in the order in which each came first: every attempt of one delivery has the same body. */
function firstSeen(receipts: readonly Receipt[]): WebhookPayload[] {
  return [...new Set(receipts.map(({ body }) => body))].map((body) => JSON.parse(body) as WebhookPayload);
}
