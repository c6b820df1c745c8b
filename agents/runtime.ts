import {
  type Backlog,
  type ConversationPlan,
  type EndConversation,
  type EndingConversation,
  endConversationSubject,
  type HandOver,
  handOverSubject,
  runtimeThereSubject,
  type StartConversation,
  type StartedConversation,
  startConversationSubject,
  type TakeBacklog,
  takeBacklogSubject,
} from "#protocol/bus/conversation";
import type { Reply } from "#protocol/bus/control";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";
import { SpeechUnavailable } from "./conversation/await-speech.js";
import type { Conversation } from "./conversation/conversation.js";
import type { ConversationMetrics } from "./conversation/conversation-metrics.js";
import type { ConversationOutcome } from "./conversation/outcome.js";
import { ConversationGone } from "./conversation/take-log.js";

export interface RuntimeOptions {
  bus: Bus;
  clock: Clock;
  log: Logger;
  runtimeId: string;
  /** Conversations at once. */
  places: number;
  /** Opens one; rejects where it cannot be held here, with `SpeechUnavailable` where it has ended. */
  open(given: {
    plan: ConversationPlan;
    attempt: number;
    onHandedOver: () => void;
    onOver: (outcome: ConversationOutcome) => void;
  }): Promise<Conversation>;
  metrics: ConversationMetrics;
  /** Something changed that others should know of soon. */
  onChange(): void;
}

/** How long a runtime waits before it gives back what it could not open. */
const REFUSAL_MS = 500;

/** Where a drain looks again whether conversations are quiet. */
const DRAIN_STEP_MS = 100;

/** A conversation that this runtime was given. */
interface Held {
  attempt: number;
  conversation: Promise<Conversation>;
  /** It is in its room. */
  isOpen: boolean;
  /** Its end was asked for before. */
  isUnwanted: boolean;
  /** Another runtime is to take it. */
  isHandedOver: boolean;
}

/** Holds conversations: takes those that the control plane gives, as many as there are places. */
export class Runtime {
  readonly #options: RuntimeOptions;
  readonly #held = new Map<string, Held>();
  readonly #subscriptions: { unsubscribe(): void }[];
  #isDraining = false;

  constructor(options: RuntimeOptions) {
    const { bus, runtimeId } = options;
    this.#options = options;
    this.#subscriptions = [
      bus.respond<StartConversation, Reply<StartedConversation>>(startConversationSubject(runtimeId), (asked) =>
        replyTo(() => this.#start(asked)),
      ),
      bus.respond<EndConversation, Reply<EndingConversation>>(endConversationSubject(runtimeId), (asked) =>
        replyTo(() => this.#end(asked)),
      ),
      bus.respond<TakeBacklog, Reply<Backlog>>(takeBacklogSubject(runtimeId), (asked) =>
        replyTo(() => this.#readBacklog(asked)),
      ),
      bus.respond(runtimeThereSubject(runtimeId), async () => ({})),
    ];
  }

  /** Sessions that are held here. */
  get sessions(): string[] {
    return [...this.#held.keys()];
  }

  /** Conversations that may be held at once. */
  get places(): number {
    return this.#isDraining ? 0 : this.#options.places;
  }

  /**
   * Takes no more, and gives each conversation to another runtime in one of its pauses. Resolves when all are gone, each
   * with what its caller did meanwhile.
   */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#options.onChange();
    for (const { conversation } of this.#held.values()) {
      conversation.then(
        (open) => open.handOver(),
        () => undefined, // it is off the list already
      );
    }
    while (this.#held.size > 0)
      await new Promise<void>((resolve) => void this.#options.clock.after(DRAIN_STEP_MS, resolve));
  }

  /** Lets go of everything at once. */
  close(): void {
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    for (const { conversation } of this.#held.values()) {
      conversation.then(
        (open) => open.lose(),
        () => undefined, // it is off the list already
      );
    }
  }

  #start({ plan, attempt }: StartConversation): StartedConversation {
    const { runtimeId, log, metrics, onChange } = this.#options;
    const { sessionId } = plan;
    const held = this.#held.get(sessionId);
    if (held !== undefined && held.attempt >= attempt) return { runtimeId };
    if (this.#isDraining) throw new ServiceError("draining");
    if (held === undefined && this.#held.size >= this.#options.places) throw new ServiceError("overloaded");
    held?.conversation.then(
      (open) => open.lose(),
      () => undefined, // why it could not be opened is in the log already
    );
    const conversation = this.#options.open({
      ...{ plan, attempt },
      onHandedOver: () => this.#handedOver(plan, attempt),
      onOver: (outcome) => this.#over(plan, attempt, outcome),
    });
    const opening: Held = { attempt, conversation, isOpen: false, isUnwanted: false, isHandedOver: false };
    this.#held.set(sessionId, opening);
    metrics.begun();
    log.info({ sessionId, attempt }, "a conversation was taken");
    onChange();
    conversation.then(
      (open) => {
        opening.isOpen = true;
        if (opening.isUnwanted) open.end("requested", null, false);
        else if (this.#isDraining) open.handOver();
      },
      (error: unknown) => {
        if (error instanceof SpeechUnavailable) {
          log.warn({ err: error.cause, sessionId, attempt }, "a conversation ended: nobody recognizes or speaks in it");
          return this.#over(plan, attempt, "ended");
        }
        if (opening.isUnwanted) return this.#over(plan, attempt, "ended");
        if (error instanceof ConversationGone) return this.#over(plan, attempt, error.outcome);
        log.error({ err: error, sessionId, attempt }, "a conversation could not be opened; another runtime may try");
        // Where nobody else is left, the same runtime will be asked again.
        this.#options.clock.after(REFUSAL_MS, () => this.#over(plan, attempt, "handed-over"));
      },
    );
    return { runtimeId };
  }

  /** One that is still being opened is let go of as soon as that is done: whoever asks ends the session. */
  async #end({ sessionId, reason }: EndConversation): Promise<EndingConversation> {
    const held = this.#held.get(sessionId);
    if (held === undefined || held.isHandedOver) throw new ServiceError("not_found");
    if (!held.isOpen) {
      held.isUnwanted = true;
      return { isOpen: false };
    }
    (await held.conversation).end("requested", reason, false);
    return { isOpen: true };
  }

  #handedOver({ sessionId }: ConversationPlan, attempt: number): void {
    const held = this.#held.get(sessionId);
    if (held?.attempt !== attempt) return;
    held.isHandedOver = true;
    this.#offer(sessionId, attempt);
  }

  /** What the caller of a conversation did since it was handed over. */
  async #readBacklog({ sessionId }: TakeBacklog): Promise<Backlog> {
    const backlog = (await this.#held.get(sessionId)?.conversation)?.readBacklog() ?? null;
    if (backlog === null) throw new ServiceError("not_found");
    return backlog;
  }

  #offer(sessionId: string, attempt: number): void {
    const { bus, runtimeId } = this.#options;
    bus.publish(handOverSubject, { sessionId, runtimeId, attempt } satisfies HandOver);
  }

  #over({ sessionId }: ConversationPlan, attempt: number, outcome: ConversationOutcome): void {
    if (this.#held.get(sessionId)?.attempt !== attempt) return;
    const { metrics, log, onChange } = this.#options;
    this.#held.delete(sessionId);
    metrics.over(outcome);
    log.info({ sessionId, attempt, outcome }, "a conversation is over here");
    // One that was lost, or handed over before, has a later attempt elsewhere, and then nobody minds this; where it has
    // none, it gets one.
    if (outcome !== "ended") this.#offer(sessionId, attempt);
    onChange();
  }
}

async function replyTo<T>(work: () => T | Promise<T>): Promise<Reply<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, error: toErrorRecord(error) };
  }
}
