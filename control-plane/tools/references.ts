import type { DependentAgents } from "#protocol/paging";
import type { Records } from "../database/database.js";

/** What tools ask of the agents that may refer to them. `step` may be a transaction. */
export interface ToolReferences {
  /** Agents whose draft refers to a tool. */
  draftsReferencingTool(step: Records, teamId: string, toolId: string): Promise<DependentAgents["agents"]>;
  /** How many drafts refer to each of these tools; those with none may be left out. */
  countDraftsByTool(step: Records, teamId: string, toolIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Tools of an agent's draft; null where the team has no such agent. */
  toolsOfDraft(step: Records, teamId: string, agentId: string): Promise<readonly string[] | null>;
}
