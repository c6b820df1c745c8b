import { type HandOver, handOverSubject, runtimeThereSubject } from "#protocol/bus/conversation";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import { FailureNotice } from "#common/failure-notice";
import { servedBy } from "#common/membership/cluster-view";
import { followMembers } from "#common/membership/heartbeat";
import { Membership, type MembershipChange } from "#common/membership/membership";
import { toServiceError } from "../database/failure.js";
import type { InFlight } from "../in-flight.js";
import { AgentRuntimes, type AgentRuntimesOptions } from "./agent-runtimes.js";
import type { SessionContext } from "./context.js";
import { consumeConversations } from "./log.js";
import { LostRuntimes } from "./lost-runtimes.js";
import { takeBack } from "./placement.js";
import { purgeLogs } from "./purge.js";
import type { Served } from "./speech-capacity.js";
import { sweepSessions, type UnderWay } from "./sweep.js";

const SWEEP_INTERVAL_MS = 1000;

/** Of several instances, one takes back what a runtime hands over. */
const QUEUE_GROUP = "control-plane";

/** The runtimes of a control plane that follows nobody (yet): none. */
export function noRuntimes(options: Omit<AgentRuntimesOptions, "members">): AgentRuntimes {
  return new AgentRuntimes({ ...options, members: new Membership() });
}

/** The runtimes that live, and what becomes of them. */
export interface FollowedRuntimes {
  runtimes: AgentRuntimes;
  served: Served;
  lost: LostRuntimes;
  /** Calls back when a runtime is lost. */
  onLost(callback: () => void): void;
  stop(): void;
}

/** Follows who lives. */
export function followRuntimes(options: { bus: Bus; clock: Clock; log: SessionContext["log"] }): FollowedRuntimes {
  const { bus, clock, log } = options;
  let callback: () => void = () => undefined;
  const onChange = (change: MembershipChange): void => {
    if (change.type === "updated") runtimes.updated(change.member.id);
    if (lost.noted(change)) callback();
  };
  const followed = followMembers({
    ...{ bus, clock, onChange },
    // Callers wait in silence: a runtime that was killed is not waited for until it may be called silent.
    isThere: async ({ role, id }) => role !== "agent" || (await bus.isAnswered(runtimeThereSubject(id))),
  });
  const runtimes = new AgentRuntimes({ bus, members: followed.members, log });
  const lost = new LostRuntimes(runtimes, () => clock.nowMs());
  bus.onReconnect(() => lost.interrupted());
  return {
    runtimes,
    served: (task) => servedBy(followed.members, task),
    lost,
    onLost: (given) => {
      callback = given;
    },
    stop: () => followed.stop(),
  };
}

export interface SessionServiceOptions {
  context: SessionContext;
  followed: FollowedRuntimes;
  bus: Bus;
  clock: Clock;
  /** What has to be done before the process ends. */
  inFlight: InFlight;
}

/** What keeps the records of conversations true. */
export interface SessionService {
  /** Resolves when no record of a conversation can be missed. */
  ready: Promise<void>;
  /** Takes no more; resolves when the records in hand are written. */
  drain(): Promise<void>;
  stop(): void;
}

/** Writes down what happens in conversations, ends those that are over, and finds a new runtime for those that lost theirs. */
export function startSessions(options: SessionServiceOptions): SessionService {
  const { context, followed, bus, clock, inFlight } = options;
  const consumer = consumeConversations(context, bus);
  const notice = new FailureNotice();
  const underWay: UnderWay = new Set();
  let isStopped = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    // While the bus is away nobody is heard of, and nobody can be asked.
    if (isStopped || !bus.isConnected()) return;
    const failures = await sweepSessions(context, (runtime) => followed.lost.isGone(runtime), underWay).catch(
      (error: unknown) => [error],
    );
    for (const failure of failures) report(failure);
    if (failures.length === 0) notice.clear();
  };
  let isPurging = false;
  const purge = async (): Promise<void> => {
    if (isStopped || isPurging || !bus.isConnected()) return;
    isPurging = true;
    await purgeLogs(context)
      .catch(report)
      .finally(() => {
        isPurging = false;
      });
  };
  const report = (failure: unknown): void => {
    const known = toServiceError(failure);
    if (!isStopped && notice.isNews(known))
      context.log.warn({ err: known.cause ?? known }, "sessions could not be looked after; trying on");
  };
  const tick = (): void => {
    cancel = clock.after(SWEEP_INTERVAL_MS, tick);
    void inFlight.run(look);
    void inFlight.run(purge);
  };
  tick();
  followed.onLost(() => void inFlight.run(look));
  const handOvers = bus.subscribe<HandOver>(
    handOverSubject,
    (handOver) => void inFlight.run(() => takeBack(context, handOver).catch(report)),
    { queue: QUEUE_GROUP },
  );
  const end = (): void => {
    isStopped = true;
    cancel();
    handOvers.unsubscribe();
  };
  return {
    ready: consumer.ready,
    async drain() {
      end();
      await consumer.stop();
    },
    stop() {
      end();
      followed.stop();
    },
  };
}
