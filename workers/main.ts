import { connectNats } from "#common/bus/nats";
import { systemClock } from "#common/clock";
import { unlessConnected } from "#common/lifecycle/probes";
import { runRole } from "#common/lifecycle/role";
import { loadEngines } from "./engines/load.js";
import { embeddedModels } from "./repository/embedded.js";
import { openRepository } from "./repository/repository.js";
import { startWorker } from "./work/worker.js";
import { openWorkerTelemetry } from "./telemetry/worker-telemetry.js";

runRole("worker", async ({ config, log, metrics, tracing, id, epoch, state }) => {
  const slots = config.PARLEY_WORKER_SLOTS;
  const reservedSlots = config.PARLEY_WORKER_LIVE_SLOTS;
  const repository = await openRepository([...config.PARLEY_MODELS, embeddedModels], config.PARLEY_WORKER_MODELS);
  const loaded = await loadEngines(repository, {
    slots,
    reservedSlots,
    providers: config.PARLEY_PROVIDERS,
    keyterms: config.PARLEY_ASR_WORDS,
    log,
    clock: systemClock,
  });
  const bus = await connectNats({ url: config.NATS_URL ?? "nats://127.0.0.1:4222", name: id, log });
  const brokenModels = loaded.broken;
  const telemetry = openWorkerTelemetry({
    metrics,
    tracing,
    workerId: id,
    slots,
    brokenModels: brokenModels.length,
    isConnected: () => bus.isConnected(),
  });
  const { engines, recognizers } = loaded;
  const worker = startWorker({
    bus,
    clock: systemClock,
    log,
    id,
    epoch,
    state,
    slots,
    reservedSlots,
    engines,
    recognizers,
    brokenModels,
    telemetry,
  });
  metrics.gauge("parley_worker_running_chunks", () => worker.runningChunks());
  const disconnected = unlessConnected(bus);
  const servesNothing = engines.size + recognizers.size === 0;
  // A rolling update stops the next worker once this one is ready: by then somebody must send it work.
  const unlessAttached = (): readonly string[] => (worker.isAttached() ? [] : ["It belongs to no scheduler"]);
  return {
    reasonsNotReady: () => (servesNothing ? ["No model could be loaded"] : [...disconnected(), ...unlessAttached()]),
    drain: () => worker.drain(),
    async stop() {
      await worker.stop();
      await loaded.close();
      await bus.close();
    },
    facts: { models: [...engines.keys(), ...recognizers.keys()], brokenModels: loaded.broken.length },
  };
});
