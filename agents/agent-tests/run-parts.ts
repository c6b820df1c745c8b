import type { TestRunResult } from "#protocol/agents/test-runs";
import type { TestRunJob } from "#protocol/bus/test-runs";
import type { NamedTool } from "../tools/named-tools.js";
import type { ScriptedPast } from "./scripted-past.js";
import type { TestModels } from "./test-models.js";
import type { TestedTools } from "./tested-tools.js";
import type { TextConversation, TextConversationOptions } from "./text-conversation.js";

/** What one run works with. */
export interface RunParts {
  definition: TestRunJob["definition"];
  models: TestModels;
  tools: TestedTools;
  /** The agent's tools, as the model calls them. */
  named: ReadonlyMap<string, NamedTool>;
  /** Ends the run where it is. */
  signal: AbortSignal;
  /** What the test's script says. */
  past(): ScriptedPast;
  /** Begins the conversation: anew, or where a script ends. */
  open(past: ScriptedPast | null, isDecided?: TextConversationOptions["isDecided"]): TextConversation;
}

/** What a kind of test finds out; the rest is the same for all. */
export type Finding = Partial<Omit<TestRunResult, "status" | "usage">> & Pick<TestRunResult, "status">;

/** The test cannot be run as things are; the message is for its owner. */
export class TestRunError extends Error {
  override readonly name = "TestRunError";
}
