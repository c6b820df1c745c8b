import { describe, expect, it } from "vitest";
import { apiKeyPrefix, generateApiKey, isWellFormedApiKey } from "./api-key.js";

describe("API keys", () => {
  it("are well formed, distinct, and safe in a header", () => {
    const keys = Array.from({ length: 200 }, generateApiKey);
    expect(new Set(keys).size).toBe(200);
    expect(keys.every((key) => isWellFormedApiKey(key) && /^pk_[0-9A-Za-z]{61}$/.test(key))).toBe(true);
  });

  it("show a wrong copy at every position", () => {
    const key = generateApiKey();
    for (let index = 3; index < key.length; index++) {
      const wrong = key[index] === "a" ? "b" : "a";
      expect(isWellFormedApiKey(key.slice(0, index) + wrong + key.slice(index + 1))).toBe(false);
    }
    expect(isWellFormedApiKey(key.slice(0, -1))).toBe(false);
  });

  it("show a prefix without anything of the secret", () => {
    const key = generateApiKey();
    expect(apiKeyPrefix(key)).toBe(key.slice(0, 15));
    expect(apiKeyPrefix("my-own-development-key")).toBe("my-o…");
    expect(apiKeyPrefix("abc")).toBe("…");
  });
});
