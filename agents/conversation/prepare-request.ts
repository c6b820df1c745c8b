import type { TokenCounter } from "#common/text/token-count";
import type { ConversationPlan } from "#protocol/bus/conversation";
import type { Knowledge } from "../knowledge/create-knowledge.js";
import { buildMessages } from "../prompt/build-messages.js";
import { modelTools } from "../prompt/model-tools.js";
import type { PrepareRequest } from "./model-request.js";

/** What goes into each request to the model: the prompt, what is known about the caller's words, the tools. */
export function requestsOf(plan: ConversationPlan, knowledge: Knowledge, countTokens: TokenCounter): PrepareRequest {
  const tools = modelTools(plan);
  return async ({ history, instruction, instructionKind = null }) => {
    const passages = await knowledge.passagesFor(history);
    return {
      messages: buildMessages({ plan, history, passages, instruction, countTokens, now: new Date() }),
      tools,
      context: {
        passages,
        callerText: history.findLast((message) => message.role === "caller")?.text ?? null,
        instructionKind,
      },
    };
  };
}
