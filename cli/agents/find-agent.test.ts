import { describe, expect, it } from "vitest";
import type { AgentEntity } from "#protocol/agents/agent";
import { chooseByName } from "./find-agent.js";

const agent = (agent_id: string, name: string): AgentEntity => ({
  ...{ agent_id, name, workspace_id: "w", description: "", status: "active", publication_state: "live" },
  ...{ public_enabled: false, allowed_origins: [], overrides_allowed: [], created_at: "", updated_at: "" },
});
const agents = [agent("1", "Ann"), agent("2", "ANN"), agent("3", "Bob"), agent("4", "Cleo"), agent("5", "Cleo")];

describe("an agent's name", () => {
  it("names the one that has it, whatever others have in other letters", () => {
    expect(chooseByName(agents, "Ann").agent_id).toBe("1");
    expect(chooseByName(agents, "bob").agent_id).toBe("3");
  });

  it("does not do where none has it, or several", () => {
    expect(() => chooseByName(agents, "An")).toThrow('there is no agent "An"');
    expect(() => chooseByName(agents, "ann")).toThrow(/2 agents are named "ann".*\n {2}1\n {2}2$/);
    expect(() => chooseByName(agents, "Cleo")).toThrow(/\n {2}4\n {2}5$/);
  });
});
