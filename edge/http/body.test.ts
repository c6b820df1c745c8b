import { describe, expect, it } from "vitest";
import { encodeMsgpack } from "#protocol/msgpack";
import type { ErrorCode, ServiceError } from "#protocol/errors";
import { joinTrace } from "#common/tracing/traceparent";
import { readBody } from "./body.js";
import type { HttpRequest } from "./exchange.js";

function requestWith(contentType: string | undefined, body: Uint8Array | string): HttpRequest {
  return {
    method: "POST",
    path: "/",
    query: "",
    header: (name) => (name === "content-type" ? contentType : undefined),
    remoteAddress: "127.0.0.1",
    trace: joinTrace(undefined),
    parameters: {},
    body: async () => (typeof body === "string" ? Buffer.from(body) : body),
    stream: () => expect.unreachable(),
  };
}

const read = (contentType: string | undefined, body: Uint8Array | string): Promise<unknown> =>
  readBody(requestWith(contentType, body), ["json", "msgpack"]);

const codeOf = (promise: Promise<unknown>): Promise<ErrorCode | null> =>
  promise.then(
    () => null,
    (error: ServiceError) => error.code,
  );

describe("readBody", () => {
  it.each([
    "application/json",
    "Application/JSON; charset=UTF-8",
    'application/json;charset="utf-8"',
  ])("reads %s", async (type) => {
    expect(await read(type, '{"text":"é"}')).toEqual({ text: "é" });
  });

  it.each(["application/msgpack", "application/x-msgpack", "application/vnd.msgpack"])("reads %s", async (type) => {
    expect(await read(type, encodeMsgpack({ text: "a", audio: Uint8Array.of(1, 2) }))).toEqual({
      text: "a",
      audio: Uint8Array.of(1, 2),
    });
  });

  it.each<[string, string | undefined, Uint8Array | string, ErrorCode]>([
    ["no content type", undefined, "{}", "unsupported_media_type"],
    ["no body", "application/json", "", "unsupported_media_type"],
    ["another media type", "text/plain", "{}", "unsupported_media_type"],
    ["a name that only begins like ours", "application/jsonx", "{}", "unsupported_media_type"],
    ["another charset", "application/json; charset=utf-16", "{}", "unsupported_media_type"],
    ["cut JSON", "application/json", '{"a":', "malformed_json"],
    ["JSON that is not UTF-8", "application/json", Uint8Array.of(0x22, 0xff, 0x22), "malformed_json"],
    ["JSON nested too deep", "application/json", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, "malformed_json"],
    ["JSON for MessagePack", "application/msgpack", '{"a":1}', "malformed_msgpack"],
    ["cut MessagePack", "application/msgpack", Uint8Array.of(0x81, 0xa1), "malformed_msgpack"],
  ])("refuses %s", async (_name, type, body, code) => {
    expect(await codeOf(read(type, body))).toBe(code);
  });

  it("refuses an encoding that the route does not take", async () => {
    expect(await codeOf(readBody(requestWith("application/msgpack", Uint8Array.of(0x80)), ["json"]))).toBe(
      "unsupported_media_type",
    );
  });
});
