import { describe, expect, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import { renderError } from "./error-body.js";

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe("renderError", () => {
  it("gives a missing credential a bare 401 that names the scheme", () => {
    const { status, headers, body } = renderError(new ServiceError("unauthenticated"));
    expect({ status, headers, length: body.length }).toEqual({
      status: 401,
      headers: { "www-authenticate": "Bearer" },
      length: 0,
    });
  });

  it("gives a bad credential the JSON shape", () => {
    const { status, body } = renderError(new ServiceError("invalid_token"));
    expect([status, textOf(body)]).toEqual([401, '{"status":401,"message":"Invalid token"}']);
  });

  it("gives a wrong content type nothing but the status", () => {
    expect(renderError(new ServiceError("unsupported_media_type"))).toEqual({
      status: 415,
      headers: {},
      body: new Uint8Array(0),
    });
  });

  it("gives validation errors as a top-level list, ctx always present", () => {
    const error = new ServiceError("validation", {
      problems: [{ type: "missing", loc: ["body", "title"], msg: "Field required" }],
    });
    const { status, body } = renderError(error);
    expect([status, JSON.parse(textOf(body))]).toEqual([
      422,
      [{ type: "missing", loc: ["body", "title"], msg: "Field required", ctx: {} }],
    ]);
  });

  it("rounds Retry-After up to whole seconds and carries a reason", () => {
    const { headers, body } = renderError(new ServiceError("overloaded", { retryAfterMs: 1200, reason: "busy" }));
    expect(headers["retry-after"]).toBe("2");
    expect(JSON.parse(textOf(body))).toEqual({ status: 503, message: "All speech capacity is in use", reason: "busy" });
  });
});
