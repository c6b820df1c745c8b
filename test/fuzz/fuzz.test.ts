import { randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpCase } from "../bad-input/case.js";
import { type HttpAnswer, sendHttp } from "../bad-input/send.js";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { howMany } from "../harness/thorough.js";
import { type RoomServerStandIn, startRoomServer } from "../sessions/room-server.js";
import { type Endpoint, startEndpoint } from "../tools/endpoint.js";
import { holdSessions, makePastWork, publishedAgent } from "./conversations.js";
import { type Description, operationsOf } from "./description.js";
import { KnownIds } from "./ids.js";
import { judgeBy } from "./judge.js";
import { drawCase, everyBound, everyOperation, type FuzzCase, type PlanContext } from "./plan.js";
import { drawFrom } from "./random.js";

// `FUZZ_SECONDS=600 npx vitest run test/fuzz` looks longer; `FUZZ_SEED` repeats a run (`random` draws one), with
// `FUZZ_LANES=1` to the letter.
const { FUZZ_SECONDS = String(howMany(15, 120)), FUZZ_SEED = "20261120", FUZZ_LANES = "8" } = process.env;
const SECONDS = Number(FUZZ_SECONDS);
const SEED = FUZZ_SEED === "random" ? randomInt(1e9) : Number(FUZZ_SEED);
const MOST_SHOWN = 30;
const needWork = [
  "POST /v1/agent/sessions",
  "POST /v1/agent/sessions/{session_id}/analysis",
  "GET /v1/agent/sessions/{session_id}/recording",
  "GET /v1/agent/agents/{agent_id}/test-batches/{batch_id}",
  "GET /v1/agent/test-runs/{run_id}",
  "GET /v1/agent/webhook-deliveries/{delivery_id}",
];

describe("requests generated from /openapi.json", () => {
  let cluster: TestCluster;
  let endpoint: Endpoint;
  let description: Description;
  let roomServer: RoomServerStandIn;
  let runtime: Awaited<ReturnType<typeof holdSessions>>;
  let agentId: string;
  let past: Record<string, string>;

  beforeAll(async () => {
    endpoint = await startEndpoint();
    // Only where the tools of this test lead to: other addresses that it makes up are to be refused.
    const settings = { PARLEY_ADMISSION_WAIT_MS: "600000", PARLEY_OUTBOUND_ALLOW: new URL(endpoint.url).host };
    roomServer = await startRoomServer();
    const rooms = {
      LIVEKIT_URL: roomServer.url,
      LIVEKIT_API_KEY: roomServer.apiKey,
      LIVEKIT_API_SECRET: roomServer.apiSecret,
    };
    cluster = await startCluster({ models: allModels, settings: { ...settings, ...rooms } });
    runtime = await holdSessions(cluster);
    agentId = await publishedAgent(cluster, `${endpoint.url}/hook`);
    past = (await makePastWork(cluster, agentId)).ids;
    description = (await (await fetch(`${cluster.baseUrl}/openapi.json`)).json()) as Description;
  });
  afterAll(async () => {
    await runtime?.stop();
    await Promise.all([cluster?.stop(), endpoint?.stop(), roomServer?.stop()]);
  });

  it(
    `are answered as it says, never with a server error, for ${SECONDS} seconds`,
    async () => {
      console.log(`fuzz: FUZZ_SECONDS=${SECONDS} FUZZ_SEED=${SEED} FUZZ_LANES=${FUZZ_LANES}`);
      const deadlineMs = performance.now() + SECONDS * 1000;
      const { judge, ...verdict } = judgeBy(description);
      const context: PlanContext = {
        resolve: (reference) => description.components.schemas[reference.replace("#/components/schemas/", "")] ?? {},
        endpointUrl: `${endpoint.url}/hook`,
        agentId,
        verdict,
      };
      const targets = operationsOf(description);
      const planned = [...everyOperation(targets, context), ...everyBound(targets, context, drawFrom(SEED))];
      const ids = new KnownIds(past);
      const target = { port: Number(new URL(cluster.baseUrl).port), apiKey: cluster.apiKey, voiceId: "" };
      const failures: string[] = [];
      const statuses = new Map<number, number>();
      const succeeded = new Set<string>();
      let begun = 0;

      const ask = async ({ target: operation, http, expectation }: FuzzCase): Promise<void> => {
        const answer = await sendHttp(http, target).catch((cause: unknown) => String(cause));
        const finding =
          typeof answer === "string" ? answer : isTooLong(http, answer) ? null : judge(operation, answer, expectation);
        if (finding !== null) failures.push(`${toText(http)} (${JSON.stringify(expectation)}): ${finding}`);
        if (typeof answer === "string") return;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status >= 300) return;
        succeeded.add(http.name);
        if (http.method === "DELETE") ids.purge(http.path.split("/").at(-1) ?? "");
        if (answer.headers["content-type"] === "application/json") ids.learn(JSON.parse(answer.body.toString()));
      };
      const lane = async (seed: number): Promise<void> => {
        const draw = drawFrom(seed);
        // What is planned is asked in full on however slow a machine.
        while (begun < planned.length || performance.now() < deadlineMs) {
          const index = begun++;
          const operation = targets[index % targets.length];
          if (operation === undefined) return;
          await ask(planned[index]?.(draw, ids) ?? drawCase(operation, draw, ids, context));
        }
      };
      await Promise.all(Array.from({ length: Number(FUZZ_LANES) }, (_, index) => lane(SEED + index)));

      const counts = Object.fromEntries([...statuses].sort(([a], [b]) => a - b));
      console.log(
        `fuzz: ${begun} requests, ${Math.min(begun, planned.length)} of ${planned.length} planned; ${JSON.stringify(counts)}`,
      );
      console.log(
        `fuzz: never succeeded: ${targets
          .map(({ method, pattern }) => `${method} ${pattern}`)
          .filter((name) => !succeeded.has(name))
          .join(", ")}`,
      );
      expect(failures.slice(0, MOST_SHOWN), `${failures.length} failures`).toEqual([]);
      expect(succeeded.size).toBeGreaterThan(targets.length / 2);
      // Which need an agent, a runtime and rooms, and something that is over.
      expect([...succeeded]).toEqual(expect.arrayContaining(needWork));
      expect(cluster.processes().filter(({ pid, lives }) => pid === null || lives !== 1)).toEqual([]);
    },
    SECONDS * 1000 + 180_000,
  );
});

function toText({ method, path, headers, body }: HttpCase): string {
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers)} ${body === null ? "" : Buffer.from(body).toString("latin1").slice(0, 600)}`;
}

/** A head of more than 16 KiB is refused before anybody reads what it asks for. */
function isTooLong({ method, path, headers }: HttpCase, { status }: HttpAnswer): boolean {
  const fields = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  // What `sendHttp` adds by itself: host, authorization, connection.
  const added = 400;
  return status === 431 && method.length + path.length + fields + added > 16 * 1024;
}
