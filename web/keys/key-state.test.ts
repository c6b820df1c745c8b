import { expect, it } from "vitest";
import { keyState } from "./key-state.js";

const now = Date.parse("2026-01-01T00:00:00Z");
const at = "2026-01-02T00:00:00Z";

it("knows which keys count", () => {
  expect(keyState({ revoked_at: null, expires_at: null }, now)).toEqual({ isGood: true, text: "good" });
  expect(keyState({ revoked_at: null, expires_at: at }, now)).toMatchObject({ isGood: true });
  expect(keyState({ revoked_at: null, expires_at: at }, Date.parse(at))).toEqual({ isGood: false, text: "expired" });
  expect(keyState({ revoked_at: at, expires_at: null }, now)).toEqual({ isGood: false, text: "revoked" });
});
