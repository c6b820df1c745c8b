import { describe, expect, it } from "vitest";
import { corsHeaders, preflightHeaders } from "./cors.js";

describe("CORS", () => {
  it("lets every page read when every origin is allowed", () => {
    expect(corsHeaders({ allowedOrigins: ["*"] }, "https://a.example")).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "retry-after, x-request-id, x-generation-id",
    });
    expect(corsHeaders({ allowedOrigins: ["*"] }, undefined)).toEqual({});
  });

  it("names the one origin that asked, and tells caches so", () => {
    const policy = { allowedOrigins: ["https://a.example", "https://b.example"] };
    expect(corsHeaders(policy, "https://b.example")).toMatchObject({
      "access-control-allow-origin": "https://b.example",
      vary: "origin",
    });
    expect(corsHeaders(policy, "https://c.example")).toEqual({ vary: "origin" });
    expect(corsHeaders(policy, "https://a.example.evil.example")).toEqual({ vary: "origin" });
  });

  it("never puts a stranger's control characters into a header", () => {
    const headers = preflightHeaders(["GET"], "x\r\nset-cookie: a=b");
    expect(headers["access-control-allow-headers"]).not.toContain("set-cookie");
    expect(preflightHeaders(["GET"], "x-one, model")["access-control-allow-headers"]).toBe("x-one, model");
  });
});
