import { describe, expect, it } from "vitest";
import { testDefinition } from "#protocol/agents/tests";
import { checkAssertions, hasParameters, judgeToolTest, type MadeCall } from "./expected-calls.js";

const made = (name: string, input: Record<string, unknown> = {}): MadeCall => ({
  tool: { functionName: name, id: `id-${name}`, type: "webhook", name },
  input,
});
const reference = (id: string, name = "") => ({ id, name, type: "webhook" as const, description: "" });

describe("parameters of a call", () => {
  it.each([
    [{ city: "Rome" }, [["city", "Rome"]], true],
    [{ city: " Rome ", more: 1 }, [["city", "Rome"]], true],
    [{ city: "rome" }, [["city", "Rome"]], false],
    [{}, [["city", "Rome"]], false],
    [{ n: 3 }, [["n", "3"]], true],
    [{ n: "3" }, [["n", 3]], true],
    [{ n: "3.0" }, [["n", 3]], true],
    [{ n: "" }, [["n", 0]], false],
    [{ yes: "true" }, [["yes", true]], true],
    [{ yes: "no" }, [["yes", false]], false],
    [{ city: ["Rome"] }, [["city", "Rome"]], false],
    [
      { a: "1" },
      [
        ["a", "1"],
        ["b", "2"],
      ],
      false,
    ],
    [{}, [["toString", "x"]], false],
    [{}, [], true],
  ] as [
    Record<string, unknown>,
    [string, string | number | boolean][],
    boolean,
  ][])("%j has %j: %s", (input, expected, has) => {
    expect(
      hasParameters(
        input,
        expected.map(([name, value]) => ({ name, value })),
      ),
    ).toBe(has);
  });
});

describe("a test of a tool", () => {
  const parameters = [{ name: "city", value: "Rome" }];
  it.each([
    ["the call", [made("a", { city: "Rome" })], false, true],
    ["no call", [], false, false],
    ["another tool", [made("b", { city: "Rome" })], false, false],
    ["other parameters", [made("a", { city: "Paris" })], false, false],
    ["one of several", [made("a", { city: "Paris" }), made("a", { city: "Rome" })], false, true],
    ["no call, as wanted", [], true, true],
    ["other parameters, as wanted", [made("a", { city: "Paris" })], true, true],
    ["the call, not wanted", [made("a", { city: "Rome" })], true, false],
  ] as const)("%s", (_, calls, mustBeAbsent, passed) => {
    expect(judgeToolTest({ tool: reference("id-a"), parameters, mustBeAbsent }, calls).passed).toBe(passed);
  });

  it("finds a tool by its name where its id is another server's", () => {
    const test = { parameters: [], mustBeAbsent: false };
    expect(judgeToolTest({ ...test, tool: reference("elsewhere", "a") }, [made("a")]).passed).toBe(true);
    expect(judgeToolTest({ ...test, tool: reference("elsewhere") }, [made("a")]).passed).toBe(false);
  });
});

describe("what a simulation asserts", () => {
  const check = (assertions: object, calls: readonly MadeCall[], endedBy = "user") => {
    const definition = testDefinition.parse({
      ...{ name: "t", test_type: "simulation", simulation: { scenario: "s", assertions } },
    });
    if (definition.simulation === null) throw new Error("no simulation");
    return checkAssertions(definition.simulation.assertions, calls, endedBy).map(({ passed }) => passed);
  };
  const a = { id: "id-a" };
  it.each([
    [{ tool_calls: [{ tool: a }] }, [], [false]],
    [{ tool_calls: [{ tool: a }] }, [made("a"), made("a")], [true]],
    [{ tool_calls: [{ tool: a, max_calls: 1 }] }, [made("a"), made("a")], [false]],
    [{ tool_calls: [{ tool: a, min_calls: 0, max_calls: 0 }] }, [], [true]],
    [
      { tool_calls: [{ tool: a, params: [{ name: "n", value: 1 }], max_calls: 1 }] },
      [made("a", { n: 1 }), made("a")],
      [true],
    ],
    [{ forbidden_tools: [a] }, [made("b")], [true]],
    [{ forbidden_tools: [a] }, [made("a")], [false]],
    [{ ended_by: "user" }, [], [true]],
    [{ ended_by: "agent" }, [], [false]],
    [{}, [made("a")], []],
  ] as [object, MadeCall[], boolean[]][])("%j of %j", (assertions, calls, passed) => {
    expect(check(assertions, calls)).toEqual(passed);
  });
});
