import { describe, expect, it } from "vitest";
import { hashOf, withToolReferences } from "./document.js";

describe("a document", () => {
  it("has the same hash whatever the order of its fields, and another one for other values", () => {
    const document = { name: "Ann", config: { a: 1, b: [1, 2] } };
    expect(hashOf({ config: { b: [1, 2], a: 1 }, name: "Ann" })).toBe(hashOf(document));
    expect(hashOf({ name: "Ann", config: { a: 1, b: [2, 1] } })).not.toBe(hashOf(document));
    expect(hashOf({ name: "Ann", config: { a: 1, b: null } })).not.toBe(hashOf(document));
  });

  it("names tools in an agent's list, and in each part of a test", () => {
    const translate = (id: string) => `${id}!`;
    expect(withToolReferences({ name: "x", config: { tools: { tool_ids: ["1", "2"] } } }, translate)).toEqual({
      name: "x",
      config: { tools: { tool_ids: ["1!", "2!"] } },
    });
    const tool = { id: "1", name: "weather", type: "webhook" };
    const changed = { ...tool, id: "1!" };
    const test = (named: object) => ({
      referenced_tool: named,
      tool_parameters: [{ name: "city", value: "Rome" }],
      simulation: {
        assertions: { tool_calls: [{ tool: named, params: [] }], forbidden_tools: [named], ended_by: null },
        tool_mocks: { tools: [{ tool: named, result: "sun" }] },
      },
    });
    expect(withToolReferences(test(tool), translate)).toEqual(test(changed));
  });
});
