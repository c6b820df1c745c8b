import { randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpCase } from "../bad-input/case.js";
import { type HttpAnswer, sendHttp } from "../bad-input/send.js";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { judgeBy } from "./judge.js";
import { drawFrom } from "./random.js";
import { type Description, drawRequest, type FuzzOperation, KnownIds, operationsOf } from "./requests.js";
import type { Resolve } from "./values.js";

// `FUZZ_REQUESTS=5000 npx vitest run dist/test/fuzz` is the whole run; `FUZZ_SEED` repeats one, with `FUZZ_LANES=1` to the letter.
const { FUZZ_REQUESTS = "600", FUZZ_SEED = "20261120", FUZZ_LANES = "8" } = process.env;
const REQUESTS = Number(FUZZ_REQUESTS);
const SEED = FUZZ_SEED === "random" ? randomInt(1e9) : Number(FUZZ_SEED);

describe("requests generated from /openapi.json", () => {
  let cluster: TestCluster;
  let description: Description;
  let judge: (target: FuzzOperation, answer: HttpAnswer) => string | null;

  beforeAll(async () => {
    cluster = await startCluster({ models: allModels, settings: { PARLEY_ADMISSION_WAIT_MS: "600000" } });
    description = (await (await fetch(`${cluster.baseUrl}/openapi.json`)).json()) as Description;
    judge = judgeBy(description);
  });
  afterAll(() => cluster?.stop());

  const resolve: Resolve = (reference) => description.components.schemas[reference.replace("#/components/schemas/", "")] ?? {};

  it(`are answered as it says, never with a server error: ${REQUESTS} of them`, async () => {
    console.log(`fuzz: FUZZ_REQUESTS=${REQUESTS} FUZZ_SEED=${SEED}`);
    const targets = operationsOf(description);
    const ids = new KnownIds();
    const target = { port: Number(new URL(cluster.baseUrl).port), apiKey: cluster.apiKey, voiceId: "" };
    const failures: string[] = [];
    const statuses = new Map<number, number>();
    const seen = new Set<string>();
    let begun = 0;
    const lane = async (seed: number): Promise<void> => {
      const draw = drawFrom(seed);
      while (begun < REQUESTS) {
        // Every operation comes up equally often.
        const drawn = targets[begun++ % targets.length];
        if (drawn === undefined) return;
        const asked = drawRequest(drawn, draw, ids, resolve);
        const answer = await sendHttp(asked, target).catch((cause: unknown) => String(cause));
        const finding = typeof answer === "string" ? answer : isTooLong(asked, answer) ? null : judge(drawn, answer);
        const body = asked.body === null ? "" : Buffer.from(asked.body).toString("latin1").slice(0, 600);
        if (finding !== null) failures.push(`${asked.method} ${asked.path.slice(0, 300)} ${JSON.stringify(asked.headers)} ${body}: ${finding}`);
        if (typeof answer === "string") continue;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status < 300) seen.add(asked.name);
        if (answer.status < 300 && asked.method === "DELETE") ids.forget(asked.path.split("/").at(-1) ?? "");
        if (answer.status < 300 && answer.headers["content-type"] === "application/json") ids.learn(JSON.parse(answer.body.toString()));
      }
    };
    const lanes = Array.from({ length: Number(FUZZ_LANES) }, (_, index) => lane(SEED + index));
    await Promise.all(lanes);
    const counts = Object.fromEntries([...statuses].sort(([a], [b]) => a - b));
    console.log(`fuzz: ${JSON.stringify(counts)}, ${seen.size} of ${targets.length} operations succeeded at least once`);
    expect(failures).toEqual([]);
    expect(seen.size).toBeGreaterThan(targets.length / 3);
    expect(cluster.processes().filter(({ pid, lives }) => pid === null || lives !== 1)).toEqual([]);
  }, 60_000 + REQUESTS * 200);
});

/** A head of more than 16 KiB is refused before anybody reads what it asks for. */
function isTooLong({ method, path, headers }: HttpCase, { status }: HttpAnswer): boolean {
  const fields = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  // What `sendHttp` adds by itself: host, authorization, connection.
  const added = 400;
  return status === 431 && method.length + path.length + fields + added > 16 * 1024;
}
