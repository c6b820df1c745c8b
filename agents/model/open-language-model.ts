import type { Logger } from "#common/log";
import { createOutbound, type StreamingOutbound } from "#common/outbound/outbound";
import type { Sealer } from "#common/secrets/sealer";
import type { ConversationPlan } from "#protocol/bus/conversation";
import { type LanguageModel, ModelError } from "./language-model.js";
import { chooseModel, hostEntry, type ModelChoice, type ModelSettings } from "./model-choice.js";
import { type CompletionClient, createCompletionClient, type ModelEndpoint } from "./openai-client.js";
import { defaultTimeouts, type ModelTimeouts, openAiModel } from "./openai-model.js";
import { openRetrievalModel } from "./retrieval/retrieval-model.js";

export interface LanguageModelOptions {
  plan: ConversationPlan;
  config: ModelSettings;
  /** For the agent's own model, whose address a user chose. */
  outbound: StreamingOutbound;
  sealer: Sealer;
  log: Logger;
  timeouts?: ModelTimeouts;
  /** Puts something between the model and its endpoint's client; nothing when absent. */
  wrapClient?: (client: CompletionClient, model: string) => CompletionClient;
}

/**
 * What answers in a conversation: the agent's own model, else the platform's, else the embedded responder
 * (docs/agents-models.md "Which model answers"). Opens no connection yet.
 */
export function openLanguageModel(options: LanguageModelOptions): LanguageModel {
  const { plan, config, sealer } = options;
  return openChosenModel(chooseModel(plan, config, sealer), plan.llmExtraBody, options);
}

/** The model that was chosen for a plan; `extraBody` has further fields of each request. Opens no connection yet. */
export function openChosenModel(
  choice: ModelChoice,
  extraBody: Readonly<Record<string, unknown>> | null,
  options: Omit<LanguageModelOptions, "config" | "sealer">,
): LanguageModel {
  const { plan, outbound, timeouts = defaultTimeouts, wrapClient = (client) => client } = options;
  const log = options.log.child({ sessionId: plan.sessionId });
  const open = (endpoint: ModelEndpoint, through: StreamingOutbound): LanguageModel => {
    const connection = through.keep(endpoint.baseUrl);
    return openAiModel({
      client: wrapClient(createCompletionClient(endpoint, connection, timeouts.totalMs), endpoint.model),
      connection,
      model: endpoint.model,
      ...{ extraBody, timeouts, log },
    });
  };
  switch (choice.kind) {
    case "custom":
      return open(choice.endpoint, outbound);
    case "platform":
      // The operator's own address may be private; users of the service have no say in it.
      return open(choice.endpoint, createOutbound({ allow: [], trusted: [hostEntry(choice.endpoint.baseUrl)], log }));
    case "locked":
      return lockedModel(choice.model);
    case "retrieval":
      return openRetrievalModel(plan);
  }
}

function lockedModel(name: string): LanguageModel {
  const answer = (): Promise<never> => Promise.reject(new ModelError("the key of the agent's model cannot be opened"));
  return { name, answer, warm: () => undefined, close: () => undefined };
}
