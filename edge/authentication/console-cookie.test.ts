import { describe, expect, it } from "vitest";
import { sessionCookie, sessionToken } from "./console-cookie.js";

const token = "a".repeat(43);

function tokenOf(method: string | undefined, headers: Record<string, string>): string | null {
  const all: Record<string, string> = { host: "parley.example:8080", cookie: `parley_session=${token}`, ...headers };
  return sessionToken({ ...(method === undefined ? {} : { method }), header: (name) => all[name] });
}

describe("the cookie of the console", () => {
  it("counts for this service's own pages", () => {
    for (const method of ["GET", "POST", "DELETE"])
      expect([method, tokenOf(method, { origin: "http://parley.example:8080" })]).toEqual([method, token]);
    expect(tokenOf("POST", { origin: "https://PARLEY.example:8080" })).toBe(token);
    expect([tokenOf("GET", {}), tokenOf("HEAD", {})]).toEqual([token, token]);
  });

  it("counts for no other page, of the same site or not, and for nothing that changes things without an origin", () => {
    const origins = ["http://parley.example:3000", "http://evil.example", "null", "", "http://parley.example", "://"];
    for (const origin of origins)
      for (const method of ["GET", "POST"]) expect([origin, tokenOf(method, { origin })]).toEqual([origin, null]);
    for (const method of ["POST", "PUT", "PATCH", "DELETE", undefined]) expect(tokenOf(method, {})).toBeNull();
  });

  it("is found among others, and only whole", () => {
    expect(tokenOf("GET", { cookie: `a=b; parley_session=${token}; c="d=e"` })).toBe(token);
    for (const cookie of [
      "",
      "parley_session",
      "parley_session=",
      `parley_session=${token}a`,
      `x_parley_session=${token}`,
    ])
      expect([cookie, tokenOf("GET", { cookie })]).toEqual([cookie, null]);
  });

  it("is out of scripts' reach and, over https, never sent without", () => {
    expect(sessionCookie(token, true)).toBe(
      `parley_session=${token}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure`,
    );
    expect(sessionCookie(null, false)).toBe("parley_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
  });
});
