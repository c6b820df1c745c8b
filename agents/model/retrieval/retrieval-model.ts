import { newIdentifier } from "#common/identifier";
import { agentConfig } from "#protocol/agents/config";
import type { ConversationPlan } from "#protocol/bus/conversation";
import { fillVariables } from "../../prompt/variables.js";
import { HANG_UP_TOOL } from "../../tools/named-tools.js";
import type { AnswerContext, LanguageModel } from "../language-model.js";
import { bestSentences } from "./best-sentences.js";
import { intentOf } from "./intent.js";
import { phrasesOf } from "./phrases.js";

/** What the embedded responder says, and whether the call is over then. */
export interface RetrievalReply {
  text: string;
  hangsUp: boolean;
}

/**
 * What answers where no language model is set: it quotes what the agent's documents say, says plainly when they say
 * nothing, and takes leave. It reads no prompts, and pretends nothing.
 */
export function openRetrievalModel(plan: ConversationPlan): LanguageModel {
  return {
    name: "parley-retrieval",
    warm: () => undefined,
    close: () => undefined,
    async answer({ messages, tools, context, signal, onText, onToolCall }) {
      // Whatever a tool gave, there is nothing to add to it: the only one that is called ends the call.
      if (signal.aborted || messages.at(-1)?.role === "tool") return;
      const nothingKnown: AnswerContext = { passages: [], callerText: null, instructionKind: null };
      const { text, hangsUp } = retrievalReply(plan, context ?? nothingKnown);
      onText(text);
      if (hangsUp && !signal.aborted && tools.some(({ name }) => name === HANG_UP_TOOL))
        onToolCall({ callId: newIdentifier(), name: HANG_UP_TOOL, arguments: "{}" });
    },
  };
}

/** Decides what is said. Pure. */
export function retrievalReply(plan: ConversationPlan, context: AnswerContext): RetrievalReply {
  const { passages, callerText, instructionKind } = context;
  const language = plan.config.voice.speaking_language;
  const phrases = phrasesOf(language);
  const say = (text: string, hangsUp = false): RetrievalReply => ({ text, hangsUp });
  if (instructionKind === "speak-up") return say(phrases.stillThere);
  if (instructionKind === "say-goodbye") return say(phrases.farewell);
  if (instructionKind === "greet" || callerText === null) return say(greetingOf(plan));
  switch (intentOf(callerText)) {
    case "goodbye":
      return say(phrases.farewell, true);
    case "thanks":
      return say(phrases.welcome);
    case "greeting":
      return say(phrases.greeting);
    case "question": {
      const found = bestSentences(callerText, passages, language);
      if (found === null) return say(phrases.noAnswer);
      return say(`${phrases.quote(titleOf(found.sourceName))} ${found.sentences.join(" ")}`);
    }
  }
}

const unconfigured = agentConfig.parse({}).prompt.first_message;

/** The agent's own first message; the one that every agent begins with is English, and is said in English only. */
function greetingOf(plan: ConversationPlan): string {
  const { config } = plan;
  const own = fillVariables(config.prompt.first_message, plan).trim();
  const isOwn = own !== "" && (config.voice.speaking_language === "en" || config.prompt.first_message !== unconfigured);
  return isOwn ? own : phrasesOf(config.voice.speaking_language).greeting;
}

/** `opening-hours.md` is read as "opening hours". */
function titleOf(sourceName: string): string {
  return sourceName
    .replace(/\.(md|markdown|txt)$/i, "")
    .replace(/[-_]+/g, " ")
    .trim();
}
