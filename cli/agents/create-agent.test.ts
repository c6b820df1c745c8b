import { describe, expect, it } from "vitest";
import { configPatch } from "#protocol/agents/config-patch";
import { parseCommandLine } from "../command.js";
import { agentsCommand } from "../commands/agents.js";
import { configOf, readNewAgent } from "./create-agent.js";

function read(...args: string[]) {
  const { positionals, values } = parseCommandLine(agentsCommand, args);
  return readNewAgent(positionals, values);
}

describe("the arguments of agents create", () => {
  it("are a name, and what differs from any other agent", () => {
    const nothing = { prompt: undefined, greeting: undefined, voiceId: undefined, language: undefined };
    expect(read("Ann")).toEqual({ name: "Ann", ...nothing, knowledgeFiles: [], isPublic: false });
    expect(
      read("Ann", "--prompt", "@ann.txt", "--greeting", "Hi.", "--voice", "v1", "--language", "de", "--public"),
    ).toEqual({
      ...{ name: "Ann", prompt: "@ann.txt", greeting: "Hi.", voiceId: "v1", language: "de" },
      ...{ knowledgeFiles: [], isPublic: true },
    });
  });

  it("name documents after one option, or with several", () => {
    expect(read("Ann", "--knowledge", "a.md", "b.md").knowledgeFiles).toEqual(["a.md", "b.md"]);
    expect(read("Ann", "--knowledge", "a.md", "--knowledge", "b.md").knowledgeFiles).toEqual(["a.md", "b.md"]);
  });

  it.each([
    [[], "say: agents create NAME"],
    [[" "], "say: agents create NAME"],
    [["Ann", "Bob"], "too many arguments: Bob"],
    [["Ann", "--language", "xx"], '--language is one of en, ja, zh, ko, es, fr, de, not "xx"'],
  ])("%j are refused", (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });

  it("make a configuration that the service takes", () => {
    expect(configOf(read("Ann"), undefined, [])).toEqual({ prompt: {}, voice: {} });
    const asked = read("Ann", "--greeting", "Hi.", "--voice", "v1", "--language", "de");
    const config = configOf(asked, "You are Ann.", ["k1"]);
    expect(configPatch.parse(config)).toEqual({
      prompt: { system_prompt: "You are Ann.", first_message_mode: "fixed", first_message: "Hi." },
      voice: { voice_id: "v1", speaking_language: "de" },
      knowledge_base: { enabled: true, knowledge_source_ids: ["k1"] },
    });
  });
});
