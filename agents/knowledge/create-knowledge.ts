import type { Bus } from "#common/bus/bus";
import { type Clock, systemClock } from "#common/clock";
import type { Logger } from "#common/log";
import { controlSubjects, type Reply } from "#protocol/bus/control";
import type {
  ConversationPlan,
  KnowledgePassage,
  SearchKnowledgeReply,
  SearchKnowledgeRequest,
} from "#protocol/bus/conversation";
import type { DialogueMessage } from "../dialogue/input.js";
import { searchQuery } from "./search-query.js";

/** Somebody waits for the reply: an answer without knowledge is better than a long silence. */
const SEARCH_TIMEOUT_MS = 400;
/** Passages that are asked for; the prompt takes as many as its budget holds. */
const PASSAGES = 6;
/** Queries that are remembered: one turn is asked about several times while it grows. */
const REMEMBERED_QUERIES = 4;

/** What an agent knows, as far as it concerns what is being said. */
export interface Knowledge {
  /**
   * Passages for the caller's last words, the best first; none where the agent has no knowledge, nothing fits, or the
   * search is late or fails. Never rejects.
   */
  passagesFor(history: readonly DialogueMessage[]): Promise<readonly KnowledgePassage[]>;
}

export interface KnowledgeOptions {
  bus: Pick<Bus, "request">;
  plan: ConversationPlan;
  log: Logger;
  clock?: Clock;
}

/** Searches the revisions that a conversation's plan pinned, through the control plane. */
export function createKnowledge({ bus, plan, log, clock = systemClock }: KnowledgeOptions): Knowledge {
  const isEnabled = plan.config.knowledge_base.enabled && plan.knowledge.length > 0;
  const remembered = new Map<string, Promise<readonly KnowledgePassage[] | null>>();

  const search = async (query: string): Promise<readonly KnowledgePassage[] | null> => {
    const request: SearchKnowledgeRequest = { teamId: plan.teamId, sources: plan.knowledge, query, limit: PASSAGES };
    try {
      const asked = bus.request<Reply<SearchKnowledgeReply>>(controlSubjects.searchKnowledge, request, {
        timeoutMs: SEARCH_TIMEOUT_MS,
        dependency: "The knowledge base",
      });
      const reply = await within(clock, SEARCH_TIMEOUT_MS, asked);
      if (reply?.ok === true) return reply.value.passages;
      log.warn(
        { sessionId: plan.sessionId, reason: reply === null ? "timeout" : reply.error.code },
        "a search of an agent's knowledge failed",
      );
    } catch (error) {
      const reason = error instanceof Error ? error.name : "unknown";
      log.warn({ sessionId: plan.sessionId, reason }, "a search of an agent's knowledge failed");
    }
    return null;
  };

  return {
    async passagesFor(history) {
      const query = isEnabled ? searchQuery(history) : null;
      if (query === null) return [];
      const known = remembered.get(query);
      if (known !== undefined) return (await known) ?? [];
      const asked = search(query);
      remembered.set(query, asked);
      const [oldest] = remembered.keys();
      if (remembered.size > REMEMBERED_QUERIES && oldest !== undefined) remembered.delete(oldest);
      const passages = await asked;
      // The next request for the same words may fare better.
      if (passages === null && remembered.get(query) === asked) remembered.delete(query);
      return passages ?? [];
    },
  };
}

/** What the promise gives, or null where that takes longer. */
function within<T>(clock: Clock, limitMs: number, promise: Promise<T>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, () => resolve(null));
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
