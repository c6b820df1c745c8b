import { describe, expect, it } from "vitest";
import { callsPath, filtersOf } from "./call-filters.js";

describe("filters of calls", () => {
  it("are what an address says, and nothing that it cannot mean", () => {
    const given = { agent_id: "a", status: "failed", direction: "inbound", from: "2026-01-02", to: "soon", page: 3 };
    expect(filtersOf(given)).toEqual({ agent_id: "a", status: "failed", direction: "inbound", from: "2026-01-02" });
    expect(filtersOf({ status: "No!", direction: "", agent_id: "", from: "2026-13-40" })).toEqual({});
  });

  it("ask for whole days where the reader is", () => {
    const query = new URL(callsPath({ from: "2026-01-02", to: "2026-01-03" }), "http://x").searchParams;
    const [after, before] = [query.get("created_after") ?? "", query.get("created_before") ?? ""];
    expect(new Date(after)).toEqual(new Date(2026, 0, 2));
    expect(new Date(before)).toEqual(new Date(2026, 0, 4));
  });

  it("stand in the address as it takes them", () => {
    expect(callsPath({ agent_id: "a&b" })).toBe("/v1/agent/sessions?agent_id=a%26b");
  });
});
