import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { followMembers, sendHeartbeats } from "#common/membership/heartbeat";
import type { MembershipChange } from "#common/membership/membership";
import { type LifecycleState, ownsWork, type SchedulerLoad } from "#protocol/bus/membership";
import {
  type BatchDone,
  ownerVerdictSubject,
  type SchedulerInbound,
  schedulerDoneSubject,
  schedulerSubject,
  workerSubject,
} from "#protocol/bus/scheduling";
import type { SchedulerEffect, SchedulerEvent } from "./core/events.js";
import type { SchedulerCore } from "./core/scheduler-core.js";
import type { SchedulerTelemetry } from "./telemetry/scheduler-telemetry.js";

/** Left of a drain's time for handing back what still waits. */
const HAND_BACK_MS = 500;

/** A scheduler on the bus. */
export interface BoundScheduler {
  /**
   * Refuses new streams and resolves when no chunk waits and no batch runs. Shortly before `deadlineMs` is over, what
   * still waits is given back to the edges as lost: they submit it elsewhere. Batches that still run then speak to
   * their edges without us.
   */
  drain(deadlineMs: number): Promise<void>;
  /** Says goodbye and ends all subscriptions; the bus stays open. */
  stop(): void;
}

/**
 * Binds a core to the bus: what it receives becomes events, effects become messages, and the core's wake-up times
 * become timers.
 */
export function bindScheduler(options: {
  bus: Bus;
  clock: Clock;
  log: Logger;
  core: SchedulerCore;
  id: string;
  epoch: string;
  state: () => LifecycleState;
  telemetry: SchedulerTelemetry;
}): BoundScheduler {
  const { bus, clock, log, core, id, epoch, state, telemetry } = options;
  let wake: { atMs: number; cancel: () => void } | null = null;
  let onIdle: (() => void) | null = null;
  /** Whether edges were last told that a stream would have to wait. */
  let saidFull = false;

  const step = (event: SchedulerEvent): void => {
    const { effects, faults } = core.handle(event, clock.nowMs());
    for (const effect of effects) bus.publish(subjectOf(effect), telemetry.effect(effect).message);
    for (const fault of faults) {
      telemetry.fault();
      log.error({ err: fault, event: event.type }, "the scheduler survived an error");
    }
    armWake();
    const { queuedChunks, runningBatches } = core.pending();
    if (queuedChunks + runningBatches > 0) return;
    // Edges refuse streams by what they were told: what has nothing to do says so at once.
    if (saidFull) heartbeats.say();
    onIdle?.();
  };

  const loads = (): SchedulerLoad[] => {
    const told = core.loads(clock.nowMs());
    saidFull = told.some(({ room }) => room?.atOnce === 0);
    return told;
  };

  // A timer that fires too early does nothing; so it is only ever moved forward, not with every event.
  const armWake = (): void => {
    const atMs = core.nextWakeMs();
    if (atMs === null || (wake !== null && wake.atMs <= atMs)) return;
    wake?.cancel();
    const cancel = clock.after(Math.max(0, atMs - clock.nowMs()), () => {
      wake = null;
      step({ type: "tick" });
    });
    wake = { atMs, cancel };
  };

  const subscriptions = [
    bus.subscribe<SchedulerInbound>(schedulerSubject(id), step),
    bus.subscribe<BatchDone>(schedulerDoneSubject(id), step),
  ];
  const following = followMembers({
    bus,
    clock,
    onChange: (change) => {
      const event = eventOf(change);
      if (event !== null) step(event);
    },
  });
  bus.onReconnect(() => step({ type: "bus-restored" }));
  const heartbeats = sendHeartbeats({
    bus,
    clock,
    describe: () => ({ type: "heartbeat", role: "scheduler", id, epoch, state: state(), loads: loads() }),
  });

  return {
    drain: (deadlineMs) =>
      new Promise((resolve) => {
        const cancelHandBack = clock.after(Math.max(0, deadlineMs - HAND_BACK_MS), () => {
          step({ type: "abandon" });
          finish();
        });
        const finish = (): void => {
          onIdle = null;
          cancelHandBack();
          bus.flush().then(resolve, resolve);
        };
        onIdle = finish;
        heartbeats.say();
        step({ type: "drain" });
      }),
    stop: () => {
      heartbeats.say();
      heartbeats.stop();
      following.stop();
      for (const subscription of subscriptions) subscription.unsubscribe();
      wake?.cancel();
    },
  };
}

function subjectOf(effect: SchedulerEffect): string {
  return effect.to === "worker" ? workerSubject(effect.workerId) : ownerVerdictSubject(effect.ownerId);
}

function eventOf({ type, member }: MembershipChange): SchedulerEvent | null {
  if (member.role === "worker") {
    return type === "lost"
      ? { type: "worker-lost", workerId: member.id, epoch: member.epoch }
      : { type: "worker-seen", heartbeat: member };
  }
  return ownsWork(member.role) && type === "lost" ? { type: "edge-lost", ownerId: member.id } : null;
}
