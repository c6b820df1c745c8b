import { describe, expect, it } from "vitest";
import { type ErrorCode, errorCatalogue, ServiceError } from "#protocol/errors";
import { realtimeError, realtimeErrorBody } from "./realtime-error.js";

const codes = Object.keys(errorCatalogue) as ErrorCode[];
const vendorCodes = [
  "audio_unintelligible",
  "insufficient_quota",
  "invalid_api_key",
  "invalid_value",
  "model_not_found",
  "rate_limit_exceeded",
  "string_above_max_length",
  null,
];
const problems = [{ type: "missing", loc: ["body", "voice"], msg: "Field required" }];

describe("errors on a realtime socket", () => {
  it.each(codes)("%s has a code of OpenAI's or none, and says what is wrong", (code) => {
    const body = realtimeErrorBody(new ServiceError(code, { problems }));
    expect(vendorCodes).toContain(body.code);
    expect(body).toMatchObject({
      type: expect.stringMatching(/_error$/),
      message: expect.stringMatching(/./),
      param: "voice",
    });
  });

  it.each<[ErrorCode, string, string | null]>([
    ["unusable_audio", "transcription_error", "audio_unintelligible"],
    ["out_of_credit", "invalid_request_error", "insufficient_quota"],
    ["token_expired", "invalid_request_error", "invalid_api_key"],
    ["too_many_requests", "invalid_request_error", "rate_limit_exceeded"],
    ["unknown_language", "invalid_request_error", "invalid_value"],
    ["missing_scope", "invalid_request_error", null],
    ["no_worker", "server_error", null],
    ["transcription_failed", "server_error", null],
    ["internal", "server_error", null],
  ])("%s is %s, %s", (code, type, vendorCode) => {
    expect(realtimeErrorBody(new ServiceError(code))).toMatchObject({ type, code: vendorCode });
  });

  it("keep the reasons that are set for them, and not those of other protocols", () => {
    expect(realtimeErrorBody(realtimeError("invalid_speed", "too fast", "session.speed"))).toMatchObject({
      type: "invalid_request_error",
      code: "invalid_speed",
      message: "too fast",
      param: "session.speed",
    });
    expect(realtimeErrorBody(new ServiceError("overloaded", { reason: "rate_limit_exceeded" }))).toMatchObject({
      type: "server_error",
      code: "rate_limit_exceeded",
    });
    expect(realtimeErrorBody(new ServiceError("unusable_audio", { reason: "too_long" }))).toMatchObject({
      code: "audio_unintelligible",
    });
  });
});
