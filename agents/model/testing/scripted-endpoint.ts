import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

/** One thing that the endpoint does while it answers. */
export type Step =
  /** A delta with text. */
  | { text: string }
  /** Any chunk, as it is. */
  | { chunk: unknown }
  /** Bytes of the event stream, as they are. */
  | { raw: string | Uint8Array }
  /** Nothing for a while; milliseconds. */
  | { waitMs: number }
  /** A whole tool call in one delta. */
  | { call: { index?: number; id?: string; name: string; arguments: string } }
  /** The last chunk, the count of tokens where there is one, and `[DONE]`. */
  | { finish: string; usage?: { prompt_tokens: number; completion_tokens: number } }
  /** The stream ends as HTTP wants it, whatever was said. */
  | { end: true }
  /** The connection is cut, in the middle of whatever it was. */
  | { cut: true };

/** What the endpoint answers: a stream of steps, or a status with a body. Steps without an end leave the stream open. */
export type Answer = readonly Step[] | { status: number; body?: string; headers?: Record<string, string> };

/** What a request must be, whatever the rules (OpenAI's `chat.completions`). */
const requestBody = z.looseObject({
  model: z.string().min(1),
  stream: z.literal(true),
  messages: z
    .array(
      z.discriminatedUnion("role", [
        z.strictObject({ role: z.literal("system"), content: z.string().min(1) }),
        z.strictObject({ role: z.literal("user"), content: z.string().min(1) }),
        z.strictObject({
          role: z.literal("assistant"),
          content: z.string().min(1).nullable(),
          tool_calls: z
            .array(
              z.strictObject({
                id: z.string().min(1),
                type: z.literal("function"),
                function: z.strictObject({ name: z.string().regex(/^[\w-]{1,64}$/), arguments: z.string() }),
              }),
            )
            .optional(),
        }),
        z.strictObject({ role: z.literal("tool"), tool_call_id: z.string().min(1), content: z.string() }),
      ]),
    )
    .min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function"),
        function: z.strictObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string(),
          parameters: z.looseObject({ type: z.literal("object") }),
        }),
      }),
    )
    .min(1)
    .optional(),
  temperature: z.number().min(0).max(2).optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  response_format: z
    .strictObject({
      type: z.literal("json_schema"),
      json_schema: z.strictObject({
        name: z.string().regex(/^[\w-]{1,64}$/),
        strict: z.literal(true),
        schema: z.looseObject({ type: z.literal("object") }),
      }),
    })
    .optional(),
});
export type ScriptedRequest = z.output<typeof requestBody>;

export interface ScriptedEndpoint {
  /** For `LLM_BASE_URL` and `llm.custom.base_url`. */
  baseUrl: string;
  port: number;
  /** Every request so far, as it was read. */
  requests: { body: ScriptedRequest; headers: IncomingMessage["headers"] }[];
  /** What was wrong with requests; empty when all were as the protocol wants them. */
  problems: string[];
  /** Connections that are open now. */
  openConnections(): number;
  /** Connections so far. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * A language model's endpoint over real HTTP on loopback that answers by rules. It checks each request as a strict
 * endpoint would: its shape, and that every tool call is followed by its results, and by nothing else before them.
 */
export async function startScriptedEndpoint(
  rule: (request: ScriptedRequest, count: number) => Answer,
): Promise<ScriptedEndpoint> {
  const requests: ScriptedEndpoint["requests"] = [];
  const problems: string[] = [];
  const server = createServer((request, response) => {
    response.on("error", () => response.destroy());
    read(request)
      .then(async (text) => {
        if (request.method !== "POST" || request.url !== "/v1/chat/completions")
          return void response.writeHead(404).end(`{"error":{"message":"no such route"}}`);
        const body = requestBody.safeParse(JSON.parse(text));
        if (!body.success) problems.push(z.prettifyError(body.error));
        else problems.push(...orderProblems(body.data), ...schemaProblems(body.data));
        if (!body.success) return void response.writeHead(400).end(`{"error":{"message":"bad request"}}`);
        requests.push({ body: body.data, headers: request.headers });
        await perform(rule(body.data, requests.length), body.data.model, response);
      })
      .catch((error: unknown) => {
        problems.push(String(error));
        response.destroy();
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  let open = 0;
  let connections = 0;
  server.on("connection", (socket) => {
    open++;
    connections++;
    socket.on("close", () => open--);
  });
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    problems,
    openConnections: () => open,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function perform(answer: Answer, model: string, response: ServerResponse): Promise<void> {
  if ("status" in answer) {
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(answer.body ?? `{"error":{"message":"scripted"}}`);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  for (const step of answer) {
    if (response.destroyed) return;
    await performStep(step, model, response);
  }
}

async function performStep(step: Step, model: string, response: ServerResponse): Promise<void> {
  const send = (text: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => response.write(text, () => resolve()));
  const chunk = (delta: object, finish: string | null = null): string => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model, choices })}\n\n`;
  };
  if ("text" in step) await send(chunk({ content: step.text }));
  else if ("chunk" in step) await send(`data: ${JSON.stringify(step.chunk)}\n\n`);
  else if ("raw" in step) await send(step.raw);
  else if ("waitMs" in step) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
  else if ("call" in step) {
    const { index = 0, id = `call_${index}`, name, arguments: text } = step.call;
    await send(chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }] }));
  } else if ("finish" in step) {
    const usage = { id: "c", object: "chat.completion.chunk", created: 0, model, choices: [], usage: step.usage };
    const counted = step.usage === undefined ? "" : `data: ${JSON.stringify(usage)}\n\n`;
    await send(`${chunk({}, step.finish)}${counted}data: [DONE]\n\n`);
    response.end();
  } else if ("end" in step) response.end();
  else response.destroy();
}

/** What strict endpoints refuse in a schema: objects with fields that are not required, or with others besides. */
function schemaProblems({ response_format: format }: ScriptedRequest): string[] {
  const problems: string[] = [];
  const check = (schema: unknown, at: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    const { type, properties = {}, required = [], additionalProperties, items } = schema as Record<string, unknown>;
    if (Object.hasOwn(schema, "$schema")) problems.push(`${at}: $schema is not permitted`);
    if (type === "object") {
      if (additionalProperties !== false) problems.push(`${at}: additionalProperties is not false`);
      const names = Object.keys(properties as object);
      if (names.some((name) => !(required as string[]).includes(name))) problems.push(`${at}: a field is not required`);
    }
    for (const [name, property] of Object.entries(properties as object)) check(property, `${at}.${name}`);
    check(items, `${at}[]`);
  };
  check(format?.json_schema.schema, "schema");
  return problems;
}

/** What strict endpoints refuse in the order of messages. */
function orderProblems({ messages }: ScriptedRequest): string[] {
  const problems: string[] = [];
  let waiting: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "system" && index > 0) problems.push(`message ${index}: a system message is not the first`);
    if (message.role === "tool") {
      if (!waiting.includes(message.tool_call_id)) problems.push(`message ${index}: nobody asked for this result`);
      waiting = waiting.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (waiting.length > 0) problems.push(`message ${index}: results are missing before it`);
    waiting = message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
    if (message.role !== "system" && messages[index - 1]?.role === message.role)
      problems.push(`message ${index}: two in a row by ${message.role}`);
  }
  if (waiting.length > 0) problems.push("results are missing at the end");
  if (messages.find(({ role }) => role !== "system")?.role !== "user") problems.push("the user is not the first");
  return problems;
}
