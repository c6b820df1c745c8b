import type { ConversationRecord } from "#protocol/bus/conversation-log";
import { type Backlog, type TakeBacklog, takeBacklogSubject } from "#protocol/bus/conversation";
import type { Reply } from "#protocol/bus/control";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import { deferred } from "#common/deferred";
import type { Logger } from "#common/log";
import type { CallerFeed } from "./caller-feed.js";

const LOOK_MS = 50;
/** For so long after the caller was seen, the server may not have a way for packets to this side. */
const CALLER_SEEN_MS = 300;
/** A microphone that is open is heard by then. */
const AUDIO_MS = 800;
/** Nobody is in the room who could do anything. */
const NOBODY_MS = 3000;
const ANSWER_MS = 1500;
const MOST_ASKED = 2;
/** What both runtimes receive may come here so much later. */
const LATE_MS = 300;

/**
 * The runtime that holds what the caller did since the log ends; null where none does: the last one died, or nothing was
 * handed over. A runtime that took the log since and wrote nothing never had the backlog.
 */
export function predecessorOf(past: readonly ConversationRecord[]): string | null {
  const last = past.findLast(({ type }) => type !== "taken");
  return last?.type === "handed-over" ? last.runtimeId : null;
}

/** Whether whatever the caller does from now on comes to this runtime. */
export function receivesAll(seen: {
  /** Since the room was joined. */
  sinceJoinedMs: number;
  /** Since the caller was seen in it; null before. */
  sinceCallerMs: number | null;
  hasAudio: boolean;
}): boolean {
  const { sinceJoinedMs, sinceCallerMs, hasAudio } = seen;
  if (sinceCallerMs === null) return sinceJoinedMs >= NOBODY_MS;
  return sinceCallerMs >= (hasAudio ? CALLER_SEEN_MS : AUDIO_MS);
}

export interface SuccessionOptions {
  bus: Pick<Bus, "request">;
  clock: Clock;
  log: Logger;
  sessionId: string;
  /** The runtime that handed the conversation over; null for none. */
  predecessor: string | null;
  feed: Pick<CallerFeed, "hasAudio" | "catchUp">;
  /** The conversation has all that the caller did. */
  onCaughtUp(): void;
}

/** How a runtime follows another one that is still in the room: it takes what that one held, and then its place. */
export class Succession {
  readonly #options: SuccessionOptions;
  readonly #earlierDone = deferred<void>();
  #callerSeenMs: number | null = null;

  constructor(options: SuccessionOptions) {
    this.#options = options;
    if (options.predecessor === null) this.#earlierDone.resolve();
  }

  /** Resolves when nobody needs the earlier runtime in the room. */
  get earlierDone(): Promise<void> {
    return this.#earlierDone.promise;
  }

  callerSeen(): void {
    this.#callerSeenMs ??= this.#options.clock.nowMs();
  }

  /** The room has been joined. Resolves when the feed has caught up. */
  async begin(): Promise<void> {
    const { predecessor, clock, feed, onCaughtUp } = this.#options;
    if (predecessor === null) return;
    await this.#untilReceiving();
    const askedMs = clock.nowMs();
    const backlog = await this.#ask(predecessor);
    const readMs = (askedMs + clock.nowMs()) / 2;
    this.#earlierDone.resolve();
    // In two steps: of a process that was busy, timers are late and then go before what has come meanwhile.
    for (let step = 0; step < 2; step++) await this.#pause(LATE_MS / 2);
    feed.catchUp(backlog, readMs);
    onCaughtUp();
  }

  async #untilReceiving(): Promise<void> {
    const { clock, feed } = this.#options;
    const joinedMs = clock.nowMs();
    for (;;) {
      const nowMs = clock.nowMs();
      const sinceCallerMs = this.#callerSeenMs === null ? null : nowMs - this.#callerSeenMs;
      if (receivesAll({ sinceJoinedMs: nowMs - joinedMs, sinceCallerMs, hasAudio: feed.hasAudio })) return;
      await this.#pause(LOOK_MS);
    }
  }

  async #ask(runtimeId: string): Promise<Backlog | null> {
    const { bus, sessionId, log } = this.#options;
    const question: TakeBacklog = { sessionId };
    let failure: unknown = null;
    for (let asked = 0; asked < MOST_ASKED; asked++) {
      try {
        const reply = await bus.request<Reply<Backlog>>(takeBacklogSubject(runtimeId), question, {
          timeoutMs: ANSWER_MS,
          dependency: "The earlier runtime",
        });
        if (reply.ok) {
          const { events, audio } = reply.value;
          log.info(
            { runtimeId, events: events.length, audioBytes: audio.length },
            "took what the caller did meanwhile",
          );
          return reply.value;
        }
        failure = reply.error;
        break;
      } catch (error) {
        failure = error;
      }
    }
    log.warn({ err: failure, runtimeId }, "what the caller did while nobody answered is not known");
    return null;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(ms, resolve));
  }
}
