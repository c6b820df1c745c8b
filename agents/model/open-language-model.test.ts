import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { loadConfig } from "#common/config/config";
import { createLogger, type Logger } from "#common/log";
import { createOutbound } from "#common/outbound/outbound";
import { createSealer } from "#common/secrets/sealer";
import { secretBox } from "#common/secrets/secret-box";
import type { ConversationPlan } from "#protocol/bus/conversation";
import type { ModelToolCall } from "../dialogue/input.js";
import { planOf } from "../testing/plan.js";
import type { LanguageModel, ModelRequest } from "./language-model.js";
import { openLanguageModel } from "./open-language-model.js";
import { type Answer, type ScriptedEndpoint, startScriptedEndpoint, type Step } from "./testing/scripted-endpoint.js";

const sealer = createSealer(["k".repeat(32)]);
const KEY = "sk-the-agents-own-key";
const patient = { firstTokenMs: 20_000, idleMs: 20_000, totalMs: 25_000 };
/** For endpoints that let their callers wait. */
const quick = { firstTokenMs: 1000, idleMs: 1000, totalMs: 25_000 };
const silent = createLogger("test", "fatal");

/** What anybody printed: the client's library would, of what it sends and cannot read. */
const printed: unknown[] = [];
beforeAll(() => {
  for (const name of ["error", "warn", "info", "log", "debug"] as const)
    vi.spyOn(console, name).mockImplementation((...parts: unknown[]) => void printed.push(parts));
});

const endpoints: ScriptedEndpoint[] = [];
afterAll(async () => {
  const problems = endpoints.flatMap((endpoint) => endpoint.problems);
  await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  expect(problems).toEqual([]);
  expect(printed).toEqual([]);
});

async function endpointOf(...answers: Answer[]): Promise<ScriptedEndpoint> {
  const endpoint = await startScriptedEndpoint((_request, count) => answers[count - 1] ?? { status: 418 });
  endpoints.push(endpoint);
  return endpoint;
}

/** The plan of an agent that brings this endpoint. */
function planFor(baseUrl: string, change: Partial<ConversationPlan> = {}): ConversationPlan {
  const api_key = { sealed: secretBox(sealer, "agent-1").seal(KEY, "llm"), revision: "1" };
  const plan = planOf({ config: { llm: { custom: { base_url: baseUrl, model: "their-model", api_key } } } });
  return { ...plan, ...change };
}

function openFor(endpoint: ScriptedEndpoint, options: { timeouts?: typeof quick; log?: Logger } = {}): LanguageModel {
  const outbound = createOutbound({ allow: [`127.0.0.1:${endpoint.port}`], log: silent });
  return openLanguageModel({
    ...{ plan: planFor(endpoint.baseUrl), config: loadConfig({}), outbound, sealer },
    ...{ log: options.log ?? silent, timeouts: options.timeouts ?? patient },
  });
}

interface Collected {
  texts: string[];
  calls: ModelToolCall[];
  error: Error | null;
}

async function ask(model: LanguageModel, change: Partial<ModelRequest> = {}): Promise<Collected> {
  const collected: Collected = { texts: [], calls: [], error: null };
  await model
    .answer({
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "the words of the caller" },
      ],
      tools: [],
      signal: new AbortController().signal,
      onText: (text) => void collected.texts.push(text),
      onToolCall: (call) => void collected.calls.push(call),
      ...change,
    })
    .catch((error: unknown) => {
      collected.error = error as Error;
    });
  return collected;
}

/** What comes of these answers, each given once. */
const answersTo = (...answers: Answer[]) => answersWithin(patient, ...answers);

async function answersWithin(
  timeouts: typeof quick,
  ...answers: Answer[]
): Promise<Collected & { said: string; asked: number }> {
  const endpoint = await endpointOf(...answers);
  const collected = await ask(openFor(endpoint, { timeouts }));
  return { ...collected, said: collected.texts.join(""), asked: endpoint.requests.length };
}

const delta = (delta: object, finish_reason: string | null = null, index = 0): Step => ({
  chunk: { choices: [{ index, delta, finish_reason }] },
});
const calls = (...tool_calls: object[]): Step => delta({ tool_calls });
const done: Step = { raw: "data: [DONE]\n\n" };

describe("the connection to an endpoint", () => {
  const answers = (count: number): Answer[] =>
    Array.from({ length: count }, (): Answer => [{ text: "Hi." }, { finish: "stop" }]);

  it("stands before the first question where that is announced, and serves one after the other", async () => {
    const endpoint = await endpointOf(...answers(3));
    const model = openFor(endpoint);
    expect(endpoint.connections()).toBe(0);
    model.warm();
    await expect.poll(() => endpoint.openConnections()).toBe(1);
    for (let turn = 0; turn < 3; turn++) {
      expect(await ask(model)).toMatchObject({ texts: ["Hi."], error: null });
      model.warm();
    }
    expect([endpoint.connections(), endpoint.openConnections()]).toEqual([1, 1]);
    model.close();
    await expect.poll(() => endpoint.openConnections()).toBe(0);
  });

  it("is made anew at once where a question that is given up takes it along", async () => {
    const endpoint = await endpointOf([{ text: "Well," }], ...answers(1));
    const model = openFor(endpoint);
    model.warm();
    const controller = new AbortController();
    await ask(model, { signal: controller.signal, onText: () => controller.abort() });
    await expect.poll(() => endpoint.connections()).toBe(2);
    expect(await ask(model)).toMatchObject({ texts: ["Hi."], error: null });
    expect(endpoint.connections()).toBe(2);
    model.close();
  });

  it("is not waited for where the endpoint keeps an answer open behind its last word", async () => {
    const endpoint = await endpointOf([{ text: "Hi." }, delta({}, "stop")], ...answers(1));
    const model = openFor(endpoint);
    const startedAtMs = performance.now();
    await ask(model);
    expect(await ask(model)).toMatchObject({ texts: ["Hi."], error: null });
    expect(performance.now() - startedAtMs).toBeLessThan(200);
    expect(endpoint.connections()).toBe(2);
    await expect.poll(() => endpoint.openConnections()).toBe(0);
    model.close();
  });

  it("is as guarded as any", async () => {
    const endpoint = await endpointOf();
    const model = openLanguageModel({
      ...{ plan: planFor(endpoint.baseUrl), config: loadConfig({}), sealer, log: silent, timeouts: patient },
      outbound: createOutbound({ allow: [], log: silent }),
    });
    model.warm();
    expect((await ask(model)).error?.message).toMatch(/must not be called/);
    expect(endpoint.connections()).toBe(0);
    model.close();
  });
});

describe("which model answers", () => {
  const outbound = createOutbound({ allow: [], log: silent });
  const open = (plan: ConversationPlan, environment: Record<string, string> = {}): LanguageModel =>
    openLanguageModel({ plan, config: loadConfig(environment), outbound, sealer, log: silent, timeouts: patient });

  it("is the agent's own, with its key and its fields, and never the platform's beside it", async () => {
    const endpoint = await endpointOf([{ text: "Hi." }, { finish: "stop" }]);
    const plan = planFor(`${endpoint.baseUrl}/`, {
      llmExtraBody: { temperature: 0.2, model: "x", messages: [], stream: false, tools: [1], tool_choice: "required" },
    });
    const model = openLanguageModel({
      ...{ plan, sealer, log: silent, timeouts: patient },
      config: loadConfig({ LLM_BASE_URL: "http://127.0.0.1:1/v1", LLM_MODEL: "platform", LLM_API_KEY: "platform-key" }),
      outbound: createOutbound({ allow: [`127.0.0.1:${endpoint.port}`], log: silent }),
    });
    expect(model.name).toBe("their-model");
    expect((await ask(model)).texts).toEqual(["Hi."]);
    const [request] = endpoint.requests;
    expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith("x-stainless"))).toEqual([]);
    expect(request?.body).toEqual({
      ...{ model: "their-model", stream: true, temperature: 0.2 },
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "the words of the caller" },
      ],
    });
  });

  it("is the platform's of the agent's tier, at an address that only the operator may name", async () => {
    const endpoint = await endpointOf(
      ...Array.from({ length: 3 }, (): Answer => [{ text: "Hi." }, { finish: "stop" }]),
    );
    const environment = { LLM_BASE_URL: endpoint.baseUrl, LLM_MODEL: "any", LLM_MODEL_HIGH: "large" };
    const names: string[] = [];
    for (const tier of ["instant", "medium", "high"] as const) {
      const model = open(planOf({ config: { llm: { tier } } }), environment);
      names.push(model.name);
      expect(await ask(model)).toMatchObject({ texts: ["Hi."], error: null });
    }
    expect(names).toEqual(["any", "any", "large"]);
    expect(endpoint.requests.map(({ body }) => body.model)).toEqual(names);
    expect(endpoint.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, undefined]);
    const own = await ask(open(planFor(endpoint.baseUrl), environment));
    expect(own.error).toMatchObject({ name: "ModelError", message: expect.stringContaining("must not be called") });
    expect(endpoint.requests).toHaveLength(3);
  });

  it("sends the platform's key", async () => {
    const endpoint = await endpointOf([{ text: "Hi." }, { finish: "stop" }]);
    await ask(open(planOf(), { LLM_BASE_URL: endpoint.baseUrl, LLM_MODEL: "m", LLM_API_KEY: "platform-key" }));
    expect(endpoint.requests[0]?.headers.authorization).toBe("Bearer platform-key");
  });

  it("is the embedded responder without any", async () => {
    const model = open(planOf());
    expect(model.name).toBe("parley-retrieval");
    expect((await ask(model)).texts.join("")).not.toBe("");
  });

  it("fails plainly where the agent's key does not open", async () => {
    const plan = { ...planFor("https://llm.example.com/v1"), agentId: "another" };
    const model = open(plan);
    expect(model.name).toBe("their-model");
    expect((await ask(model)).error).toMatchObject({ name: "ModelError", message: expect.not.stringContaining(KEY) });
  });
});

describe("an answer", () => {
  it("comes as it is streamed", async () => {
    const { texts } = await answersTo([{ text: "Hel" }, { text: "lo there." }, { finish: "stop" }]);
    expect(texts).toEqual(["Hel", "lo there."]);
  });

  it.each(["stop", "length", "content_filter", "end_turn", "function_call"])("ends with %s", async (finish) => {
    expect(await answersTo([{ text: "Yes." }, { finish }])).toMatchObject({ said: "Yes.", error: null, asked: 1 });
  });

  it.each<[string, Step[]]>([
    ["[DONE] alone", [{ text: "Yes." }, done]],
    ["a last delta with a finish reason, and a stream that stays open", [delta({ content: "Yes." }, "stop")]],
    ["[DONE], and a stream that stays open", [{ text: "Yes." }, done, { waitMs: 1 }]],
    [
      "CRLF, comments, names and ids",
      [{ raw: `: hi\r\nevent: thread.x\r\nid: 1\r\ndata:{"choices":[{"delta":{"content":"Yes."}}]}\r\n\r\n` }, done],
    ],
    ["data of several lines", [{ raw: `data: {"choices":\ndata: [{"delta":{"content":"Yes."}}]}\n\n` }, done]],
    [
      "chunks without choices",
      [
        { chunk: {} },
        { chunk: { choices: [] } },
        { chunk: { choices: null, usage: {} } },
        { text: "Yes." },
        { finish: "stop" },
      ],
    ],
    ["further choices", [delta({ content: "No." }, null, 1), { text: "Yes." }, { finish: "stop" }]],
    ["content in parts", [delta({ content: [{ type: "text", text: "Yes." }, { type: "image" }] }), { finish: "stop" }]],
    ["a refusal", [delta({ refusal: "Yes." }), { finish: "stop" }]],
    ["thoughts aside", [delta({ reasoning_content: "hm", content: null }), { text: "Yes." }, { finish: "stop" }]],
    [
      "thoughts in the text",
      [{ text: "<thi" }, { text: "nk>No. " }, { text: "No.</think>" }, { text: "\n\nYes." }, { finish: "stop" }],
    ],
  ])("is understood with %s", async (_name, steps) => {
    expect(await answersTo(steps)).toMatchObject({ said: "Yes.", calls: [], error: null, asked: 1 });
  });

  it("comes byte by byte, in the middle of characters too", async () => {
    const bytes = Buffer.from(`data: {"choices":[{"delta":{"content":"Grüße 👋"}}]}\n\ndata: [DONE]\n\n`);
    const { said } = await answersTo([...bytes].map((byte): Step => ({ raw: Uint8Array.of(byte) })));
    expect(said).toBe("Grüße 👋");
  });

  it("is bounded: it ends with a sentence", async () => {
    const sentence = "This is a sentence of some length. ";
    const { said, error } = await answersTo([
      ...Array.from({ length: 1000 }, () => ({ text: sentence })),
      { finish: "stop" },
    ]);
    expect(error).toBeNull();
    expect(said.length).toBeGreaterThan(7000);
    expect(said.length).toBeLessThanOrEqual(8000);
    expect(said).toMatch(/length\.$/);
  });

  it("is bounded in one huge delta too", async () => {
    const { said } = await answersTo([{ text: "word ".repeat(40_000) }, { finish: "stop" }]);
    expect(said.length).toBeLessThanOrEqual(8000);
    expect(said).toMatch(/ word$/);
  });
});

describe("tool calls", () => {
  const name = "look_up";

  it("come whole, behind the text, in their order", async () => {
    const endpoint = await endpointOf([
      { text: "One moment." },
      calls({ index: 0, id: "a1", type: "function", function: { name: "look", arguments: "" } }),
      calls({ index: 0, function: { name: "_up", arguments: '{"id":' } }),
      calls({ index: 1, id: "a2", function: { name: "other", arguments: "{}" } }),
      calls({ index: 0, function: { arguments: ' "7"}' } }),
      { finish: "tool_calls" },
    ]);
    const tool = { name, description: "d", parameters: { type: "object" } };
    expect(await ask(openFor(endpoint), { tools: [tool] })).toEqual({
      texts: ["One moment."],
      calls: [
        { callId: "a1", name, arguments: '{"id": "7"}' },
        { callId: "a2", name: "other", arguments: "{}" },
      ],
      error: null,
    });
    expect(endpoint.requests[0]?.body.tools).toEqual([{ type: "function", function: tool }]);
  });

  it.each<[string, Step[], [string, string][]]>([
    [
      "a name repeated in each part",
      [
        calls({ index: 0, id: "x", function: { name, arguments: "{" } }),
        calls({ index: 0, id: "x", function: { name, arguments: "}" } }),
      ],
      [[name, "{}"]],
    ],
    [
      "several under one index",
      [
        calls({ index: 0, id: "x", function: { name, arguments: "{}" } }),
        calls({ index: 0, id: "y", function: { name, arguments: "{}" } }),
      ],
      [
        [name, "{}"],
        [name, "{}"],
      ],
    ],
    [
      "no index",
      [
        calls({ id: "x", function: { name, arguments: "{" } }),
        calls({ function: { arguments: "}" } }),
        calls({ id: "y", function: { name, arguments: "{}" } }),
      ],
      [
        [name, "{}"],
        [name, "{}"],
      ],
    ],
    [
      "neither index nor id",
      [calls({ function: { name, arguments: "{}" } }, { function: { name, arguments: "{}" } })],
      [
        [name, "{}"],
        [name, "{}"],
      ],
    ],
    [
      "arguments as an object",
      [calls({ index: 0, id: "x", function: { name, arguments: { a: 1 } } })],
      [[name, '{"a":1}']],
    ],
    ["arguments that are null", [calls({ index: 0, id: "x", function: { name, arguments: null } })], [[name, ""]]],
    ["broken arguments", [calls({ index: 0, id: "x", function: { name, arguments: '{"a' } })], [[name, '{"a']]],
    [
      "ids that are null and empty",
      [calls({ index: 0, id: null, function: { name } }), calls({ index: 1, id: "", function: { name: "b" } })],
      [
        [name, ""],
        ["b", ""],
      ],
    ],
    ["no name", [calls({ index: 0, id: "x", function: { arguments: "{}" } })], []],
  ])("are understood with %s", async (_name, steps, expected) => {
    const { calls: found, error } = await answersTo([...steps, { finish: "stop" }]);
    expect(error).toBeNull();
    expect(found.map((call) => [call.name, call.arguments])).toEqual(expected);
    expect(new Set(found.map(({ callId }) => callId)).size).toBe(found.length);
    for (const { callId } of found) expect(callId).toMatch(/^[A-Za-z0-9]{1,64}$/);
  });

  it("get an id of their own where the endpoint gives the same one in every answer", async () => {
    const endpoint = await endpointOf([{ call: { id: "call_0", name, arguments: "{}" } }, { finish: "tool_calls" }]);
    const { calls: found } = await ask(openFor(endpoint), {
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", content: "", toolCalls: [{ callId: "call_0", name: "bäd name", arguments: "{broken" }] },
        { role: "tool", callId: "call_0", content: "Done." },
      ],
    });
    expect(found).toHaveLength(1);
    expect(found[0]?.callId).not.toBe("call_0");
    // What the model wrote wrong does not fail the next request.
    expect(endpoint.requests[0]?.body.messages[1]).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_0", type: "function", function: { name: "b_d_name", arguments: "{}" } }],
    });
  });

  it("are bounded in number and length", async () => {
    const many = Array.from({ length: 40 }, (_, index) => calls({ index, id: `c${index}`, function: { name } }));
    expect((await answersTo(many, many)).error?.message).toContain("too many tool calls");
    const long = Array.from({ length: 12 }, () =>
      calls({ index: 0, id: "x", function: { name, arguments: "y".repeat(10_000) } }),
    );
    expect((await answersTo(long, long)).error?.message).toContain("too long");
  });
});

// Side by side: each waits for a moment before the second attempt, some until nothing has come for too long.
describe.concurrent("an endpoint in trouble", () => {
  const fine: Answer = [{ text: "Fine." }, { finish: "stop" }];

  it.each<[string, Answer]>([
    ["500", { status: 500 }],
    ["503", { status: 503 }],
    ["408", { status: 408 }],
    ["409", { status: 409 }],
    ["429", { status: 429 }],
    ["silence", []],
    ["a stream without a word", [{ raw: ": wait\n\n" }]],
    ["garbage", [{ raw: "data: {nonsense\n\n" }, done]],
    ["JSON that is no chunk", [{ chunk: 42 }, done]],
    ["choices that are none", [{ chunk: { choices: "many" } }, done]],
    ["an error in the stream", [{ chunk: { error: { message: "overloaded" } } }, done]],
    ["no event stream at all", [{ raw: "<html>busy</html>" }, { cut: true }]],
    ["an end without an answer", [done]],
    ["thoughts that used up all room", [{ text: "<think>hm" }, { finish: "length" }]],
    ["a cut before the first word", [{ raw: 'data: {"choi' }, { cut: true }]],
  ])("is asked once more after %s", async (name, answer) => {
    const timeouts = /silence|without a word/.test(name) ? quick : patient;
    expect(await answersWithin(timeouts, answer, fine)).toMatchObject({ said: "Fine.", error: null, asked: 2 });
  });

  it.each([400, 401, 403, 404, 422, 301])("is not asked again after %i", async (status) => {
    const { error, asked } = await answersTo({ status, headers: { location: "http://127.0.0.1/" } }, fine);
    expect(error).toMatchObject({ name: "ModelError", message: `the endpoint answered with status ${status}` });
    expect(asked).toBe(1);
  });

  it.each<[string, Answer, string]>([
    ["500 again", { status: 500 }, "the endpoint answered with status 500"],
    ["silence again", [], "no word came within 1 s"],
    ["garbage again", [{ raw: "data: {\n\n" }], "the endpoint sent what cannot be read"],
  ])("fails after %s", async (_name, answer, message) => {
    const { error, asked } = await answersWithin(quick, answer, answer, fine);
    expect(error).toMatchObject({ name: "ModelError", message });
    expect(asked).toBe(2);
  });

  it.each<[string, Step[], string]>([
    ["breaks off in a word", [{ text: "I thi" }, { cut: true }], "The connection was lost"],
    ["ends in order, but too soon", [{ text: "I thi" }, { end: true }], "connection was lost"],
    ["falls silent", [{ text: "I thi" }], "nothing came for 1 s"],
    ["sends garbage", [{ text: "I thi" }, { raw: "data: }{\n\n" }], "cannot be read"],
    [
      "sends an event of lines without end",
      [{ text: "I thi" }, ...Array.from({ length: 300 }, (): Step => ({ raw: `data: ${"x".repeat(1000)}\n` }))],
      "too large",
    ],
    ["sends an event without end", [{ text: "I thi" }, { raw: `data: ${"x".repeat(300_000)}` }], "too large"],
  ])("that %s after the first word is not asked again: the caller has heard it", async (_name, steps, message) => {
    const { said, error, asked } = await answersWithin(quick, steps, fine);
    expect(said).toBe("I thi");
    expect(error).toMatchObject({ name: "ModelError", message: expect.stringContaining(message) });
    expect(asked).toBe(1);
  });

  it("that sends empty chunks for ever does not pass for one that answers", async () => {
    const pings = Array.from({ length: 400 }, (): Step[] => [delta({ content: "" }), { waitMs: 20 }]).flat();
    const began = performance.now();
    expect((await answersWithin(quick, pings, fine)).said).toBe("Fine.");
    expect(performance.now() - began).toBeLessThan(6000);
  });

  it("has so long in all", async () => {
    const drip = Array.from({ length: 400 }, (): Step[] => [{ text: "and " }, { waitMs: 20 }]).flat();
    const { error } = await answersWithin({ ...patient, totalMs: 1000 }, drip, drip);
    expect(error?.message).toMatch(/longer than 1 s|no complete answer in time/);
  });

  it("that is away is asked once more, and then given up", async () => {
    const endpoint = await endpointOf();
    const model = openFor(endpoint);
    await endpoint.close();
    expect((await ask(model)).error?.message).toBe("the endpoint failed: The host could not be reached");
  });

  it("leaves nothing of the prompt, the answer or the key in log and error", async () => {
    const lines: string[] = [];
    const collect = (...parts: unknown[]): void => void lines.push(JSON.stringify(parts));
    const log = Object.create(silent) as Logger;
    Object.assign(log, { warn: collect, error: collect, info: collect, child: () => log });
    const echo = `{"error":{"message":"bad: the words of the caller ${KEY}"}}`;
    const bad: Answer[] = [{ status: 500, body: echo }, [{ text: "spoken" }, { raw: "data: the words\n\n" }]];
    const endpoint = await endpointOf(...bad);
    const { error } = await ask(openFor(endpoint, { log }));
    expect(lines).toHaveLength(2);
    for (const text of [...lines, String(error), String(error?.stack), JSON.stringify(error)])
      expect(text).not.toMatch(/words|sk-the|spoken|kind/);
  });
});

describe("a request that is not wanted any more", () => {
  it.each<[string, Step[]]>([
    ["before the first word", []],
    ["in the middle", [{ text: "I thi" }]],
  ])("ends %s, quietly, with its connection", async (_name, steps) => {
    const endpoint = await endpointOf(steps);
    const controller = new AbortController();
    const model = openFor(endpoint, { timeouts: patient });
    const texts: string[] = [];
    const answer = ask(model, {
      signal: controller.signal,
      onText(text) {
        texts.push(text);
        controller.abort();
      },
    });
    if (steps.length === 0) {
      await expect.poll(() => endpoint.requests.length).toBe(1);
      controller.abort();
    }
    expect(await answer).toMatchObject({ error: null, calls: [] });
    expect(texts.length).toBe(steps.length);
    await expect.poll(() => endpoint.openConnections()).toBe(0);
    expect(endpoint.requests).toHaveLength(1);
  });
});
