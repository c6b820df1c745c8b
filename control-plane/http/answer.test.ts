import { pino } from "pino";
import { expect, it } from "vitest";
import type { ForwardedRequest } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { VirtualClock } from "#common/clock";
import { FailureLog } from "#common/http/failure-log";
import { LocalBus } from "#common/bus/testing/local-bus";
import { answerForwarded } from "./answer.js";
import { Router } from "./router.js";

it("logs an expected refusal in one line with its route, and the stack of a fault alone", async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const failing = (path: string, error: Error) => ({
    method: "GET" as const,
    path,
    scope: null,
    handle: () => Promise.reject(error),
  });
  const provider = new ServiceError("phone_provider_missing", {
    parameters: { provider: "Telephony", settings: "TWILIO_ACCOUNT_SID" },
  });
  const router = new Router([
    failing("/numbers/:id", provider),
    failing("/broken", new TypeError("undefined is none")),
    failing("/nothing", new ServiceError("not_found")),
  ]);
  const ask = async (path: string): Promise<number> => {
    const request: ForwardedRequest = {
      method: "GET",
      path,
      query: "",
      headers: {},
      body: new Uint8Array(0),
      bodyObject: null,
      principal: null,
    };
    return (await answerForwarded(router, new LocalBus(), log, new FailureLog(log, new VirtualClock()), request))
      .status;
  };
  expect([await ask("/numbers/secret-id"), await ask("/broken"), await ask("/nothing")]).toEqual([502, 500, 404]);
  expect(lines).toEqual([
    {
      level: 30,
      code: "phone_provider_missing",
      status: 502,
      refusal: "Telephony is not configured on this server: set TWILIO_ACCOUNT_SID",
      method: "GET",
      route: "/numbers/:id",
      msg: expect.any(String),
    },
    {
      level: 50,
      code: "internal",
      status: 500,
      method: "GET",
      route: "/broken",
      msg: expect.any(String),
      err: expect.objectContaining({ type: "TypeError", stack: expect.any(String) }),
    },
  ]);
});
