import { describe, expect, it } from "vitest";
import { messageOf, newTrace, problemsOf } from "./request.js";

describe("what a refused request says", () => {
  it("is the server's own message", () => {
    expect(messageOf(402, { status: 402, message: "Out of API credit" })).toBe("Out of API credit");
  });

  it("names each field of a list of problems", () => {
    const problems = [{ loc: ["body", "speed"], msg: "Input should be less than or equal to 2" }, { loc: ["body"] }];
    expect(messageOf(422, problems)).toBe("speed: Input should be less than or equal to 2; : is not valid");
  });

  it("is tied to the fields that it names", () => {
    expect(problemsOf([{ loc: ["body", "tools", 2, "name"], msg: "Too long" }])).toEqual([
      { path: ["tools", "2", "name"], message: "Too long" },
    ]);
    expect(problemsOf({ status: 402, message: "Out of API credit" })).toEqual([]);
  });

  it("is in words where the answer is nothing but a status", () => {
    expect(messageOf(401, undefined)).toContain("not signed in");
    expect(messageOf(502, undefined)).toBe("The server answered with status 502");
  });

  it("carries a trace id, which is what it can be found by", () => {
    const { traceId, header } = newTrace((bytes) => bytes.fill(0xab));
    expect([traceId, header]).toEqual(["ab".repeat(16), `00-${"ab".repeat(16)}-${"ab".repeat(8)}-01`]);
  });
});
