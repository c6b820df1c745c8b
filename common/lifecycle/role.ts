import type { LifecycleState } from "#protocol/bus/membership";
import { connectNats } from "../bus/nats.js";
import { systemClock } from "../clock.js";
import { type Config, loadConfig } from "../config/config.js";
import { newIdentifier } from "../identifier.js";
import { createLogger, type Logger } from "../log.js";
import { listenForScrapes, type MetricsListener } from "../metrics/listener.js";
import { createMetrics, type Metrics } from "../metrics/registry.js";
import { spansAreStored } from "../tracing/stored-spans.js";
import { openTracing, type TracingOptions } from "../tracing/open-tracing.js";
import type { Tracing } from "../tracing/span.js";
import { watchDescriptors } from "./descriptor-watch.js";
import { letHeapGrow } from "./heap-growth.js";
import { answerProbe } from "./probes.js";

/** What a role's `main.ts` is given. */
export interface RoleContext {
  config: Config;
  log: Logger;
  /** Scraped at `PARLEY_METRICS_PORT`, or at the edge's own `/metrics`. */
  metrics: Metrics;
  tracing: Tracing;
  /** Stable over restarts of one child of the launcher, unique in the cluster. */
  id: string;
  /** Random per process start. */
  epoch: string;
  /** Where this process is in its life; heartbeats carry it. */
  state(): LifecycleState;
  /** Drains and ends this process, as SIGTERM does; whoever launched it starts the next one. */
  retire(reason: string): void;
}

/** What a role gives back once it is ready. */
export interface RunningRole {
  /**
   * Stops taking new work and resolves when what was in flight has finished, or rejects or hangs: after `deadlineMs`
   * the process stops anyway. In flight means: streams (edge), submitted chunks (scheduler), batches (worker), requests
   * (control plane).
   */
  drain(deadlineMs: number): Promise<void>;
  /** Releases everything; called once, after `drain`. */
  stop(): Promise<void>;
  /** What keeps it from its work now, for `/ready` at the metrics port; empty when nothing does. */
  reasonsNotReady(): readonly string[];
  /** Extra facts for the parent process, such as the port that was picked. */
  facts?: Record<string, unknown>;
}

/** Roles that much audio passes through. */
const rolesWithAudio: ReadonlySet<string> = new Set(["edge", "worker"]);

type Probe = Parameters<typeof listenForScrapes>[0]["probe"];

/** Message to the launcher over the IPC channel. */
export type RoleMessage = { type: "ready"; role: string; facts: Record<string, unknown> };

/**
 * Runs a role as the whole process: initialized → ready → draining → stopped. SIGTERM drains (SIGINT and SIGHUP too
 * when nobody launched this process); so does the loss of the parent's IPC channel, so that no child outlives its
 * launcher. A second signal stops at once. Start-up failures are logged and exit with 1, and so is every exception that
 * nothing catches, but for those that `isHarmless` knows.
 */
export function runRole(
  role: string,
  start: (context: RoleContext) => Promise<RunningRole>,
  { isHarmless = () => false }: { isHarmless?: (error: unknown) => boolean } = {},
): void {
  // What a role writes, by whatever library, is its owner's alone.
  process.umask(0o077);
  if (rolesWithAudio.has(role)) letHeapGrow();
  const config = loadConfig(process.env);
  const log = createLogger(role, config.LOG_LEVEL);
  watchDescriptors(log);
  let state: LifecycleState = "initialized";
  const id = process.env.PARLEY_MEMBER_ID ?? `${role}-${newIdentifier().slice(0, 12)}`;

  const fail = (error: unknown, what: string): void => {
    log.fatal({ err: error }, what);
    process.exit(1);
  };
  process.on("uncaughtException", (error) => {
    if (isHarmless(error)) log.warn({ err: error }, "a library complains of what does no harm");
    else fail(error, "uncaught exception");
  });
  process.on("unhandledRejection", (error) => fail(error, "unhandled rejection"));

  let started: RunningRole | null = null;
  const probe: Probe = (path) => answerProbe(path, { state, reasonsNotReady: () => started?.reasonsNotReady() ?? [] });
  const running = openTelemetry(role, id, config, log, probe).then(async ({ metrics, tracing, callback }) => {
    const retire = (reason: string): void => {
      if (state === "ready") end(reason);
    };
    const instance = await start({
      config,
      log,
      metrics,
      tracing,
      id,
      epoch: newIdentifier(),
      state: () => state,
      retire,
    });
    started = instance;
    const stop = async (): Promise<void> => {
      await instance.stop();
      await tracing.close();
      callback?.close();
    };
    return { drain: (deadlineMs: number) => instance.drain(deadlineMs), stop, facts: instance.facts };
  });
  running.then(
    (instance) => {
      if (state !== "initialized") return;
      state = "ready";
      const message: RoleMessage = { type: "ready", role, facts: instance.facts ?? {} };
      process.send?.(message);
      log.info({ id, ...instance.facts }, "ready");
    },
    (error: unknown) => fail(error, "could not start"),
  );

  const end = (reason: string): void => {
    if (state === "draining" || state === "stopped") process.exit(1);
    state = "draining";
    log.info({ reason }, "draining");
    const deadline = setTimeout(
      () => fail(new Error("drain deadline passed"), "stopped with work in flight"),
      config.PARLEY_DRAIN_MS + 2000,
    );
    deadline.unref();
    running
      .then(async (instance) => {
        await Promise.race([
          instance.drain(config.PARLEY_DRAIN_MS),
          new Promise((resolve) => setTimeout(resolve, config.PARLEY_DRAIN_MS)),
        ]);
        state = "stopped";
        await instance.stop();
        log.info("stopped");
        process.exit(0);
      })
      .catch((error: unknown) => fail(error, "could not stop cleanly"));
  };
  process.on("SIGTERM", () => end("SIGTERM"));
  // Ctrl-C and the end of the terminal reach every process of the session: a child leaves the order of the drain to its
  // launcher, which sends SIGTERM.
  for (const signal of ["SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (process.send === undefined) end(signal);
    });
  }
  process.on("disconnect", () => end("the launcher is gone"));
}

/** The way of spans to the analytics engine, where they are stored. */
function spanStoreOf(id: string, config: Config, log: Logger, metrics: Metrics): TracingOptions["store"] {
  // Always there, at 0 where no span is stored: an alert on a metric that is missing never fires.
  const dropped = metrics.counter("parley_spans_dropped_total");
  const url = config.NATS_URL;
  if (!spansAreStored(config) || url === null) return null;
  return {
    connect: () => connectNats({ url, name: `${id}-spans`, log }),
    clock: systemClock,
    onDropped: (count) => dropped({}, count),
  };
}

/**
 * Runs a piece of work as the whole process: exits with 0 when it is done, and with 1, logged, when it fails. It ends at
 * once at a signal.
 */
export function runOnce(name: string, work: (context: { config: Config; log: Logger }) => Promise<void>): void {
  process.umask(0o077);
  const config = loadConfig(process.env);
  const log = createLogger(name, config.LOG_LEVEL);
  work({ config, log }).then(
    () => {
      log.info("done");
      process.exit(0);
    },
    (error: unknown) => {
      log.fatal({ err: error }, "failed");
      process.exit(1);
    },
  );
}

/**
 * What others see of the process: metrics, the listener for them where one is configured (the edge has its own), and
 * spans.
 */
async function openTelemetry(
  role: string,
  id: string,
  config: Config,
  log: Logger,
  probe: Probe,
): Promise<{ metrics: Metrics; tracing: Tracing; callback: MetricsListener | null }> {
  const metrics = createMetrics(role);
  const tracing = await openTracing({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    role,
    id,
    log,
    store: spanStoreOf(id, config, log, metrics),
  });
  const port = role === "edge" && config.PARLEY_PUBLIC_METRICS === "on" ? 0 : config.PARLEY_METRICS_PORT;
  const callback = port === 0 ? null : await listenForScrapes({ host: config.HOST, port, metrics, probe });
  return { metrics, tracing, callback };
}
