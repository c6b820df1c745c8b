import { describe, expect, it } from "vitest";
import { type ErrorCode, errorCatalogue, ServiceError } from "#protocol/errors";
import { renderElevenLabsError, renderOpenAiError } from "./error-answer.js";

const codes = Object.keys(errorCatalogue) as ErrorCode[];
const problems = [{ type: "missing", loc: ["body", "prosody", "speed"], msg: "Field required" }];
const parse = (body: Uint8Array): Record<string, Record<string, unknown>> => JSON.parse(Buffer.from(body).toString()) as Record<string, Record<string, unknown>>;

describe("errors in other vendors' shapes", () => {
  it.each(codes)("%s has an integer code, a message and no 422 in OpenAI's", (code) => {
    const { status, headers, body } = renderOpenAiError(new ServiceError(code, { problems }));
    const { error } = parse(body);
    expect(error).toMatchObject({ code: status, message: expect.stringMatching(/./), type: expect.stringMatching(/_error$/) });
    expect(status).not.toBe(422);
    expect(headers["content-type"]).toBe("application/json");
    if (errorCatalogue[code].status >= 500) expect(headers["x-should-retry"] === "false").toBe(!("retryable" in errorCatalogue[code]));
  });

  it.each(codes)("%s is a detail with a status and a message in ElevenLabs'", (code) => {
    const { body } = renderElevenLabsError(new ServiceError(code, { problems }));
    expect(parse(body)).toEqual({ detail: { status: expect.stringMatching(/./), message: expect.stringMatching(/./) } });
  });

  it("tells a missing key from a wrong one", () => {
    expect(parse(renderOpenAiError(new ServiceError("unauthenticated")).body)["error"]).toMatchObject({ code: 401, type: "authentication_error" });
    const wrong = { code: 401, type: "provider_error", message: "No permission", metadata: { provider_name: "fish-audio" } };
    expect(parse(renderOpenAiError(new ServiceError("invalid_token")).body)["error"]).toMatchObject(wrong);
    expect(parse(renderElevenLabsError(new ServiceError("unauthenticated")).body)["detail"]?.["status"]).toBe("unauthorized");
    expect(parse(renderElevenLabsError(new ServiceError("invalid_token")).body)["detail"]).toEqual({ status: "provider_error", message: "No permission" });
  });

  it("names the field that is wrong, and when to come again", () => {
    expect(parse(renderOpenAiError(new ServiceError("validation", { problems })).body)["error"]).toMatchObject({
      code: 400, param: "prosody.speed", message: "prosody.speed: Field required", type: "invalid_request_error",
    });
    expect(renderOpenAiError(new ServiceError("overloaded")).headers["retry-after"]).toBe("1");
  });
});
