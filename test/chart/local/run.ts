// `npm run test:chart:local`: takes what the chart makes with the values of a laptop, starts each container's command with
// its environment, mounts and probes as processes of this machine against real NATS, Redis, Postgres and LiveKit, runs
// `helm test`'s own script, and restarts every Deployment while streams are spoken and callers talk with an agent: no
// stream may be lost and no conversation end. With `--at-once` all Deployments are restarted together besides, as an
// upgrade does: five roles load beside five that still work, for which two cores must do nothing else.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScriptedEndpoint } from "#agents/model/testing/scripted-endpoint";
import type { ServiceAccess } from "../../harness/cluster.js";
import { findOrBuildLiveKit } from "../../harness/livekit.js";
import { temporaryDirectory } from "../../harness/temporary-directory.js";
import { postgresPrograms, startPostgres } from "../../control-plane/postgres.js";
import { manifestsOf, template } from "../render.js";
import { Balancer } from "./balancer.js";
import { answerCaller } from "./conversation.js";
import { Conversations, type Round, summary } from "./conversations.js";
import { LocalRelease } from "./release.js";
import { LiveStreams } from "./streams.js";

const STREAMS = 3;
const CALLERS = 4;
const EDGE_PORT = 8080;
/** Of those that were spoken: a machine that does other work refuses some, and a faulty roll-out many. */
const MOST_REFUSED = 0.1;
/** In the order in which helm applies their Deployments. */
const roles = ["agent", "control-plane", "edge", "scheduler", "worker-cpu"] as const;

/** Where each component is on this machine: addresses of loopback, so that every pod has the ports of the chart. */
const addresses: Readonly<Record<string, string>> = {
  nats: "127.20.0.1",
  redis: "127.20.0.2",
  livekit: "127.20.0.3",
  edge: "127.20.0.4",
};
const addressOf = (component: string): string => addresses[component] ?? "127.20.0.9";
const host = /parley-(\w+)\.speech\.svc\.cluster\.local/g;

async function main(): Promise<number> {
  const programs = postgresPrograms();
  if (programs === null) throw new Error("Postgres is needed: apt-get install -y postgresql");
  const liveKit = await findOrBuildLiveKit();
  const directory = temporaryDirectory("chart-local");
  const model = await startScriptedEndpoint(answerCaller);
  const { isOk, stdout, stderr } = await template({
    files: ["values-dev.yaml"],
    values: {
      edge: { service: { port: EDGE_PORT } },
      livekit: { publicUrl: "ws://127.20.0.3:7880" },
      settings: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: "scripted" },
    },
  });
  if (!isOk) throw new Error(stderr);
  const manifests = manifestsOf(stdout);
  const postgres = await startPostgres(programs);
  for (const object of manifests)
    if (object.stringData?.DATABASE_URL !== undefined) object.stringData.DATABASE_URL = postgres.url;
  const balancer = new Balancer(EDGE_PORT);
  await balancer.listen(addressOf("edge"), EDGE_PORT);
  const release = new LocalRelease(
    {
      manifests,
      directory: directory.path,
      resolveNames: (text) => text.replace(host, (_, component: string) => addressOf(component)),
      program: (image) => programOf(image, liveKit),
    },
    balancer,
    addressOf,
  );
  const took = stopwatch();
  const failures: string[] = [];
  try {
    await release.start(["nats", "redis", "livekit"]);
    took("the stores are ready");
    await release.start(roles);
    took("every role is ready");
    failures.push(...(await smokeTest(manifests, directory.path)));
    took("helm test's script ran");
    const service = { baseUrl: `http://${addressOf("edge")}:${EDGE_PORT}`, apiKey: keyOf(manifests) };
    failures.push(...(await replaceAll(release, service, took)), ...model.problems);
    if (balancer.refused > 0) failures.push(`${balancer.refused} connections found no edge`);
    console.log(release.peakMemory);
    await release.stop(roles);
    took("every role has drained");
  } catch (error) {
    failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await release.stop(release.workloads.map(({ component }) => component));
    balancer.close();
    await Promise.all([postgres.stop(), model.close()]);
  }
  failures.push(...release.faults);
  for (const failure of failures) console.error(`chart: ${failure}`);
  if (failures.length === 0) directory.remove();
  else console.error(`chart: the logs are in ${directory.path}`);
  console.log(failures.length === 0 ? "the chart's cluster ran" : `${failures.length} failures`);
  return failures.length === 0 ? 0 : 1;
}

/** Replaces every role under live streams and conversations; gives what was lost. */
async function replaceAll(release: LocalRelease, service: ServiceAccess, took: Took): Promise<string[]> {
  const conversations = await Conversations.begin(service, CALLERS);
  const failures: string[] = [];
  const report = (what: string, round: Round): void => {
    took(`${what}: ${summary(round)}`);
    failures.push(...round.failures.map((failure) => `${what}: ${failure}`));
  };
  took(`an agent is with each of ${CALLERS} callers`);
  const streams = new LiveStreams(service.baseUrl, service.apiKey, STREAMS);
  try {
    report("nothing was replaced", await conversations.through(async () => undefined));
    for (const role of roles) {
      const before = streams.completed;
      const round = await conversations.through(() => release.restart(role));
      report(`${role} was replaced, while ${streams.completed - before} streams came to their end`, round);
    }
    if (process.argv.includes("--at-once")) {
      const all = await conversations.through(async () => {
        await Promise.all(roles.map((role) => release.restart(role)));
      });
      report("every role was replaced at once", all);
    }
  } finally {
    // Whatever went wrong: LiveKit would wait for callers who stay.
    await streams.finish();
    failures.push(...streams.failures, ...(await conversations.end()));
  }
  const { completed, refused } = streams;
  took(
    `${completed} streams were spoken, ${streams.failures.length} lost, ${refused} refused for want of processor time`,
  );
  if (completed < STREAMS) failures.push("hardly a stream was spoken");
  if (refused > completed * MOST_REFUSED) failures.push(`${refused} streams were refused, ${completed} spoken`);
  return failures;
}

/** What an image starts by itself, with what keeps it on the pod's address where its settings do not. */
function programOf(image: string, liveKit: string): { command: string; args: readonly string[] } | null {
  if (image.startsWith("nats:")) return { command: "nats-server", args: [] };
  if (image.startsWith("redis:")) return { command: "redis-server", args: ["--bind", addressOf("redis")] };
  const livekitAt = addressOf("livekit");
  if (image.startsWith("livekit/livekit-server:"))
    return { command: liveKit, args: ["--bind", livekitAt, "--node-ip", livekitAt] };
  return null;
}

/** Runs what the chart's test pod runs. */
async function smokeTest(manifests: ReturnType<typeof manifestsOf>, directory: string): Promise<string[]> {
  const script = manifests.flatMap(({ data }) => data?.["smoke-test.mjs"] ?? [])[0];
  if (script === undefined) return ["the chart has no smoke test"];
  const file = join(directory, "smoke-test.mjs");
  writeFileSync(file, script);
  const environment = {
    BASE_URL: `http://${addressOf("edge")}:${EDGE_PORT}`,
    API_KEY: keyOf(manifests),
    HAS_ROOMS: "true",
  };
  const [code] = (await once(spawn(process.execPath, [file], { env: environment, stdio: "inherit" }), "exit")) as [
    number,
  ];
  return code === 0 ? [] : [`helm test's script ended with ${code}`];
}

const keyOf = (manifests: ReturnType<typeof manifestsOf>): string =>
  manifests.find(({ stringData }) => stringData?.PARLEY_API_KEY !== undefined)?.stringData?.PARLEY_API_KEY ?? "";

type Took = (what: string) => void;

/** Says what was done, and how long it took. */
function stopwatch(): Took {
  let lastMs = performance.now();
  return (what) => {
    const nowMs = performance.now();
    console.log(`${((nowMs - lastMs) / 1000).toFixed(1).padStart(7)} s  ${what}`);
    lastMs = nowMs;
  };
}

process.exitCode = await main();
