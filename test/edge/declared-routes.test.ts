import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import WebSocket from "ws";
import { compatMounts, compatOperations } from "#protocol/compat/operations";
import type { Metrics } from "#common/metrics/registry";
import { edgeRoutes } from "#edge/routes/edge-routes";
import { TranscriptionBench } from "#edge/transcription/testing/transcription-bench";
import { SpeechBench } from "#edge/speech/testing/speech-bench";
import { type HttpAnswer, sendHttp } from "../bad-input/send.js";
import { holdSessions, makePastWork, publishedAgent } from "../fuzz/conversations.js";
import { judgeBy } from "../fuzz/judge.js";
import { type Description, type FuzzOperation, operationsOf } from "../fuzz/description.js";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { form } from "../knowledge/form.js";
import { type RoomServerStandIn, startRoomServer } from "../sessions/room-server.js";
import { type Endpoint, startEndpoint } from "../tools/endpoint.js";

/** A path with the methods that are declared for it. */
interface Declared {
  pattern: string;
  methods: string[];
}

/** Pages, which need no description. */
const consolePages = ["/console", "/console/*", "/console/assets/*"];
const widgetFiles = ["/widget.js", "/widget/*"];
const pages: Declared[] = [
  "/",
  "/docs",
  "/docs/assets/*",
  "/openapi.json",
  "/asyncapi.json",
  ...consolePages,
  ...widgetFiles,
].map((pattern) => ({ pattern, methods: ["GET"] }));

/** Lists and stubs of the compatibility layers; what takes parameters is in `compatOperations`. */
const compatLists: Declared[] = [
  ...compatMounts["OpenAI, OpenRouter, Groq"].map((mount) => `${mount}/models`),
  ...["/v1/voices", "/v2/voices", "/v1/voices/:voice_id", "/v1/models", "/v1/user", "/v1/user/subscription"].map(
    (path) => `${compatMounts.ElevenLabs[0]}${path}`,
  ),
].map((pattern) => ({ pattern, methods: ["GET"] }));

const compat: Declared[] = [
  ...compatOperations.flatMap(({ protocol, method, path }) =>
    compatMounts[protocol].map((mount) => ({
      pattern: `${mount}${path}`,
      methods: [method === "WebSocket" ? "GET" : method],
    })),
  ),
  ...compatLists,
];

/** Opened by a signed address, not by a key. */
const DOWNLOAD = "/v1/recordings/{session_id}/{role}";

const PIXEL_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const ANY_METHOD = ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "BREW"];
const origin = "https://shop.example";

/** As `Allow` and the preflight list them. */
const allowOf = (methods: readonly string[]): string =>
  [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort().join(", ");

/** Operations by path. */
function grouped(operations: readonly FuzzOperation[]): (Declared & { operations: FuzzOperation[] })[] {
  const patterns = [...new Set(operations.map(({ pattern }) => pattern))];
  return patterns.map((pattern) => {
    const own = operations.filter((operation) => operation.pattern === pattern);
    return { pattern, methods: own.map(({ method }) => method), operations: own };
  });
}

describe("the routes of an edge, on a real cluster", () => {
  let cluster: TestCluster;
  let description: Description;
  let endpoint: Endpoint;
  let roomServer: RoomServerStandIn;
  let runtime: Awaited<ReturnType<typeof holdSessions>>;
  /** Records that exist, by the name of a placeholder. */
  let ids: Record<string, string>;
  /** Opens the download of the recording that exists. */
  let download: string;

  beforeAll(async () => {
    [endpoint, roomServer] = [await startEndpoint(), await startRoomServer()];
    const rooms = {
      LIVEKIT_URL: roomServer.url,
      LIVEKIT_API_KEY: roomServer.apiKey,
      LIVEKIT_API_SECRET: roomServer.apiSecret,
    };
    const settings = { ...rooms, PARLEY_OUTBOUND_ALLOW: new URL(endpoint.url).host };
    cluster = await startCluster({ models: allModels, settings });
    runtime = await holdSessions(cluster);
    description = (await (await fetch(`${cluster.baseUrl}/openapi.json`)).json()) as Description;
    const past = await makePastWork(cluster, await publishedAgent(cluster, endpoint.url));
    ids = { ...(await makeRecords()), ...past.ids };
    ({ download } = past);
  });
  afterAll(async () => {
    await runtime?.stop();
    await Promise.all([cluster?.stop(), endpoint?.stop(), roomServer?.stop()]);
  });

  async function ask(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body: Uint8Array | null = null,
  ): Promise<HttpAnswer> {
    const target = { port: Number(new URL(cluster.baseUrl).port), apiKey: cluster.apiKey, voiceId: "" };
    return await sendHttp({ kind: "http", name: "", method, path, headers, body, expected: [] }, target);
  }

  /** One record of each kind that routes name, of those that a conversation does not leave. */
  async function makeRecords(): Promise<Record<string, string>> {
    const make = async (path: string, value: unknown, id: string): Promise<string> => {
      const { status, body } = await ask(
        "POST",
        path,
        { "content-type": "application/json" },
        Buffer.from(JSON.stringify(value)),
      );
      expect([path, status, body.toString()]).toEqual([path, 201, expect.any(String)]);
      return String((JSON.parse(body.toString()) as Record<string, unknown>)[id]);
    };
    const json = { "content-type": "application/json" };
    const speech = await ask(
      "POST",
      "/v1/tts",
      json,
      Buffer.from(JSON.stringify({ text: "A sample that is long enough to be measured.", format: "wav" })),
    );
    const voice = {
      type: "tts",
      train_mode: "fast",
      title: "A voice",
      visibility: "private",
      voices: [speech.body.toString("base64")],
      cover_image: PIXEL_PNG,
    };
    const source = form(["source", "We open at nine.", "a.md"]);
    const uploaded = await ask(
      "POST",
      "/v1/agent/knowledge-sources",
      { "content-type": source.contentType },
      source.body,
    );
    // The room server has no SIP: the number stays, with what went wrong.
    const trunk = { provider: "sip", phone_number: "+14155550100", inbound_allowed_addresses: ["203.0.113.1"] };
    await ask("POST", "/v1/agent/phone-numbers", json, Buffer.from(JSON.stringify(trunk)));
    const numbers = JSON.parse((await ask("GET", "/v1/agent/phone-numbers")).body.toString()) as {
      phone_numbers: { phone_number_id: string }[];
    };
    return {
      id: await make("/model", voice, "_id"),
      position: "0",
      tool_id: await make("/v1/agent/tools", { name: "Order", url: endpoint.url }, "tool_id"),
      phone_number_id: numbers.phone_numbers[0]?.phone_number_id ?? "",
      source_id: String((JSON.parse(uploaded.body.toString()) as { knowledge_source_id: string }).knowledge_source_id),
      voice_id: "default",
    };
  }

  /** The path of a pattern with records that exist, or with ones that do not. */
  const pathOf = (pattern: string, known = true): string => {
    const path = pattern.replace(/\{(\w+)\}|:(\w+)/g, (_, name: string | undefined, other: string | undefined) =>
      known ? (ids[name ?? other ?? ""] ?? "0") : "0",
    );
    return known && pattern === DOWNLOAD ? `${path}?${download}` : path;
  };

  const native = (): ReturnType<typeof grouped> => grouped(operationsOf(description));
  const everything = (): Declared[] => [...native(), ...compat, ...pages];

  it("are those that /openapi.json and the tables of the compatibility layers declare, and no others", () => {
    const [speech, transcription] = [new SpeechBench(), new TranscriptionBench()];
    const facts = () => ({
      members: speech.submissions.cluster.members,
      busConnected: true,
      draining: false,
      defaultModels: [],
    });
    const metrics = { text: async () => "", contentType: "text/plain" } as unknown as Metrics;
    const { routes, sockets } = edgeRoutes(speech.context, transcription.context, { id: "edge", facts, metrics });
    const served = [...routes, ...sockets.map(({ path }) => ({ method: "GET", path }))].map(
      ({ method, path }) => `${method} ${path}`,
    );
    const declared = everything().flatMap(({ pattern, methods }) =>
      methods.map((method) => `${method} ${pattern.replace(/\{(\w+)\}/g, ":$1")}`),
    );
    expect(served.length).toBe(new Set(served).size);
    expect([...served].sort()).toEqual([...declared].sort());
  });

  it("name in Allow and in the answer to a preflight exactly the methods that they have", async () => {
    const asked = {
      origin,
      authorization: "",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization, content-type, x-fish-sdk",
    };
    for (const { pattern, methods } of everything()) {
      for (const path of slashed(pathOf(pattern, false))) {
        const { status, headers, body } = await ask("OPTIONS", path, asked);
        const allow = allowOf(methods);
        expect({
          path,
          status,
          body: body.toString(),
          allow: headers["allow"],
          methods: headers["access-control-allow-methods"],
        }).toEqual({ path, status: 204, body: "", allow, methods: allow });
        expect([path, headers["access-control-allow-origin"], headers["access-control-allow-headers"]]).toEqual([
          path,
          "*",
          asked["access-control-request-headers"],
        ]);
      }
    }
    expect(
      (await ask("OPTIONS", "/v1/tts", { origin, authorization: "" })).headers["access-control-allow-headers"],
    ).toContain("x-fish-sdk");
    for (const path of ["/v1/agent/nothing", "/model/1/2/3", "/compat/v1/nothing", "/v1"])
      expect([path, (await ask("OPTIONS", path)).status]).toEqual([path, 404]);
  });

  it("answer any other method with 405, in the words of their protocol", async () => {
    for (const { pattern, methods } of everything()) {
      const [path = ""] = slashed(pathOf(pattern, false));
      const wrong = [...ANY_METHOD, ...(methods.includes("GET") ? [] : ["HEAD"])].filter(
        (method) => !methods.includes(method),
      );
      for (const method of wrong) {
        const { status, headers, body } = await ask(method, path, { authorization: "" });
        expect([method, path, status, headers["allow"]]).toEqual([method, path, 405, allowOf(methods)]);
        if (method !== "HEAD") expect([path, shapeOf(body)]).toEqual([path, expectedShape(pattern, 405)]);
      }
    }
  });

  it("answer HEAD as GET, without the body", async () => {
    const statuses = new Map<string, number>();
    for (const { pattern } of everything().filter(({ methods }) => methods.includes("GET"))) {
      const path = pathOf(pattern);
      // What is read may have changed between the two requests: a delivery is made, an event is counted.
      await vi.waitFor(
        async () => {
          const [got, head] = [await ask("GET", path, { origin }), await ask("HEAD", path, { origin })];
          statuses.set(pattern, got.status);
          expect([path, head.status, head.headers["content-type"], head.body.byteLength]).toEqual([
            path,
            got.status,
            got.headers["content-type"],
            0,
          ]);
          // The metrics count the first of the two requests.
          if (!["/metrics", "/health"].includes(path))
            expect([path, head.headers["content-length"]]).toEqual([path, String(got.body.byteLength)]);
        },
        { timeout: 15_000, interval: 100 },
      );
    }
    // It would mean little of a record that there is not: whoever adds a route makes its record above.
    const asked = native().filter(({ methods }) => methods.includes("GET"));
    const others = asked.map(({ pattern }) => [pattern, statuses.get(pattern)]).filter(([, status]) => status !== 200);
    expect(Object.fromEntries(others)).toEqual({
      "/v1/tts/live": 426,
      "/v1/agent/available-phone-numbers": 502,
      // This cluster stores none.
      "/v1/traces/{trace_id}": 404,
    });
  });

  it("ask for a key where they say so: without one nothing but the status, with a wrong one an error", async () => {
    const { judge } = judgeBy(description);
    const open = ["/v1/agent/agents/{agent_id}/widget", DOWNLOAD, "/health", "/ready", "/metrics"];
    for (const { operations, pattern } of native()) {
      for (const target of operations) {
        const [none, wrong] = [
          await ask(target.method, pathOf(pattern), { authorization: "" }),
          await ask(target.method, pathOf(pattern), { authorization: "Bearer wrong" }),
        ];
        const signsIn = pattern === "/v1/console/session" && target.method === "POST";
        const isOpen = open.includes(pattern) || pattern === "/v1/tts/live" || signsIn;
        const shown = [target.method, pattern];
        // An empty requirement: a key is optional, and one that is no good is refused all the same.
        const isKeyOptional = target.operation.security?.some((needed) => Object.keys(needed).length === 0) === true;
        if (isKeyOptional) expect([...shown, none.status]).not.toEqual([...shown, 401]);
        else if (isOpen) expect([...shown, [none.status, wrong.status].includes(401)]).toEqual([...shown, false]);
        else
          expect([...shown, none.status, none.headers["content-type"], none.body.byteLength]).toEqual([
            ...shown,
            401,
            undefined,
            0,
          ]);
        if (!isOpen)
          expect([...shown, wrong.status, JSON.parse(wrong.body.toString())]).toEqual([
            ...shown,
            401,
            { status: 401, message: "Invalid token" },
          ]);
        expect([...shown, judge(target, none, { kind: "any" }), judge(target, wrong, { kind: "any" })]).toEqual([
          ...shown,
          null,
          null,
        ]);
      }
    }
  });

  it("answer an empty body as declared, whether or not the path ends in a slash", async () => {
    const { judge } = judgeBy(description);
    const statuses = new Set<number>();
    for (const { operations, pattern } of native()) {
      for (const target of operations) {
        const body = target.operation.requestBody;
        const types =
          body === undefined
            ? [undefined]
            : [
                undefined,
                ...Object.keys(body.content).map((type) =>
                  type.startsWith("multipart/") ? `${type}; boundary=B` : type,
                ),
              ];
        for (const type of types) {
          const answers = [];
          for (const path of slashed(pathOf(pattern, target.method !== "DELETE"))) {
            const answer = await ask(
              target.method,
              path,
              type === undefined ? {} : { "content-type": type },
              type === undefined ? null : new Uint8Array(),
            );
            const shown = `${target.method} ${path} ${type ?? ""}`;
            expect([shown, judge(target, answer, { kind: "any" })]).toEqual([shown, null]);
            const isRefused = body?.required === true && answer.status !== 404;
            if (isRefused)
              expect([shown, answer.status, answer.body.byteLength, answer.headers["content-type"]]).toEqual([
                shown,
                415,
                0,
                undefined,
              ]);
            answers.push(answer.status);
            statuses.add(answer.status);
          }
          expect([target.method, pattern, type, new Set(answers).size]).toEqual([target.method, pattern, type, 1]);
        }
      }
    }
    // It would mean little if everything were answered in one way.
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 204, 404, 415, 426]));
  });

  it("of the compatibility layers answer an empty body in their own shape, with and without a slash", async () => {
    for (const { pattern, methods } of compat.filter(({ methods: own }) => !own.includes("GET"))) {
      for (const type of ["", "application/json", "multipart/form-data; boundary=B"]) {
        const answers = [];
        for (const path of slashed(pathOf(pattern))) {
          const { status, body } = await ask(
            methods[0] ?? "",
            path,
            type === "" ? {} : { "content-type": type },
            type === "" ? null : new Uint8Array(),
          );
          expect([path, type, status >= 400 && status < 500, shapeOf(body)]).toEqual([
            path,
            type,
            true,
            expectedShape(pattern, status),
          ]);
          answers.push(status);
        }
        expect([pattern, type, new Set(answers).size]).toEqual([pattern, type, 1]);
      }
    }
  });

  it("open a WebSocket where one is declared, and refuse its upgrade in the words of the protocol, with and without a slash", async () => {
    const sockets = [
      "/v1/tts/live",
      ...compatOperations
        .filter(({ method }) => method === "WebSocket")
        .flatMap(({ protocol, path }) => compatMounts[protocol].map((mount) => mount + path)),
    ];
    expect(sockets).toHaveLength(7);
    for (const pattern of sockets) {
      for (const path of slashed(pathOf(pattern))) {
        expect([
          path,
          await upgrade(path, { authorization: `Bearer ${cluster.apiKey}`, "xi-api-key": cluster.apiKey }),
        ]).toEqual([path, "open"]);
        expect([path, await upgrade(path, { authorization: "Bearer wrong", "xi-api-key": "wrong" })]).toEqual([
          path,
          { status: 401, shape: expectedShape(pattern, 401) },
        ]);
      }
    }
  });

  /** What comes of an upgrade; an open socket is closed at once. */
  function upgrade(path: string, headers: Record<string, string>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${cluster.baseUrl.replace("http", "ws")}${path}`, { headers });
      socket.on("error", reject);
      socket.on("open", () => {
        socket.terminate();
        resolve("open");
      });
      socket.on("unexpected-response", (_request, refusal) => {
        const pieces: Buffer[] = [];
        refusal.on("data", (piece: Buffer) => pieces.push(piece));
        refusal.on("end", () => resolve({ status: refusal.statusCode, shape: shapeOf(Buffer.concat(pieces)) }));
      });
    });
  }

  it("end in one slash at most", async () => {
    for (const path of ["/v1/tts", "/model", "/health", "/v1/agent/agents", "/compat/v1/models"]) {
      for (const method of ["GET", "POST", "OPTIONS"])
        expect([path, method, (await ask(method, `${path}//`)).status]).toEqual([path, method, 404]);
    }
  });

  it("of the compatibility layers answer unknown paths in their own shape, the mount itself among them", async () => {
    for (const mount of Object.values(compatMounts).flat()) {
      for (const path of ["", "/", "/nothing", "/v1/nothing/more"]) {
        for (const method of ["GET", "POST", "OPTIONS", "BREW"]) {
          const { status, body, headers } = await ask(method, mount + path);
          expect([mount + path, method, status, shapeOf(body)]).toEqual([
            mount + path,
            method,
            404,
            expectedShape(mount, 404),
          ]);
          expect(headers["x-request-id"]).toMatch(/^[0-9a-f]{32}$/);
        }
      }
    }
  });
});

/** A path, and the same with a slash at its end. */
const slashed = (path: string): string[] =>
  path === "/" ? [path] : [path, path.includes("?") ? path.replace("?", "/?") : `${path}/`];

/** What tells the shapes of error bodies apart. */
function shapeOf(body: Buffer): unknown {
  const value = JSON.parse(body.toString()) as {
    status?: number;
    error?: { code: number };
    detail?: { status: unknown };
  };
  if (value.error !== undefined) return { openai: value.error.code };
  return value.detail === undefined ? { native: value.status } : { elevenlabs: typeof value.detail.status };
}

function expectedShape(pattern: string, status: number): unknown {
  if (compatMounts["OpenAI, OpenRouter, Groq"].some((mount) => pattern.startsWith(mount))) return { openai: status };
  return pattern.startsWith(compatMounts.ElevenLabs[0] ?? "") ? { elevenlabs: "string" } : { native: status };
}
