import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock, VirtualClock } from "#common/clock";
import { createLogger, type Logger } from "#common/log";
import { createOutbound } from "#common/outbound/outbound";
import { createSealer } from "#common/secrets/sealer";
import type { ConversationPlan } from "#protocol/bus/conversation";
import { credentialContext } from "#tools/credentials";
import type { ToolDefinition } from "#tools/definition";
import type { ToolResult } from "../dialogue/input.js";
import { planOf, toolOf } from "../testing/plan.js";
import type { CallClient } from "./client-call.js";
import { openTools, type ToolsOptions } from "./open-tools.js";
import { readArguments } from "./read-arguments.js";

const sealer = createSealer(["k".repeat(32)]);
const silent = createLogger("test", "fatal");
const never = new AbortController().signal;

interface Received {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}
const received: Received[] = [];
type Handler = (request: Received, response: ServerResponse) => void;
const routes: Record<string, Handler> = {
  "/ok": (_request, response) => response.end("fine"),
  "/echo": (request, response) => response.end(JSON.stringify(request.headers)),
  "/latin": (_request, response) =>
    response.writeHead(200, { "content-type": "text/plain; charset=iso-8859-1" }).end(Buffer.from([0xe9])),
  "/long": (_request, response) => response.end("x".repeat(9000)),
  "/huge": (_request, response) => response.end("y".repeat(200_000)),
  "/missing": (_request, response) => response.writeHead(404).end("no such order"),
  "/loop": (_request, response) => response.writeHead(302, { location: "/loop" }).end(),
  "/moved": (_request, response) => response.writeHead(307, { location: "/ok" }).end(),
  "/silent": () => undefined,
};
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    (routes[new URL(url, "http://x").pathname] ?? routes["/missing"])?.(one, response);
  });
});
let base = "";
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => received.splice(0));

const noClient: CallClient = () => Promise.reject(new Error("nobody is there"));

function open(plan: ConversationPlan, change: Partial<ToolsOptions> = {}): ReturnType<typeof openTools> {
  const outbound = createOutbound({ allow: [base.replace("http://", "")], log: silent });
  return openTools({ plan, outbound, sealer, log: silent, clock: systemClock, callClient: noClient, ...change });
}

/** Calls a webhook tool of this definition. */
async function callOf(
  path: string,
  definition: Partial<ToolDefinition> = {},
  args: Record<string, unknown> = {},
): Promise<ToolResult> {
  const plan = planOf({ tools: [toolOf("t", { url: `${base}${path}`, ...definition })] });
  return await open(plan).call("c1", "t", args, never);
}

describe("a webhook tool", () => {
  it("is called as it is defined: arguments and system values filled, credentials opened, one hop counted", async () => {
    const tool = toolOf("Find order", {
      url: `${base}/ok?id={{id}}&zone={{system.timezone}}`,
      arguments: [
        { name: "id", description: "" },
        { name: "count", description: "" },
      ],
      body_template: '{"id": "{{id}}", "count": {{count}}, "day": "{{system.today}}", "made_up": "{{other}}"}',
      headers: [
        { name: "X-Parley-Hops", kind: "custom", value: "0" },
        { name: "Authorization", kind: "authorization_bearer", value: null },
      ],
    });
    tool.secrets = { authorization: sealer.seal("Bearer the-secret", credentialContext(tool.id, "authorization")) };
    const tools = open(planOf({ tools: [tool], timezone: "Asia/Tokyo" }));
    const result = await tools.call("c1", "Find_order", { id: "a&b", count: 3, other: "x" }, never);
    expect(result).toEqual({
      ...{ status: "completed", output: "fine", isOutputTruncated: false, error: null },
      latencyMs: expect.any(Number) as unknown,
    });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ method: "POST", url: "/ok?id=a%26b&zone=Asia%2FTokyo" });
    expect(JSON.parse(received[0]?.body ?? "")).toEqual({ id: "a&b", count: 3, day: "2026-11-23", made_up: "" });
    expect(received[0]?.headers).toMatchObject({ authorization: "Bearer the-secret", "x-parley-hops": "1" });
  });

  it("gives its answer as text, bounded", async () => {
    expect(await callOf("/latin")).toMatchObject({ output: "é", isOutputTruncated: false });
    expect(await callOf("/long")).toMatchObject({ output: "x".repeat(8000), isOutputTruncated: true });
    expect(await callOf("/huge")).toMatchObject({ output: "y".repeat(8000), isOutputTruncated: true });
    expect(await callOf("/moved")).toMatchObject({ status: "completed", output: "fine" });
  });

  it("never shows the model a credential, where the endpoint repeats it", async () => {
    const tool = toolOf("t", {
      url: `${base}/echo`,
      headers: [{ name: "Authorization", kind: "authorization_bearer", value: null }],
    });
    tool.secrets = { authorization: sealer.seal("Bearer the-secret", credentialContext(tool.id, "authorization")) };
    const { output } = await open(planOf({ tools: [tool] })).call("c1", "t", {}, never);
    expect(output).toContain("[redacted]");
    expect(output).not.toContain("the-secret");
  });

  it.each<[string, Partial<ToolDefinition>, Partial<ToolResult>]>([
    ["/missing", {}, { error: "The endpoint answered with status 404", output: "no such order" }],
    ["/loop", {}, { error: "There were too many redirects", output: null }],
    ["/silent", { timeout_seconds: 1 }, { error: "There was no complete answer in time", output: null }],
  ])("that fails at %s tells the model how, or only that it did", async (path, definition, expected) => {
    const [shown, hidden] = await Promise.all([
      callOf(path, definition),
      callOf(path, { ...definition, error_handling: "hide" }),
    ]);
    expect(shown).toMatchObject({ status: "failed", ...expected });
    expect(hidden).toMatchObject({ status: "failed", error: "The tool failed", output: null });
  });

  it("is not sent to private hosts, nor with arguments out of bounds, which the model is told in any case", async () => {
    const elsewhere = await callOf("", { url: "http://10.0.0.1/x" });
    expect(elsewhere).toMatchObject({ status: "failed", error: expect.not.stringContaining("10.0.0.1") as unknown });
    const id = { arguments: [{ name: "id", description: "" }] };
    const long = await callOf("/{{id}}", { ...id, error_handling: "hide" }, { id: "x".repeat(10_001) });
    expect(long).toMatchObject({ status: "failed", error: "An argument has more than 10000 characters" });
    const leaving = await callOf("/a/{{id}}", id, { id: ".." });
    expect(leaving).toMatchObject({ status: "failed", error: "An argument would lead out of the URL's path" });
    expect(received).toEqual([]);
  });

  it("whose credentials do not open is not called", async () => {
    const tool = toolOf("t", { url: `${base}/ok`, headers: [{ name: "A", kind: "authorization_basic", value: null }] });
    tool.secrets = { a: createSealer(["x".repeat(32)]).seal("s", credentialContext(tool.id, "a")) };
    const result = await open(planOf({ tools: [tool] })).call("c1", "t", {}, never);
    expect(result).toMatchObject({ status: "failed", error: "The tool's credentials cannot be opened" });
    expect(received).toEqual([]);
  });

  it("ends soon after it is cancelled, and is not begun when it was before", async () => {
    const tools = open(planOf({ tools: [toolOf("t", { url: `${base}/silent` })] }));
    const controller = new AbortController();
    const called = tools.call("c1", "t", {}, controller.signal);
    await expect.poll(() => received.length).toBe(1);
    controller.abort();
    expect(await called).toMatchObject({ status: "failed", error: "The request was cancelled" });
    expect(await tools.call("c2", "t", {}, controller.signal)).toMatchObject({ error: "The call was cancelled" });
    expect(received).toHaveLength(1);
  });

  it("leaves neither answers nor arguments nor secrets in the log", async () => {
    const lines: string[] = [];
    const collect = (...parts: unknown[]): void => void lines.push(JSON.stringify(parts));
    const log = Object.create(silent) as Logger;
    Object.assign(log, { warn: collect, error: collect, child: () => log });
    const id = { arguments: [{ name: "id", description: "" }], url: `${base}/missing?{{id}}` };
    const tools = open(planOf({ tools: [toolOf("t", id)] }), { log });
    await tools.call("c1", "t", { id: "private-words" }, never);
    expect(lines).toEqual([JSON.stringify([{ toolId: "tool-t", reason: 404 }, "a tool failed"])]);
  });
});

describe("a client tool", () => {
  const definition = {
    arguments: ["page", "toString"].map((name) => ({ name, description: "" })),
    timeout_seconds: 20,
  };
  const tools = [
    toolOf("open_page", definition, { toolType: "client" }),
    toolOf("notify", { ...definition, expects_response: false }, { toolType: "client" }),
  ];

  it.each<[unknown, boolean, Partial<ToolResult>]>([
    ["opened", false, { status: "completed", output: "opened", error: null }],
    [{ ok: [1] }, false, { status: "completed", output: '{"ok":[1]}' }],
    [undefined, false, { status: "completed", output: "" }],
    ["x".repeat(9000), false, { output: "x".repeat(8000), isOutputTruncated: true }],
    ["no such page", true, { status: "failed", output: "no such page" }],
  ])("that gives %j (error: %s) gives the model that", async (result, isError, expected) => {
    const calls: unknown[] = [];
    const callClient: CallClient = async (call) => {
      calls.push(call);
      return { result, isError };
    };
    const runner = open(planOf({ tools }), { callClient });
    expect(await runner.call("c7", "open_page", { page: "a", made_up: 1 }, never)).toMatchObject(expected);
    expect(calls).toEqual([{ callId: "c7", toolName: "open_page", params: { page: "a" }, expectsResponse: true }]);
  });

  it("times out, and can be cancelled", async () => {
    const clock = new VirtualClock();
    const runner = open(planOf({ tools }), { clock, callClient: () => new Promise(() => undefined) });
    const late = runner.call("c1", "open_page", {}, never);
    clock.advance(19_999);
    expect(await Promise.race([late, Promise.resolve("waiting")])).toBe("waiting");
    clock.advance(1);
    expect(await late).toMatchObject({ error: "The caller's program did not answer within 20 s", latencyMs: 20_000 });
    const controller = new AbortController();
    const cancelled = runner.call("c2", "open_page", {}, controller.signal);
    controller.abort();
    expect(await cancelled).toMatchObject({ status: "failed", error: "The call was cancelled" });
  });

  it("that expects no response is done when it is sent; one that cannot be sent has failed", async () => {
    const sent: boolean[] = [];
    const callClient: CallClient = async ({ expectsResponse }) => {
      sent.push(expectsResponse);
      return { result: null, isError: false };
    };
    const runner = open(planOf({ tools }), { callClient });
    expect(await runner.call("c1", "notify", {}, never)).toMatchObject({ status: "completed", output: null });
    expect(sent).toEqual([false]);
    const gone = await open(planOf({ tools })).call("c1", "notify", {}, never);
    expect(gone).toMatchObject({ status: "failed", error: "The caller's program could not be reached" });
  });

  it("is not sent more than a packet holds", async () => {
    const two = { arguments: ["a", "b"].map((name) => ({ name, description: "" })) };
    const runner = open(planOf({ tools: [toolOf("t", two, { toolType: "client" })] }));
    const over = await runner.call("c1", "t", { a: "x".repeat(10_001) }, never);
    expect(over.error).toBe("An argument has more than 10000 characters");
    const together = await runner.call("c1", "t", { a: "é".repeat(5000), b: "é".repeat(5000) }, never);
    expect(together.error).toBe("The arguments have more than 14000 bytes");
  });
});

describe("other tools", () => {
  it("of connected services, and those that do not exist, fail plainly", async () => {
    const integration = { integration: "google_calendar:create_event" };
    const runner = open(planOf({ tools: [toolOf("cal", integration, { toolType: "integration" })] }));
    expect(await runner.call("c1", "cal", {}, never)).toMatchObject({
      status: "failed",
      error: "This tool belongs to a connected service, which is not available on this server",
    });
    expect(await runner.call("c1", "made_up", {}, never)).toMatchObject({ error: "There is no tool of this name" });
    expect(await runner.call("c1", "hang_up_call", {}, never)).toMatchObject({ status: "failed" });
  });

  it("never rejects, whatever breaks", async () => {
    const runner = open(planOf({ tools: [toolOf("t", {}, { toolType: "client", definition: null })] }));
    expect(await runner.call("c1", "t", {}, never)).toMatchObject({ status: "failed", error: "The tool failed" });
  });
});

describe("readArguments", () => {
  it.each([
    ['{"a": 1}', { ok: true, args: { a: 1 } }],
    ["", { ok: true, args: {} }],
    ["  ", { ok: true, args: {} }],
    ["null", { ok: true, args: {} }],
    ["[1]", { ok: false, message: "The arguments are not a JSON object" }],
    ['"a"', { ok: false, message: "The arguments are not a JSON object" }],
    ['{"a": ', { ok: false, message: "The arguments are not valid JSON" }],
    ["[".repeat(90_000), { ok: false, message: "The arguments are not valid JSON" }],
    ["x".repeat(100_001), { ok: false, message: "The arguments are too long" }],
  ])("of %j", (json, expected) => {
    expect(readArguments(json)).toEqual(expected);
  });
});
