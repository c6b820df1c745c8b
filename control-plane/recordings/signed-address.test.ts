import { describe, expect, it } from "vitest";
import { createSealer } from "#common/secrets/sealer";
import { isSignedAddress, signedPath } from "./signed-address.js";

const sealer = createSealer(["k".repeat(32)]);
const [now, expiresAt] = [new Date("2026-11-22T10:00:00Z"), new Date("2026-11-22T10:15:00Z")];

function partsOf(path: string) {
  const url = new URL(path, "http://edge.example");
  const [, sessionId = "", role = ""] = /recordings\/(\w+)\/(\w+)$/.exec(url.pathname) ?? [];
  const [expires, signature] = ["expires", "signature"].map((name) => url.searchParams.get(name) ?? "");
  return { sessionId, role, expires: expires ?? "", signature: signature ?? "" };
}

describe("a download address", () => {
  const parts = partsOf(signedPath(sealer, { sessionId: "a1", role: "user", expiresAt }));

  it("is good until it expires", () => {
    expect(isSignedAddress(sealer, parts, now)).toBe(true);
    expect(isSignedAddress(sealer, parts, new Date(expiresAt.getTime() - 1))).toBe(true);
    expect(isSignedAddress(sealer, parts, expiresAt)).toBe(false);
  });

  it.each([
    { sessionId: "a2" },
    { role: "agent" },
    { expires: String(Number(parts.expires) + 1) },
    { expires: `${parts.expires}0` },
    { expires: "" },
    { expires: "Infinity" },
    { signature: "" },
    { signature: parts.signature.slice(1) },
    { sessionId: 'a1","user' },
  ])("is none with %j", (change) => {
    expect(isSignedAddress(sealer, { ...parts, ...change }, now)).toBe(false);
  });

  it("of another key is none", () => {
    expect(isSignedAddress(createSealer(["o".repeat(32)]), parts, now)).toBe(false);
  });
});
