import { describe, expect, it } from "vitest";
import { jsonRequest } from "../../speech/testing/speech-bench.js";
import { withBearer } from "./credentials.js";

const authorization = (headers: Record<string, string>, otherKey?: string): string | undefined =>
  withBearer(jsonRequest({}, headers), otherKey).header("authorization");

describe("a request with ElevenLabs' header", () => {
  it.each([
    ["alone", { "xi-api-key": "good" }, "Bearer good"],
    ["beside an empty Authorization", { "xi-api-key": "good", authorization: "" }, "Bearer good"],
    ["beside what a proxy asked for", { "xi-api-key": "good", authorization: "Basic YTpi" }, "Bearer good"],
    ["beside a bearer key, which wins", { "xi-api-key": "good", authorization: "Bearer own" }, "Bearer own"],
  ])("%s is one with a bearer key", (_, headers, expected) => {
    expect(authorization(headers)).toBe(expected);
  });

  it("is left as it is where no key came, and takes the query's key where one did", () => {
    expect(authorization({ authorization: "Basic YTpi" })).toBe("Basic YTpi");
    expect(authorization({})).toBeUndefined();
    expect(authorization({}, "asked")).toBe("Bearer asked");
    expect(authorization({ "xi-api-key": "header" }, "query")).toBe("Bearer header");
  });
});
