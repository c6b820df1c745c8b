import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { type ErrorCode, errorCatalogue, ServiceError } from "#protocol/errors";
import { VirtualClock } from "../clock.js";
import { FailureLog } from "./failure-log.js";

type Line = Record<string, unknown> & { level: number };

function openLog(): { lines: Line[]; clock: VirtualClock; failures: FailureLog } {
  const lines: Line[] = [];
  const log = pino(
    { base: null, timestamp: false, level: "debug" },
    { write: (line: string) => void lines.push(JSON.parse(line) as Line) },
  );
  const clock = new VirtualClock();
  return { lines, clock, failures: new FailureLog(log, clock) };
}

function logged(error: ServiceError): Line[] {
  const { lines, failures } = openLog();
  failures.note(error, { route: "/v1/tts", trace_id: "t" });
  return lines;
}

const [DEBUG, INFO, WARN, ERROR] = [20, 30, 40, 50];

describe("the log of failures", () => {
  it("shows the stack of what nobody foresaw, and of nothing else", () => {
    const [line, ...more] = logged(new ServiceError("internal", { cause: new TypeError("nothing is undefined") }));
    expect([line?.level, line?.["code"], line?.["route"], more]).toEqual([ERROR, "internal", "/v1/tts", []]);
    expect(line?.["err"]).toMatchObject({
      type: "TypeError",
      message: "nothing is undefined",
      stack: expect.stringContaining("failure-log.test"),
    });
    const expected = (Object.keys(errorCatalogue) as ErrorCode[]).filter(
      (code) => code !== "internal" && errorCatalogue[code].status >= 500,
    );
    expect(expected.length).toBeGreaterThan(8);
    for (const code of expected) {
      const lines = logged(
        new ServiceError(code, {
          parameters: { dependency: "The database", model: "s1", provider: "Telephony", attempts: 3 },
          cause: new Error("connect ECONNREFUSED"),
        }),
      );
      expect([
        code,
        lines.length,
        lines[0]?.level === INFO || lines[0]?.level === WARN,
        "err" in (lines[0] ?? {}),
      ]).toEqual([code, 1, true, false]);
      expect(JSON.stringify(lines)).not.toContain("failure-log.test");
    }
  });

  it("tells in one line what was refused where, and why", () => {
    const refusal = "The database is briefly unavailable";
    expect(
      logged(
        new ServiceError("dependency_unavailable", {
          parameters: { dependency: "The database" },
          cause: new Error("connect\n  ECONNREFUSED"),
        }),
      ),
    ).toEqual([
      {
        level: WARN,
        code: "dependency_unavailable",
        status: 503,
        refusal,
        cause: "Error: connect ECONNREFUSED",
        route: "/v1/tts",
        trace_id: "t",
        msg: "a request was refused: dependency_unavailable",
      },
    ]);
  });

  it("takes what the server lacks by its configuration for information", () => {
    for (const code of ["phone_provider_missing", "tests_cannot_run"] as const)
      expect(logged(new ServiceError(code)).map(({ level }) => level)).toEqual([INFO]);
    for (const code of ["overloaded", "no_worker", "draining", "engine_failed"] as const)
      expect(logged(new ServiceError(code)).map(({ level }) => level)).toEqual([WARN]);
  });

  it("does not log the caller's own mistakes", () => {
    for (const code of ["not_found", "validation", "unauthenticated", "too_many_requests"] as const)
      expect(logged(new ServiceError(code))).toEqual([]);
  });

  it("shows the first of many refusals, and every ten seconds how many more there were", () => {
    const { lines, clock, failures } = openLog();
    const refuse = (code: ErrorCode, times: number): void => {
      for (let i = 0; i < times; i++) failures.note(new ServiceError(code), { route: "/v1/tts" });
    };
    const shown = (): string[] => lines.splice(0).flatMap(({ level, msg }) => (level === DEBUG ? [] : [String(msg)]));
    refuse("overloaded", 4000);
    refuse("draining", 1);
    expect(lines.length).toBe(4001);
    expect(shown()).toEqual(["a request was refused: overloaded", "a request was refused: draining"]);
    clock.advance(10_000);
    expect(shown()).toEqual(["3999 more requests were refused in 10 s: overloaded"]);
    refuse("overloaded", 2);
    expect(shown()).toEqual([]);
    clock.advance(10_000);
    expect(shown()).toEqual(["2 more requests were refused in 10 s: overloaded"]);
    clock.advance(10_000);
    refuse("overloaded", 1);
    expect(shown()).toEqual(["a request was refused: overloaded"]);
    clock.advance(60_000);
    expect(shown()).toEqual([]);
  });
});
