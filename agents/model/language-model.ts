import type { KnowledgePassage } from "#protocol/bus/conversation";
import type { InstructionKind } from "../dialogue/action.js";
import type { ModelToolCall } from "../dialogue/input.js";

/** A request to whatever answers. Messages are OpenAI's (`chat.completions`). */
export interface ModelRequest {
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  /** The same for a responder that reads no prompts; absent is nothing known. */
  context?: AnswerContext;
  signal: AbortSignal;
  onText(text: string): void;
  onToolCall(call: ModelToolCall): void;
}

/** What is to be answered, apart from how it is worded. */
export interface AnswerContext {
  /** What was found for the caller's words, the best first. */
  passages: readonly KnowledgePassage[];
  /** What the caller said last; null where they have said nothing yet. */
  callerText: string | null;
  /** What the reply is for, where it is no answer to the caller. */
  instructionKind: InstructionKind | null;
}

export type ModelMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string; toolCalls: readonly ModelToolCall[] }
  | { role: "tool"; callId: string; content: string };

/** A function that the model may call; `parameters` is JSON Schema. */
export interface ModelTool {
  name: string;
  description: string;
  parameters: object;
}

/** What answers in a conversation. */
export interface LanguageModel {
  /** What the session says answered: a model's name, or `parley-retrieval`. */
  readonly name: string;
  /**
   * Asks; resolves when the answer is complete. Tries once more where nothing has come yet. Throws `ModelError`; when
   * `signal` fires it resolves or throws, and calls back no more.
   */
  answer(request: ModelRequest): Promise<void>;
  /** A request may come soon: whatever takes time before it is done now. Never fails. */
  warm(): void;
  /** No request comes any more; what is under way ends. */
  close(): void;
}

/**
 * The endpoint failed: it is away, too slow, refuses, or sends what cannot be read. The message holds no secret and no
 * prompt.
 */
export class ModelError extends Error {
  override readonly name = "ModelError";
}
