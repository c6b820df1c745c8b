import { webcrypto } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signWebhook, verifyWebhook } from "./signature.js";

const NOW = 1_767_225_600;
const body = Buffer.from('{"event":"call.ended"}');
const header = signWebhook("topsecret", NOW, body);

/** The same scheme through another implementation of HMAC. */
async function secondOpinion(secret: string, time: number, bytes: Uint8Array): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await webcrypto.subtle.importKey("raw", Buffer.from(secret), algorithm, false, ["sign"]);
  const signed = await webcrypto.subtle.sign("HMAC", key, Buffer.concat([Buffer.from(`${time}.`), bytes]));
  return `t=${time},v1=${Buffer.from(signed).toString("hex")}`;
}

describe("webhook signatures", () => {
  it("are what openssl computes", () => {
    // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac key
    expect(signWebhook("key", 1_700_000_000, Buffer.from('{"a":1}'))).toBe(
      "t=1700000000,v1=a438e398bfafc57e4396bb7fc2304422f0f768e965d073ca313cb52e22e6ad03",
    );
  });

  it("agree with a second implementation and verify, whatever the secret and body", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: "grapheme" }), fc.uint8Array(), async (secret, bytes) => {
        const signature = signWebhook(secret, NOW, bytes);
        expect(signature).toBe(await secondOpinion(secret, NOW, bytes));
        expect(verifyWebhook(secret, signature, bytes, NOW)).toBe("valid");
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ["as sent", header, body, NOW, "valid"],
    ["five minutes late", header, body, NOW + 300, "valid"],
    ["more than five minutes late", header, body, NOW + 301, "stale"],
    ["more than five minutes early", header, body, NOW - 301, "stale"],
    ["with elements in another order", header.split(",").reverse().join(","), body, NOW, "valid"],
    ["with a scheme of the future beside it", `${header},v2=abc`, body, NOW, "valid"],
    ["with spaces", header.replace(",", " , "), body, NOW, "valid"],
    [
      "with an old secret's signature first",
      `t=${NOW},v1=${"0".repeat(64)},${header.split(",")[1] ?? ""}`,
      body,
      NOW,
      "valid",
    ],
    ["with only a scheme of the future", `t=${NOW},v2=${header.split("v1=")[1] ?? ""}`, body, NOW, "invalid"],
    ["with another body", header, Buffer.from('{"event":"call.ended" }'), NOW, "invalid"],
    ["with another time", header.replace(`t=${NOW}`, `t=${NOW + 1}`), body, NOW, "invalid"],
    ["of another secret", signWebhook("other", NOW, body), body, NOW, "invalid"],
    ["cut", header.slice(0, -2), body, NOW, "invalid"],
    ["without a time", header.split(",")[1] ?? "", body, NOW, "invalid"],
    ["with nonsense", "signature", body, NOW, "invalid"],
    ["empty", "", body, NOW, "missing"],
    ["absent", undefined, body, NOW, "missing"],
  ])("%s", (_name, signature, bytes, now, verdict) => {
    expect(verifyWebhook("topsecret", signature, bytes, now)).toBe(verdict);
  });
});
