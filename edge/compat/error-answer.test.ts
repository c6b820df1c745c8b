import { describe, expect, it } from "vitest";
import { type ErrorCode, errorCatalogue, ServiceError } from "#protocol/errors";
import { renderElevenLabsError, renderOpenAiError } from "./error-answer.js";

const codes = Object.keys(errorCatalogue) as ErrorCode[];
const problems = [{ type: "missing", loc: ["body", "prosody", "speed"], msg: "Field required" }];
const nineWords =
  /^(invalid_request|unauthorized|voice_not_found|model_not_found|not_found|payload_too_large|rate_limit_error|upstream_error|provider_error)$/;
const parse = (body: Uint8Array): Record<string, Record<string, unknown>> =>
  JSON.parse(Buffer.from(body).toString()) as Record<string, Record<string, unknown>>;

describe("errors in other vendors' shapes", () => {
  it.each(codes)("%s has an integer code, a message and no 422 in OpenAI's", (code) => {
    const { status, headers, body } = renderOpenAiError(new ServiceError(code, { problems }));
    const { error } = parse(body);
    expect(error).toMatchObject({
      code: status,
      message: expect.stringMatching(/./),
      type: expect.stringMatching(/_error$/),
    });
    expect(status).not.toBe(422);
    expect(headers["content-type"]).toBe("application/json");
    if (errorCatalogue[code].status >= 500)
      expect(headers["x-should-retry"] === "false").toBe(!("retryable" in errorCatalogue[code]));
  });

  it.each(codes)("%s is a detail with a message and one of nine words in ElevenLabs'", (code) => {
    const { status, body } = renderElevenLabsError(new ServiceError(code, { problems }));
    expect(parse(body)).toEqual({
      detail: { status: expect.stringMatching(nineWords), message: expect.stringMatching(/./) },
    });
    expect(status).not.toBe(422);
  });

  it.each<[ErrorCode, number, string]>([
    ["validation", 400, "invalid_request"],
    ["malformed_json", 400, "invalid_request"],
    ["refused_parameter", 400, "invalid_request"],
    ["unsupported_format", 400, "invalid_request"],
    ["unsupported_media_type", 415, "invalid_request"],
    ["nothing_to_speak", 400, "invalid_request"],
    ["unauthenticated", 401, "unauthorized"],
    ["token_expired", 401, "provider_error"],
    ["out_of_credit", 402, "provider_error"],
    ["unknown_reference", 400, "provider_error"],
    ["voice_not_found", 404, "voice_not_found"],
    ["unknown_model", 404, "model_not_found"],
    ["not_found", 404, "not_found"],
    ["payload_too_large", 413, "payload_too_large"],
    ["text_buffer_full", 413, "payload_too_large"],
    ["too_many_requests", 429, "rate_limit_error"],
    ["overloaded", 503, "upstream_error"],
    ["no_worker", 503, "upstream_error"],
    ["engine_failed", 500, "provider_error"],
    ["internal", 500, "provider_error"],
  ])("%s is %i %s in ElevenLabs'", (code, status, word) => {
    const answer = renderElevenLabsError(new ServiceError(code, { problems }));
    expect([answer.status, parse(answer.body)["detail"]?.["status"]]).toEqual([status, word]);
  });

  it("tells a missing key from a wrong one", () => {
    expect(parse(renderOpenAiError(new ServiceError("unauthenticated")).body)["error"]).toMatchObject({
      code: 401,
      type: "authentication_error",
    });
    const wrong = {
      code: 401,
      type: "provider_error",
      message: "No permission",
      metadata: { provider_name: "fish-audio" },
    };
    expect(parse(renderOpenAiError(new ServiceError("invalid_token")).body)["error"]).toMatchObject(wrong);
    expect(parse(renderElevenLabsError(new ServiceError("unauthenticated")).body)["detail"]?.["status"]).toBe(
      "unauthorized",
    );
    expect(parse(renderElevenLabsError(new ServiceError("invalid_token")).body)["detail"]).toEqual({
      status: "provider_error",
      message: "No permission",
    });
  });

  it("names the field that is wrong, and when to come again", () => {
    expect(parse(renderOpenAiError(new ServiceError("validation", { problems })).body)["error"]).toMatchObject({
      code: 400,
      param: "prosody.speed",
      message: "prosody.speed: Field required",
      type: "invalid_request_error",
    });
    expect(parse(renderOpenAiError(new ServiceError("unknown_reference")).body)["error"]).toMatchObject({
      code: 400,
      param: "voice",
      message: expect.stringContaining("PARLEY_VOICE_ALIASES"),
    });
    expect(renderOpenAiError(new ServiceError("overloaded")).headers["retry-after"]).toBe("1");
  });
});
