import type { Reply } from "#protocol/bus/control";
import {
  type EndConversation,
  type EndingConversation,
  endConversationSubject,
  type StartConversation,
  type StartedConversation,
  startConversationSubject,
} from "#protocol/bus/conversation";
import { ServiceError } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import type { Logger } from "#common/log";
import type { Membership } from "#common/membership/membership";

/** A runtime that has not answered by then is taken for one that is busy or gone. */
const ANSWER_MS = 3000;
/** Runtimes that are asked for one conversation: more would keep its caller waiting. */
const MOST_ASKED = 4;

/** A process that holds conversations. */
export interface Runtime {
  id: string;
  epoch: string;
}

/** What became of the search for a runtime. */
export type Placement = (
  | { type: "taken"; by: Runtime; attempt: number }
  /** `attempt` is the first one that nobody can have begun. */
  | { type: "nobody"; attempt: number }
) & {
  /** Those that hold it, as far as anybody knows: who took it, and before who did not answer. */
  mayHold: Runtime[];
};

export interface AgentRuntimesOptions {
  bus: Pick<Bus, "request">;
  members: Pick<Membership, "ofRole">;
  log: Logger;
}

/** The runtimes that live, as the control plane asks them to hold and to end conversations. */
export class AgentRuntimes {
  readonly #options: AgentRuntimesOptions;
  /** Conversations given to each runtime since it last said how many it holds. */
  readonly #given = new Map<string, number>();

  constructor(options: AgentRuntimesOptions) {
    this.#options = options;
  }

  /** A runtime has said what it holds: what it was given before is among it. */
  updated(runtimeId: string): void {
    this.#given.delete(runtimeId);
  }

  /** Those with room for a conversation, the emptiest first. */
  withRoom(): Runtime[] {
    return this.#free()
      .sort((a, b) => b.free - a.free || (a.id < b.id ? -1 : 1))
      .map(({ id, epoch }) => ({ id, epoch }));
  }

  /** Conversations that all of them together have room for. */
  get freePlaces(): number {
    return this.#free().reduce((sum, { free }) => sum + free, 0);
  }

  /** Whether any takes work, with room for a conversation or without. */
  get anyIsReady(): boolean {
    return this.#options.members.ofRole("agent").some(({ state }) => state === "ready");
  }

  /** Whether a runtime that lives says that it holds the session. */
  isHeld(sessionId: string): boolean {
    return this.#options.members.ofRole("agent").some(({ sessions }) => sessions.includes(sessionId));
  }

  /** Whether that very process lives. */
  isAlive(runtime: Runtime): boolean {
    return this.#options.members.ofRole("agent").some(({ id, epoch }) => id === runtime.id && epoch === runtime.epoch);
  }

  /**
   * Gives a conversation to the first runtime that takes it. One that does not answer may have begun all the same: the
   * next one is asked for a later attempt, which wins in the conversation's log.
   */
  async place(start: StartConversation): Promise<Placement> {
    let { attempt } = start;
    const mayHold: Runtime[] = [];
    for (const runtime of this.withRoom().slice(0, MOST_ASKED)) {
      this.#given.set(runtime.id, (this.#given.get(runtime.id) ?? 0) + 1);
      const answer = await this.#ask<StartedConversation>(startConversationSubject(runtime.id), { ...start, attempt });
      if (answer === null || answer.ok) mayHold.push(runtime);
      if (answer === null) attempt++;
      else if (answer.ok) return { type: "taken", by: runtime, attempt, mayHold };
      else
        this.#options.log.warn(
          { runtime: runtime.id, code: answer.error.code, session: start.plan.sessionId },
          "a runtime refused a conversation",
        );
    }
    return { type: "nobody", attempt, mayHold };
  }

  /** Asks a runtime to end a conversation; null where it does not answer, or holds no such conversation. */
  async end(runtimeId: string, question: EndConversation): Promise<EndingConversation | null> {
    const answer = await this.#ask<EndingConversation>(endConversationSubject(runtimeId), question);
    return answer?.ok === true ? answer.value : null;
  }

  #free(): (Runtime & { free: number })[] {
    return this.#options.members
      .ofRole("agent")
      .map(({ id, epoch, state, places, sessions }) => {
        const free = state === "ready" ? places - sessions.length - (this.#given.get(id) ?? 0) : 0;
        return { id, epoch, free };
      })
      .filter(({ free }) => free > 0);
  }

  async #ask<T>(subject: string, message: object): Promise<Reply<T> | null> {
    try {
      return await this.#options.bus.request<Reply<T>>(subject, message, {
        timeoutMs: ANSWER_MS,
        dependency: "The agent runtime",
      });
    } catch (error) {
      if (error instanceof ServiceError && error.code === "dependency_unavailable") return null;
      throw error;
    }
  }
}
