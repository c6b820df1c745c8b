import { describe, expect, it } from "vitest";
import { systemVariables, toolCreate } from "#protocol/tools";
import { argumentValue, creationOf, hasField, newTool, testArguments, testNames } from "./tool-values.js";

describe("a new tool", () => {
  it("has every field that the server knows for its type, and fits once it is filled", () => {
    const webhook = { ...newTool, name: "Find an order", url: "https://a.example/" };
    expect(toolCreate.parse(creationOf(webhook))).toEqual(toolCreate.parse({ name: webhook.name, url: webhook.url }));
    const known = Object.keys(toolCreate.parse({ name: "a", tool_type: "integration", integration: "a:b" }));
    expect(known.filter((name) => !(name in newTool) && name !== "integration")).toEqual([]);
  });

  it("is sent without the fields of other types", () => {
    const client = { ...newTool, tool_type: "client", name: "show", url: "left over" };
    expect(hasField(client, "url")).toBe(false);
    expect(hasField(client, "arguments")).toBe(true);
    expect(creationOf(client)).not.toHaveProperty("url");
    expect(toolCreate.safeParse(creationOf(client)).success).toBe(true);
    const service = { ...newTool, tool_type: "integration", name: "mail", integration: "mail:send" };
    expect(creationOf(service)).toMatchObject({ integration: "mail:send" });
  });
});

describe("a test request", () => {
  it("takes JSON as JSON and anything else as text", () => {
    expect(["3", "true", "null", '{"a":1}', "[1]", "A-17", "", '"3"'].map(argumentValue)).toEqual([
      3,
      true,
      null,
      { a: 1 },
      [1],
      "A-17",
      "",
      '"3"',
    ]);
  });

  it("asks for declared arguments, and for system variables where the tool mentions them", () => {
    const tool = {
      ...newTool,
      arguments: [{ name: "order", description: "" }],
      body_template: '{"on": "{{system.today}}"}',
    };
    expect(testNames(tool, systemVariables)).toEqual(["order", "system.today"]);
    expect(testNames(newTool, systemVariables)).toEqual([]);
  });

  it("leaves out what nobody filled", () => {
    expect(testArguments({ order: "7", note: "", "system.today": "2026-01-31" })).toEqual({
      order: 7,
      system: { today: "2026-01-31" },
    });
    expect(testArguments({ note: "" })).toEqual({});
  });
});
