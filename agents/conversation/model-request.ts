import type { DialogueAction } from "../dialogue/action.js";
import type { DialogueInput } from "../dialogue/input.js";
import { type LanguageModel, ModelError, type ModelRequest } from "../model/language-model.js";

export type AskModel = Extract<DialogueAction, { type: "ask-model" }>;

/** What a request to the model is made of; gathering it may take a moment, and never fails. */
export type PrepareRequest = (ask: AskModel) => Promise<Pick<ModelRequest, "messages" | "tools" | "context">>;

export interface ModelRequestOptions {
  model: LanguageModel;
  ask: AskModel;
  prepare: PrepareRequest;
  onInput(input: DialogueInput): void;
  /** Takes what is not the endpoint's failure. */
  onError(error: unknown): void;
}

/**
 * Asks the model once; everything that comes back is an input of the dialogue. Gives what drops the request: after it
 * nothing comes.
 */
export function askModel({ model, ask, prepare, onInput, onError }: ModelRequestOptions): () => void {
  const { requestId } = ask;
  const controller = new AbortController();
  const { signal } = controller;
  const tell = (input: DialogueInput): void => {
    if (!signal.aborted) onInput(input);
  };
  const answer = async (): Promise<void> => {
    const request = await prepare(ask);
    if (signal.aborted) return;
    await model.answer({
      ...request,
      signal,
      onText: (text) => tell({ type: "model-text", requestId, text }),
      onToolCall: (call) => tell({ type: "model-tool-call", requestId, call }),
    });
  };
  answer().then(
    () => tell({ type: "model-finished", requestId }),
    (error: unknown) => {
      if (!(error instanceof ModelError) && !signal.aborted) onError(error);
      tell({ type: "model-failed", requestId, detail: error instanceof ModelError ? error.message : "internal error" });
    },
  );
  return () => controller.abort();
}
