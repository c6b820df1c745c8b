import type { Bus } from "#common/bus/bus";
import { systemClock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import { sendHeartbeats } from "#common/membership/heartbeat";
import type { Reply } from "#protocol/bus/control";
import {
  type EndConversation,
  type EndingConversation,
  endConversationSubject,
  type HandOver,
  handOverSubject,
  runtimeThereSubject,
  type StartConversation,
  type StartedConversation,
  startConversationSubject,
} from "#protocol/bus/conversation";
import { type ConversationRecord, conversationSubject } from "#protocol/bus/conversation-log";
import type { LifecycleState } from "#protocol/bus/membership";
import { ServiceError, toErrorRecord } from "#protocol/errors";

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A record of a log, at a time. */
export type TimedRecord = DistributiveOmit<ConversationRecord, "id" | "atEpochMs">;

/** Stands in for a runtime: lives, takes conversations, and writes what a test says into their logs. */
export interface RuntimeStandIn {
  id: string;
  started: StartConversation[];
  ended: EndConversation[];
  /** Refuses what it is asked to start. */
  isFull: boolean;
  /** Whether it says that the conversations it ends are open; otherwise it is still opening them. */
  isOpen: boolean;
  /** How it ends a conversation; by default it says so, and writes nothing. */
  onEnd: (question: EndConversation) => void;
  write(sessionId: string, record: TimedRecord, at?: Date): void;
  handOver(sessionId: string, attempt: number): void;
  setState(state: LifecycleState): void;
  /** As a process that was killed. */
  kill(): void;
}

/** Joins the cluster on a bus of its own; resolves when it can be asked. */
export async function startRuntime(
  bus: Bus,
  options: { places?: number; id?: string; epoch?: string } = {},
): Promise<RuntimeStandIn> {
  const { places = 1000, id = `agent-${newIdentifier().slice(0, 8)}`, epoch = newIdentifier() } = options;
  let state: LifecycleState = "ready";
  const held = new Set<string>();
  const standIn: RuntimeStandIn = {
    id,
    started: [],
    ended: [],
    isFull: false,
    isOpen: true,
    onEnd: () => undefined,
    write(sessionId, record, at = new Date()) {
      if (record.type === "ended") held.delete(sessionId);
      bus.publish(conversationSubject(sessionId), { ...record, id: newIdentifier(), atEpochMs: at.getTime() });
    },
    handOver: (sessionId, attempt) =>
      bus.publish(handOverSubject, { sessionId, runtimeId: id, attempt } satisfies HandOver),
    setState(next) {
      state = next;
      heartbeats.say();
    },
    kill() {
      heartbeats.stop();
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
  const subscriptions = [
    bus.respond<StartConversation, Reply<StartedConversation>>(startConversationSubject(id), async (question) => {
      if (standIn.isFull) return { ok: false, error: toErrorRecord(new ServiceError("no_agent_runtime")) };
      standIn.started.push(question);
      held.add(question.plan.sessionId);
      return { ok: true, value: { runtimeId: id } };
    }),
    bus.respond(runtimeThereSubject(id), async () => ({})),
    bus.respond<EndConversation, Reply<EndingConversation>>(endConversationSubject(id), async (question) => {
      if (!held.delete(question.sessionId)) return { ok: false, error: toErrorRecord(new ServiceError("not_found")) };
      standIn.ended.push(question);
      standIn.onEnd(question);
      return { ok: true, value: { isOpen: standIn.isOpen } };
    }),
  ];
  await bus.flush();
  const heartbeats = sendHeartbeats({
    bus,
    clock: systemClock,
    describe: () => ({ type: "heartbeat", role: "agent", id, epoch, state, places, sessions: [...held] }),
  });
  await bus.flush();
  return standIn;
}
