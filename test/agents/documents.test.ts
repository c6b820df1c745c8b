import { describe, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { controlRoutes } from "#control-plane/service";
import { operations } from "#protocol/operations/operations";
import { silentLog } from "../control-plane/databases.js";
import { standInRecognizers, testDoors } from "../control-plane/service.js";
import { checkOwn, checkUpstream, type Exchange } from "./documents.js";

const agent = {
  agent_id: "a",
  workspace_id: "w",
  name: "n",
  description: "",
  status: "active",
  publication_state: "draft",
  public_enabled: false,
  allowed_origins: [],
  overrides_allowed: [],
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z",
};
const answer = (status: number, value: unknown, path = "/v1/agent/agents/a"): Exchange => ({
  ...{ method: "GET", path, status },
  contentType: value === "" ? undefined : "application/json",
  text: value === "" ? "" : JSON.stringify(value),
});

describe("answers held against our own description", () => {
  it("fit", () => {
    expect(checkOwn(answer(200, agent))).toBeNull();
    expect(checkOwn(answer(404, { status: 404, message: "Not found" }))).toBeNull();
    expect(checkOwn(answer(401, ""))).toBeNull();
  });

  it.each([
    [answer(200, { ...agent, status: "asleep" }), "status"],
    [answer(200, { ...agent, created_at: "yesterday" }), "created_at"],
    [answer(200, { ...agent, secret: 1 }), "additional properties"],
    [answer(200, { agent_id: "a" }), "required"],
    [answer(418, agent), "not documented"],
    [answer(404, { error: "x" }), "required"],
    [answer(200, ""), "no body"],
    [answer(200, agent, "/v1/agent/nothing"), "unknown"],
  ])("or are told apart: %j", (exchange, finding) => {
    expect(checkOwn(exchange)).toContain(finding);
  });

  it("are described for every route of the platform, and for no other", () => {
    const routes = controlRoutes({
      ...{ bus: { objects: () => null } as never, db: null as never, developmentKey: null },
      ...{ clock: systemClock, log: silentLog, ...standInRecognizers, now: () => new Date(), ...testDoors() },
    });
    const anonymous = (path: string): string => path.replace(/:\w+|\{\w+\}/g, "{}");
    const named = (list: readonly { method: string; path: string }[]): string[] =>
      list
        .filter(({ path }) => path.startsWith("/v1/agent/"))
        .map(({ method, path }) => `${method} ${anonymous(path)}`)
        .sort();
    expect(named(operations)).toEqual(named(routes));
    expect(named(routes).length).toBeGreaterThan(35);
  });
});

describe.skipIf(checkUpstream === null)("answers held against the vendor's description", () => {
  it("fit, or are told apart", () => {
    expect(checkUpstream?.(answer(200, agent))).toBeNull();
    expect(checkUpstream?.(answer(200, { ...agent, publication_state: "other" }))).toContain("publication_state");
    expect(checkUpstream?.(answer(200, { ...agent, agent_id: undefined }))).toContain("required");
    expect(checkUpstream?.(answer(202, agent))).toBe("202 is not documented");
    expect(checkUpstream?.(answer(200, agent, "/v1/agent/tests/t"))).toBe("unknown");
  });
});
