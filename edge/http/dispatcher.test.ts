import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { ServiceError } from "#protocol/errors";
import { VirtualClock } from "#common/clock";
import type { Logger } from "#common/log";
import { jsonRequest, RecordingResponder } from "../speech/testing/speech-bench.js";
import { Dispatcher, type ExchangeRecord } from "./dispatcher.js";
import type { AnswerShape, HttpRoute } from "./exchange.js";

type Line = Record<string, unknown> & { level: number };

/** A dispatcher over a few routes, with what it logs and reports. */
function serve(routes: HttpRoute[], shapes: AnswerShape[] = []) {
  const clock = new VirtualClock();
  const lines: Line[] = [];
  const records: ExchangeRecord[] = [];
  const dispatcher = new Dispatcher({
    routes,
    shapes,
    sockets: [
      { path: "/v1/tts/live", maxFrameBytes: 1, upgrade: () => Promise.reject(new ServiceError("unauthenticated")) },
    ],
    cors: { allowedOrigins: ["https://console.example"] },
    log: pino(
      { base: null, timestamp: false },
      { write: (line: string) => void lines.push(JSON.parse(line) as Line) },
    ) as Logger,
    observer: { began: () => undefined, ended: (record) => void records.push(record) },
    clock,
  });
  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<RecordingResponder> => {
    const responder = new RecordingResponder();
    dispatcher.answer({ ...jsonRequest({}, headers), method, path }, responder);
    await new Promise((resolve) => setImmediate(resolve));
    return responder;
  };
  return { dispatcher, clock, lines, records, ask };
}

const route = (path: string, outcome: Error | null): HttpRoute => ({
  method: "GET",
  path,
  handle: async (_, responder) => {
    if (outcome !== null) throw outcome;
    responder.begin(200, {});
    responder.end();
  },
});

describe("the dispatcher", () => {
  it("logs a refusal that has a name in one line, and the stack of what has none", async () => {
    const { lines, ask } = serve([
      route("/expected", new ServiceError("no_worker", { parameters: { model: "s1" } })),
      route("/broken/:id", new TypeError("undefined is none")),
    ]);
    expect((await ask("GET", "/expected")).status).toBe(503);
    expect(lines).toEqual([
      {
        level: 40,
        code: "no_worker",
        status: 503,
        refusal: "No worker serves the model s1 right now",
        route: "/expected",
        trace_id: expect.any(String),
        msg: "a request was refused: no_worker",
      },
    ]);
    expect((await ask("GET", "/broken/7")).status).toBe(500);
    expect(lines.at(-1)).toMatchObject({
      level: 50,
      code: "internal",
      route: "/broken/:id",
      err: { type: "TypeError", stack: expect.any(String) },
    });
  });

  it("answers operators while it drains, with and without a slash, and nobody else", async () => {
    const { dispatcher, ask } = serve([route("/health", null), route("/other", null)]);
    await dispatcher.drain(0);
    expect([
      (await ask("GET", "/health")).status,
      (await ask("GET", "/health/")).status,
      (await ask("GET", "/other")).status,
    ]).toEqual([200, 200, 503]);
  });

  it("serves on for a while once it drains, and asks every client to close its connection", async () => {
    const { dispatcher, clock, ask } = serve([route("/other", null)]);
    expect((await ask("GET", "/other")).headers["Connection"]).toBeUndefined();
    await dispatcher.drain(1000);
    const answers = [await ask("GET", "/other")];
    clock.advance(999);
    answers.push(await ask("GET", "/other"));
    clock.advance(1);
    answers.push(await ask("GET", "/other"));
    expect(answers.map(({ status, headers }) => [status, headers["Connection"]])).toEqual([
      [200, "close"],
      [200, "close"],
      [503, "close"],
    ]);
  });

  it("answers in the shape of the path's protocol", async () => {
    const shape: AnswerShape = {
      prefix: "/other",
      headers: ({ trace }) => ({ "x-id": trace.traceId }),
      renderError: (error) => ({ status: 418, headers: {}, body: Buffer.from(error.code) }),
    };
    const { ask } = serve(
      [route("/other/thing", null), route("/other/broken", new ServiceError("no_worker")), route("/v1/thing", null)],
      [shape],
    );
    const answers = async (method: string, path: string): Promise<string> => (await ask(method, path)).body.toString();
    expect(await answers("POST", "/other/thing")).toBe("method_not_allowed");
    expect(await answers("GET", "/other/broken")).toBe("no_worker");
    expect(await answers("GET", "//other/nothing")).toBe("not_found");
    expect(await answers("GET", "/other")).toBe("not_found");
    expect(await answers("GET", "/otherwise")).toBe('{"status":404,"message":"Not found"}');
    expect(await answers("POST", "/v1/thing")).toBe('{"status":405,"message":"Method not allowed"}');
    const named = async (path: string): Promise<boolean> => /./.test((await ask("GET", path)).headers["x-id"] ?? "");
    expect([await named("/other/thing"), await named("/other/broken"), await named("/other/nothing")]).toEqual([
      true,
      true,
      true,
    ]);
    expect(await named("/v1/thing")).toBe(false);
  });

  it("lets every page ask about a route that is for every page, and allowed ones about the rest", async () => {
    const { ask } = serve([{ ...route("/open", null), isForEveryPage: true }, route("/closed", null)]);
    const allowed = async (path: string, origin: string): Promise<string | undefined> =>
      (await ask("OPTIONS", path, { origin })).headers["access-control-allow-origin"];
    expect([await allowed("/open", "https://shop.example"), await allowed("/closed", "https://shop.example")]).toEqual([
      "*",
      undefined,
    ]);
    expect(await allowed("/closed", "https://console.example")).toBe("https://console.example");
  });

  it("lets every page read the answers and failures of a route that is for every page", async () => {
    const open = { isForEveryPage: true } as const;
    const { ask } = serve([
      { ...route("/open", null), ...open },
      { ...route("/broken", new ServiceError("no_worker")), ...open },
      route("/closed", null),
    ]);
    const readers = async (path: string): Promise<[number, string | undefined]> => {
      const { status, headers } = await ask("GET", path, { origin: "https://shop.example" });
      return [status, headers["access-control-allow-origin"]];
    };
    expect([await readers("/open"), await readers("/broken"), await readers("/closed")]).toEqual([
      [200, "*"],
      [503, "*"],
      [200, undefined],
    ]);
  });

  it("takes GET at a WebSocket's path for a missing upgrade, and no other method", async () => {
    const { ask } = serve([]);
    expect([
      (await ask("GET", "/v1/tts/live")).status,
      (await ask("HEAD", "/v1/tts/live/")).status,
      (await ask("POST", "/v1/tts/live")).status,
    ]).toEqual([426, 426, 405]);
    expect((await ask("OPTIONS", "/v1/tts/live")).headers["allow"]).toBe("GET, HEAD, OPTIONS");
  });

  it("reports methods that nobody has heard of under one name", async () => {
    const { records, ask } = serve([route("/health", null)]);
    for (const method of ["GET", "BREW", "X".repeat(500), "OPTIONS"]) await ask(method, "/health");
    expect(records.map(({ method }) => method)).toEqual(["GET", "_OTHER", "_OTHER", "OPTIONS"]);
  });
});
