import { describe, expect, it } from "vitest";
import { agentUpdate } from "#protocol/agents/agent";
import { readingOrigin, requirePublicOrigin } from "./widget.js";

const agent = {
  status: "active" as const,
  publicEnabled: true,
  allowedOrigins: ["https://app.example.com", "http://localhost:5173"],
};

describe("requirePublicOrigin", () => {
  it.each([
    "https://app.example.com",
    "https://APP.example.com",
    "https://app.example.com:443",
    "http://localhost:5173",
    "http://localhost:5173/",
  ])("lets %s through", (origin) => {
    requirePublicOrigin(agent, origin);
  });

  it.each([
    ["http://app.example.com", "origin_not_allowed"],
    ["https://app.example.com:8443", "origin_not_allowed"],
    ["https://app.example.com.evil.com", "origin_not_allowed"],
    ["https://evil.com#https://app.example.com", "origin_not_allowed"],
    ["https://app.example.com@evil.com", "origin_not_allowed"],
    ["http://127.0.0.1:5173", "origin_not_allowed"],
    ["null", "origin_not_allowed"],
    ["", "origin_required"],
    [undefined, "origin_required"],
  ])("refuses %s with %s", (origin, code) => {
    expect(() => requirePublicOrigin(agent, origin)).toThrow(expect.objectContaining({ code }));
  });

  it("says first that an agent is not public", () => {
    for (const change of [{ publicEnabled: false }, { status: "archived" as const }]) {
      expect(() => requirePublicOrigin({ ...agent, ...change }, undefined)).toThrow(
        expect.objectContaining({ code: "agent_not_public" }),
      );
    }
  });
});

describe("the origin of a page that reads", () => {
  const own = { host: "parley.example:8443", "sec-fetch-site": "same-origin" };

  it("is the service's own where the browser says that they are the same", () => {
    expect(readingOrigin(own)).toBe("http://parley.example:8443");
    expect(readingOrigin({ ...own, "x-forwarded-proto": "https" })).toBe("https://parley.example:8443");
  });

  it("is what the browser names wherever it names one, and else nobody's", () => {
    expect(readingOrigin({ ...own, origin: "https://shop.example" })).toBe("https://shop.example");
    expect(readingOrigin({ ...own, origin: "" })).toBe("");
    for (const site of ["same-site", "cross-site", "none", "SAME-ORIGIN"])
      expect([site, readingOrigin({ ...own, "sec-fetch-site": site })]).toEqual([site, undefined]);
    expect(readingOrigin({ host: own.host })).toBeUndefined();
    expect(readingOrigin({ ...own, host: "a b" })).toBeUndefined();
  });
});

describe("allowed_origins", () => {
  it("are kept as browsers send them", () => {
    const { allowed_origins } = agentUpdate.parse({
      allowed_origins: [
        "https://APP.Example.com/",
        "http://localhost:80",
        "https://[::1]:8080",
        "https://bücher.example",
      ],
    });
    expect(allowed_origins).toEqual([
      "https://app.example.com",
      "http://localhost",
      "https://[::1]:8080",
      "https://xn--bcher-kva.example",
    ]);
  });

  it.each([
    "*",
    "https://*.example.com",
    "https://*.example.com/x",
    "example.com",
    "ftp://example.com",
    "https://a@b.com",
    "https://",
    "https://a.com/path",
    "https://a.com?x",
    "javascript:alert(1)",
  ])("refuse %s", (origin) => {
    expect(agentUpdate.safeParse({ allowed_origins: [origin] }).success).toBe(false);
  });
});
