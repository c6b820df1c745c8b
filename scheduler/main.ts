import { connectNats } from "#common/bus/nats";
import { systemClock } from "#common/clock";
import { ConfigError } from "#common/config/config";
import { unlessConnected } from "#common/lifecycle/probes";
import { runRole } from "#common/lifecycle/role";
import { SchedulerCore } from "./core/scheduler-core.js";
import { schedulingPolicy } from "./policy.js";
import { bindScheduler } from "./work-bus.js";
import { openSchedulerTelemetry } from "./telemetry/scheduler-telemetry.js";

runRole("scheduler", async ({ config, log, metrics, tracing, id, epoch, state }) => {
  if (config.NATS_URL === null) throw new ConfigError("NATS_URL is needed by the scheduler");
  const bus = await connectNats({ url: config.NATS_URL, name: id, log });
  const core = new SchedulerCore({ schedulerId: id, epoch, policy: schedulingPolicy(config) });
  const telemetry = openSchedulerTelemetry({
    metrics,
    tracing,
    core,
    nowMs: () => systemClock.nowMs(),
    isConnected: () => bus.isConnected(),
  });
  const scheduler = bindScheduler({ bus, clock: systemClock, log, core, id, epoch, state, telemetry });
  return {
    reasonsNotReady: unlessConnected(bus),
    drain: (deadlineMs) => scheduler.drain(deadlineMs),
    stop: async () => {
      scheduler.stop();
      await bus.close();
    },
  };
});
