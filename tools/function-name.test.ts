import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toolTypes } from "#protocol/tools";
import { deriveFunctionName, functionNames } from "./function-name.js";

const pattern = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

describe("deriveFunctionName", () => {
  it.each([
    ["create_ticket", "create_ticket"],
    ["Look up an order", "Look_up_an_order"],
    ["  Prüfe Café-Status! ", "Prufe_Cafe-Status"],
    ["2nd opinion", "tool_2nd_opinion"],
    ["_transfer_call", "transfer_call"],
    ["---", "tool"],
    ["查询订单", "tool"],
    ["x".repeat(120), "x".repeat(64)],
  ])("%j gives %s", (name, expected) => {
    expect(deriveFunctionName(name)).toBe(expected);
  });
});

describe("functionNames", () => {
  it("numbers what is taken and leaves client tools their own names", () => {
    const names = functionNames([
      { id: "1", toolType: "webhook", name: "Open page" },
      { id: "2", toolType: "webhook", name: "open-page" },
      { id: "3", toolType: "client", name: "Open_page" },
      { id: "4", toolType: "integration", name: "open page" },
    ]);
    expect(Object.fromEntries(names)).toEqual({ 1: "Open_page_2", 2: "open-page", 3: "Open_page", 4: "open_page_3" });
  });

  it("gives every tool a name of its own that models accept", () => {
    const name = fc.oneof(fc.string({ maxLength: 70 }), fc.constantFrom("a", "A", "a_2", "é"));
    const tool = fc.record({ toolType: fc.constantFrom(...toolTypes), name });
    fc.assert(
      fc.property(fc.array(tool, { maxLength: 30 }), (given) => {
        const allowed = given.map((one) =>
          one.toolType === "client" ? { ...one, name: deriveFunctionName(one.name) } : one,
        );
        const named = allowed.map((one, index) => ({ ...one, id: String(index) }));
        const names = [...functionNames(named).values()];
        expect(names.every((name) => pattern.test(name))).toBe(true);
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(given.length);
        expect([...functionNames(named).values()]).toEqual(names);
      }),
    );
  });
});
