import type { Config } from "#common/config/config";
import type { Logger } from "#common/log";
import type { StreamingOutbound } from "#common/outbound/outbound";
import type { Sealer } from "#common/secrets/sealer";
import type { ConversationPlan } from "#protocol/bus/conversation";
import type { LanguageModel } from "../model/language-model.js";
import { chooseTestModel, type TestModelSettings } from "../model/model-choice.js";
import { openChosenModel, openLanguageModel } from "../model/open-language-model.js";
import { type AnswerFormat, structuredBody } from "../model/structured-answer.js";
import { UsageMeter } from "../model/usage-meter.js";

export interface TestModelOptions {
  plan: ConversationPlan;
  config: TestModelSettings & Pick<Config, "LLM_PRICES">;
  outbound: StreamingOutbound;
  sealer: Sealer;
  log: Logger;
}

/** The models of one run, and what they cost together. */
export interface TestModels {
  /** What answers, as in a call. */
  agent: LanguageModel;
  /** A model that gives structured answers; null where no language model is configured. */
  structured(part: "judge" | "caller", format: AnswerFormat<unknown>): LanguageModel | null;
  meter: UsageMeter;
  /** The run is over: no connection to a model stays. */
  close(): void;
}

/** Opens the models of a run. */
export function openTestModels(options: TestModelOptions): TestModels {
  const { plan, config, sealer } = options;
  const meter = new UsageMeter(config.LLM_PRICES);
  const metered = { ...options, wrapClient: (...given: Parameters<UsageMeter["metered"]>) => meter.metered(...given) };
  const agent = openLanguageModel(metered);
  const opened = [agent];
  return {
    agent,
    structured(part, format) {
      const choice = chooseTestModel(part, plan, config, sealer);
      if (choice.kind === "retrieval") return null;
      const model = openChosenModel(choice, structuredBody(format), metered);
      opened.push(model);
      return model;
    },
    meter,
    close() {
      for (const model of opened) model.close();
    },
  };
}
