import { describe, expect, it } from "vitest";
import { errorCatalogue, type ErrorCode, fromErrorRecord, ServiceError, toErrorRecord } from "./errors.js";

const codes = Object.keys(errorCatalogue) as ErrorCode[];

describe("the error catalogue", () => {
  it.each(codes)("%s survives the bus", (code) => {
    const original = new ServiceError(code, {
      parameters: { detail: "d", limitBytes: 3 },
      reason: "r",
      retryAfterMs: 5,
    });
    const restored = fromErrorRecord(JSON.parse(JSON.stringify(toErrorRecord(original))));
    expect({ ...restored }).toEqual({ ...original });
    expect(restored.message).toBe(original.message);
  });

  it("makes 429 and 503 of what may succeed later, and of what this version lacks", () => {
    const lacking: ErrorCode[] = ["tests_cannot_run"];
    for (const code of codes) {
      const { status, retryable } = new ServiceError(code);
      expect([code, retryable || lacking.includes(code)]).toEqual([code, status === 429 || status === 503]);
    }
  });

  it("keeps what is not a ServiceError out of sight", () => {
    const record = toErrorRecord(new TypeError("secret detail"));
    expect(record.code).toBe("internal");
    expect(JSON.stringify(record)).not.toContain("secret");
  });
});
