import { describe, expect, it } from "vitest";
import { errorCatalogue } from "#protocol/errors";
import { refusalOf } from "./call-failure.js";

describe("why a session was refused", () => {
  const refused = [
    ["origin_not_allowed", "origin_forbidden"],
    ["origin_required", "origin_forbidden"],
    ["agent_not_public", "agent_not_public"],
    ["agent_not_published", "agent_not_public"],
    ["agent_unavailable", "agent_unavailable"],
    ["not_found", "agent_unavailable"],
    ["too_many_sessions", "too_many_calls"],
    ["too_many_requests", "too_many_calls"],
    ["no_agent_runtime", "busy"],
    ["agent_gateway_unreachable", "busy"],
  ] as const;

  it.each(refused)("is read from %s", (error, code) => {
    const { status, message } = errorCatalogue[error];
    expect(refusalOf(status, { status, message })).toMatchObject({ code, status, message });
  });

  it("is read from answers without words, and from a list of problems", () => {
    expect(refusalOf(502, null)).toMatchObject({ code: "busy", message: "The server answered with status 502" });
    expect(refusalOf(422, [{ msg: "too long" }])).toMatchObject({ code: "agent_unavailable" });
  });
});
