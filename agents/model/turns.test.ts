import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { loadConfig } from "#common/config/config";
import { createLogger } from "#common/log";
import { createOutbound } from "#common/outbound/outbound";
import { createSealer } from "#common/secrets/sealer";
import { openTokenCounter } from "#common/text/token-count";
import type { DialogueMessage, ModelToolCall } from "../dialogue/input.js";
import { buildMessages } from "../prompt/build-messages.js";
import { modelTools } from "../prompt/model-tools.js";
import { planOf, toolOf } from "../testing/plan.js";
import { openTools } from "../tools/open-tools.js";
import { readArguments } from "../tools/read-arguments.js";
import { openLanguageModel } from "./open-language-model.js";
import { type ScriptedEndpoint, type ScriptedRequest, startScriptedEndpoint } from "./testing/scripted-endpoint.js";

const log = createLogger("test", "fatal");
const sealer = createSealer(["k".repeat(32)]);
let endpoint: ScriptedEndpoint;

/** Greets when it is told to, looks an order up when it is asked, and says what it found. */
beforeAll(async () => {
  endpoint = await startScriptedEndpoint(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return [{ text: `It is ${last.content}.` }, { finish: "stop" }];
    if (last?.role === "user" && last.content.includes("[[Greet"))
      return [{ text: "Hello, " }, { text: "Grace." }, { finish: "stop" }];
    return [
      { text: "One moment." },
      { call: { id: "call_0", name: "find_order", arguments: '{"id": "7"}' } },
      { finish: "tool_calls" },
    ];
  });
});
afterAll(() => endpoint.close());

const plan = planOf({
  tools: [toolOf("find_order", { arguments: [{ name: "id", description: "Its number" }] }, { toolType: "client" })],
  dynamicVariables: { name: "Grace" },
  config: { prompt: { system_prompt: "You help {{name}}." }, tools: { system_tools: { hang_up_call: true } } },
});

it("prompt, model and tools hold a conversation of several turns, each request as strict endpoints want it", async () => {
  const outbound = createOutbound({ allow: [], log });
  const config = loadConfig({ LLM_BASE_URL: endpoint.baseUrl, LLM_MODEL: "m" });
  const model = openLanguageModel({ plan, config, outbound, sealer, log });
  const callClient = async ({ params }: { params: Record<string, unknown> }) => ({
    result: `on its way, number ${String(params["id"])}`,
    isError: false,
  });
  const tools = openTools({ plan, outbound, sealer, log, clock: systemClock, callClient });
  const countTokens = await openTokenCounter();
  const history: DialogueMessage[] = [];

  const reply = async (turnId: number, instruction: string | null): Promise<string> => {
    const answer = { text: "", calls: [] as ModelToolCall[] };
    await model.answer({
      messages: buildMessages({ plan, history, passages: [], instruction, countTokens, now: new Date() }),
      tools: modelTools(plan),
      signal: new AbortController().signal,
      onText: (text) => {
        answer.text += text;
      },
      onToolCall: (call) => void answer.calls.push(call),
    });
    history.push({ role: "agent", turnId, ...answer, isInterrupted: false });
    for (const { callId, name, arguments: json } of answer.calls) {
      const read = readArguments(json);
      const result = await tools.call(callId, name, read.ok ? read.args : {}, new AbortController().signal);
      history.push({ role: "tool", turnId, callId, name, source: "client", result });
    }
    return answer.calls.length === 0 ? answer.text : `${answer.text} ${await reply(turnId, null)}`;
  };

  expect(await reply(0, "Greet the caller.")).toBe("Hello, Grace.");
  for (const turnId of [1, 2]) {
    history.push({ role: "caller", turnId, text: "Where is my order?" });
    expect(await reply(turnId, null)).toBe("One moment. It is on its way, number 7.");
  }
  expect(endpoint.problems).toEqual([]);
  expect(endpoint.requests).toHaveLength(5);
  const { messages, tools: offered }: ScriptedRequest = endpoint.requests[4]?.body ?? {
    messages: [],
    model: "",
    stream: true,
  };
  expect(offered?.map((tool) => tool.function.name)).toEqual(["hang_up_call", "find_order"]);
  expect(messages[0]?.content).toMatch(/^You help Grace\./);
  expect(messages.slice(1).map(({ role }) => role)).toEqual([
    ...["user", "assistant", "user", "assistant", "tool", "assistant", "user", "assistant", "tool"],
  ]);
  // The endpoint gave both calls one id, which a conversation cannot have.
  const ids = messages.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
  expect(new Set(ids).size).toBe(2);
});
