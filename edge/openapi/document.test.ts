import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { agentCreate } from "#protocol/agents/agent";
import { testCreate } from "#protocol/agents/tests";
import { toolCreate } from "#protocol/tools";
import { errorCatalogue } from "#protocol/errors";
import { buildOpenApi } from "./document.js";
import { bracedPath } from "#protocol/operations/operation";
import { operations } from "#protocol/operations/operations";

interface Described {
  operationId: string;
  security: unknown[];
  parameters: { name: string; in: string; schema: Record<string, unknown> }[];
  requestBody?: {
    content: Record<string, { schema: { properties: Record<string, Record<string, unknown>>; required?: string[] } }>;
  };
  responses: Record<
    string,
    {
      description: string;
      headers?: Record<string, unknown>;
      content?: Record<string, { schema: Record<string, unknown> }>;
    }
  >;
}
const document = buildOpenApi() as { openapi: string; paths: Record<string, Record<string, Described>> };
const tts = document.paths["/v1/tts"]!["post"]!;
/** Checks a body as the document describes it. */
const checkOf = (path: string): ((body: unknown) => boolean) => {
  const { schema } = document.paths[path]!["post"]!.requestBody!.content["application/json"]!;
  return new Ajv2020({ strict: false }).compile(schema);
};

describe("the OpenAPI document", () => {
  it("describes every operation under its own id", () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(ids).toHaveLength(operations.length);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain("postV1Tts");
  });

  it("refers to nothing that it does not have", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]*)"/g)].map(([, path = ""]) => path);
    expect(references).toContain("components/schemas/JsonValue");
    for (const reference of new Set(references)) {
      const found = reference
        .split("/")
        .reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document);
      expect([reference, typeof found]).toEqual([reference, "object"]);
    }
    expect(JSON.stringify(document)).not.toContain("$defs");
  });

  it("takes bounds, defaults and required fields from the schemas that check requests", () => {
    const { schema } = tts.requestBody!.content["application/msgpack"]!;
    expect(schema.required).toEqual(["text"]);
    expect(schema.properties["chunk_length"]).toEqual({ type: "integer", minimum: 100, maximum: 300, default: 200 });
    expect(schema.properties["mp3_bitrate"]).toEqual({ type: "integer", enum: [64, 128, 192], default: 128 });
    expect(schema.properties["format"]).toEqual({
      type: "string",
      enum: ["mp3", "wav", "pcm", "opus"],
      default: "mp3",
    });
    expect(schema.properties["temperature"]).toEqual({ type: "number", minimum: 0, maximum: 1, default: 0.7 });
    expect(schema.properties["sample_rate"]).toMatchObject({
      type: "integer",
      enum: [8000, 16_000, 24_000, 32_000, 44_100, 48_000],
      description: expect.stringContaining("mp3 32000, 44100; wav 8000"),
    });
    expect(schema.properties["opus_bitrate"]).toMatchObject({ enum: expect.arrayContaining([-1000, 64_000, 64]) });
    const create = document.paths["/model"]!["post"]!.requestBody!.content["multipart/form-data"]!.schema;
    expect(create.required).toEqual(["type", "train_mode", "title", "voices"]);
  });

  it("describes keys, placeholders, headers, queries and errors", () => {
    expect([tts.security, document.paths["/health"]!["get"]!.security]).toEqual([[{ bearer: [] }], []]);
    expect(tts.parameters.map(({ name }) => name)).toEqual(["model", "traceparent"]);
    expect(document.paths["/model/{id}"]!["get"]!.parameters).toMatchObject([
      { name: "id", in: "path", required: true },
    ]);
    const list = document.paths["/model"]!["get"]!.parameters;
    expect(list.find(({ name }) => name === "page_size")?.schema).toMatchObject({
      type: "integer",
      minimum: 1,
      maximum: 100,
    });
    expect(tts.responses["401"]?.headers).toHaveProperty("WWW-Authenticate");
    expect(tts.responses["415"]).toEqual({ description: "No body" });
    expect(tts.responses["422"]?.content?.["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/Problems",
    });
    expect(tts.responses["503"]?.headers).toHaveProperty("Retry-After");
  });

  it("describes each status in its real shape: nothing, a list of problems, or an error", () => {
    for (const operation of operations) {
      const { method, errors, success, redirect } = operation;
      const path = bracedPath(operation);
      const { responses } = document.paths[path]![method.toLowerCase()]!;
      const entries = errors.map((code): { status: number; shape?: string; message: string } => errorCatalogue[code]);
      for (const status of new Set(entries.map((entry) => entry.status))) {
        const own = entries.filter((entry) => entry.status === status);
        const withBody = own.filter(({ shape }) => shape !== "bare");
        const names = new Set(withBody.map(({ shape }) => (shape === "problems" ? "Problems" : "Error")));
        const references = [...names].map((name) => ({ $ref: `#/components/schemas/${name}` }));
        const schema = references.length < 2 ? references[0] : { anyOf: references };
        const { content, description } = responses[String(status)]!;
        expect([method, path, status, content]).toEqual([
          method,
          path,
          status,
          schema === undefined ? undefined : { "application/json": { schema } },
        ]);
        for (const { message } of withBody) expect(description).toContain(message);
      }
      expect(Object.keys(responses).map(Number).sort()).toEqual(
        [
          ...new Set([
            success.status,
            ...(redirect === undefined ? [] : [307]),
            ...entries.map(({ status }) => status),
          ]),
        ].sort(),
      );
    }
    // The one status of which one error has a body and another none.
    expect(tts.responses["401"]?.description).toBe(
      "No body when the Authorization header is missing or malformed. Otherwise: Invalid token · Token expired",
    );
    expect(tts.responses["415"]).toEqual({ description: "No body" });
  });

  const checkTest = checkOf("/v1/agent/tests");
  const reply = { name: "n", test_type: "next_reply", conversation: [{ text: "Hi" }], expectation: "greets" };
  const tool = { name: "n", test_type: "tool", conversation: [{ text: "Hi" }], referenced_tool: { id: "t" } };
  const simulation = { name: "n", test_type: "simulation", simulation: { scenario: "s" } };
  it.each<[object, boolean]>([
    ...[reply, tool, simulation].map((body): [object, boolean] => [body, true]),
    [
      { ...simulation, ...reply, agent_ids: ["a"], test_id: "t", workspace_id: "w", created_at: 1, updated_at: null },
      true,
    ],
    ...(["name", "test_type", "conversation", "expectation"] as const).map((name): [object, boolean] => [
      { ...reply, [name]: undefined },
      false,
    ]),
    [{ ...reply, conversation: [] }, false],
    [{ ...reply, expectation: "" }, false],
    [{ ...tool, conversation: undefined }, false],
    [{ ...tool, referenced_tool: undefined }, false],
    [{ ...tool, referenced_tool: null }, false],
    [{ ...simulation, simulation: undefined }, false],
    [{ ...simulation, simulation: null }, false],
    [{ ...reply, test_type: "simulation" }, false],
    [{ ...reply, test_type: "other" }, false],
    [{ ...reply, surprise: 1 }, false],
  ])("says of a test what its type needs, as the check does: %j is good: %s", (body, isGood) => {
    const sent: unknown = JSON.parse(JSON.stringify(body));
    expect([checkTest(sent), testCreate.safeParse(sent).success]).toEqual([isGood, isGood]);
  });

  const checkTool = checkOf("/v1/agent/tools");
  const webhook = { name: "Find an order", url: "https://api.example.com/orders" };
  const client = { name: "show_map", tool_type: "client" };
  const integration = { name: "Book", tool_type: "integration", integration: "google_calendar:create_event" };
  it.each<[object, boolean]>([
    ...[webhook, { ...webhook, tool_type: "webhook" }, client, integration].map((body): [object, boolean] => [
      body,
      true,
    ]),
    [{ name: "n" }, false],
    [{ name: "n", url: "" }, false],
    [{ name: "n", tool_type: "webhook" }, false],
    [{ ...webhook, name: undefined }, false],
    [{ ...integration, integration: undefined }, false],
    [{ ...integration, integration: "calendar" }, false],
    [{ ...client, tool_type: "other" }, false],
    [{ ...webhook, surprise: 1 }, false],
  ])("says of a tool what its type needs, as the check does: %j is good: %s", (body, isGood) => {
    const sent: unknown = JSON.parse(JSON.stringify(body));
    expect([checkTool(sent), toolCreate.safeParse(sent).success]).toEqual([isGood, isGood]);
  });

  it.each([
    [null, true],
    [[], true],
    [{ url: "https://a.example/" }, true],
    [[{ url: "https://a.example/" }], true],
    ["https://a.example/", false],
    [{ url: 1 }, false],
  ])("says of webhooks after calls what the check takes: %j is good: %s", (postCall, isGood) => {
    const body = { name: "Ann", config: { webhooks: { post_call: postCall } } };
    expect([checkOf("/v1/agent/agents")(body), agentCreate.safeParse(body).success]).toEqual([isGood, isGood]);
  });

  it("says of a client tool what a name it may have", () => {
    const named = [webhook, client].map((body) => checkTool({ ...body, name: "1 order" }));
    expect(named).toEqual([true, false]);
  });

  it("is plain JSON", () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });
});
