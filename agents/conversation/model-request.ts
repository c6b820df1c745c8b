import type { DialogueInput, DialogueMessage, ModelToolCall } from "../dialogue/input.js";
import { type LanguageModel, ModelError, type ModelMessage, type ModelTool } from "../model/language-model.js";

export interface ModelRequestOptions {
  model: LanguageModel;
  requestId: string;
  history: readonly DialogueMessage[];
  instruction: string | null;
  tools: readonly ModelTool[];
  /** Builds the messages; may ask others, and never rejects. */
  messagesFor(history: readonly DialogueMessage[], instruction: string | null): Promise<ModelMessage[]>;
  onInput(input: DialogueInput): void;
  /** Takes what is not the endpoint's failure. */
  onError(error: unknown): void;
}

/** Asks the model once, as an input of the dialogue for everything that comes back. Gives what drops the request. */
export function askModel(options: ModelRequestOptions): () => void {
  const { requestId, onInput } = options;
  const controller = new AbortController();
  const tell = (input: DialogueInput): void => {
    if (!controller.signal.aborted) onInput(input);
  };
  const ask = async (): Promise<void> => {
    const messages = await options.messagesFor(options.history, options.instruction);
    if (controller.signal.aborted) return;
    await options.model.answer({
      messages,
      tools: options.tools,
      signal: controller.signal,
      onText: (text) => tell({ type: "model-text", requestId, text }),
      onToolCall: (call: ModelToolCall) => tell({ type: "model-tool-call", requestId, call }),
    });
  };
  ask().then(
    () => tell({ type: "model-finished", requestId }),
    (error: unknown) => {
      if (!(error instanceof ModelError)) options.onError(error);
      tell({ type: "model-failed", requestId, detail: error instanceof ModelError ? error.message : "internal error" });
    },
  );
  return () => controller.abort();
}
