import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import WebSocket from "ws";
import { controlSubjects, type KeysReply, type KeysRequest, type Reply } from "#protocol/bus/control";
import type { SignInCode } from "#protocol/console";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { createLogger } from "#common/log";
import { makeSignInUrl } from "#launcher/sign-in-url";
import { runCommandLine } from "../../cli/main.js";
import type { TestCluster } from "../harness/cluster.js";

const SESSION = "/v1/console/session";
const elsewhere = "http://127.0.0.1:1";

/** What `/v1/console` promises, asked without a browser. The last one leaves this address refused for a while. */
export function describeSignIn(started: () => TestCluster): void {
  let cluster: TestCluster;
  let bus: Bus;

  beforeAll(async () => {
    cluster = started();
    bus = await connectNats({ url: cluster.natsUrl, name: "test", log: createLogger("test", "fatal") });
  });
  afterAll(async () => {
    await bus?.close();
  });

  const keys = async (request: KeysRequest): Promise<KeysReply> => {
    const within = { timeoutMs: 10_000, dependency: "Keys" };
    const reply = await bus.request<Reply<KeysReply>>(controlSubjects.keys, request, within);
    if (!reply.ok) throw new Error(reply.error.code);
    return reply.value;
  };
  const makeKey = async (scopes: string[] | null): Promise<{ id: string; key: string }> => {
    const reply = await keys({ action: "create", name: "a key", teamId: null, scopes, expiresInMs: null });
    return { id: reply.keys[0]?.keyId ?? "", key: reply.key ?? "" };
  };
  const send = (method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Response> =>
    fetch(`${cluster.baseUrl}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const signIn = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    send("POST", SESSION, headers, body);
  /** The headers with which the page of a new session asks. */
  const pageOf = async (key: string): Promise<Record<string, string>> => {
    const answer = await signIn({ api_key: key });
    expect(answer.status).toBe(201);
    return { cookie: cookieOf(answer).split(";")[0] ?? "", origin: cluster.baseUrl };
  };
  const cookieOf = (answer: Response): string => answer.headers.getSetCookie()[0] ?? "";
  const issueCode = async (): Promise<SignInCode> => {
    const answer = await send("POST", "/v1/console/sign-in-codes", { authorization: `Bearer ${cluster.apiKey}` });
    expect(answer.status).toBe(201);
    return (await answer.json()) as SignInCode;
  };
  const statusOf = async (answer: Promise<Response>): Promise<number> => (await answer).status;

  it("exchanges a key for a cookie that no script can read", async () => {
    const answer = await signIn({ api_key: ` ${cluster.apiKey} ` });
    expect(cookieOf(answer)).toMatch(/^parley_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.json()).toMatchObject({ key: { name: "development key", scopes: ["*"] } });
    expect(cookieOf(await signIn({ api_key: cluster.apiKey }, { "x-forwarded-proto": "https" }))).toContain("; Secure");
  });

  it("lets the page do what the key may do, over HTTP and over sockets", async () => {
    const page = await pageOf(cluster.apiKey);
    const shown = await send("GET", SESSION, page);
    const { expires_at } = (await shown.json()) as { expires_at: string };
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(11.9 * 3600 * 1000);
    expect(await statusOf(send("GET", "/v1/usage", page))).toBe(200);
    const spoken = await send("POST", "/v1/tts", page, { text: "Hello.", format: "wav" });
    expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    expect(await upgrade(page)).toBe("open");
    const limited = await pageOf((await makeKey(["speech"])).key);
    expect(await statusOf(send("GET", "/v1/usage", limited))).toBe(403);
    expect(await statusOf(send("POST", "/v1/tts", limited, { text: "Hello." }))).toBe(200);
  });

  it("counts for no page of another origin, nor without one where something is changed", async () => {
    const { cookie = "" } = await pageOf(cluster.apiKey);
    const body = { text: "Hello." };
    expect(await statusOf(send("POST", "/v1/tts", { cookie }, body))).toBe(401);
    expect(await statusOf(send("POST", "/v1/tts", { cookie, origin: elsewhere }, body))).toBe(401);
    expect(await statusOf(send("POST", "/v1/tts", { cookie, origin: "null" }, body))).toBe(401);
    expect(await statusOf(send("GET", "/v1/usage", { cookie, origin: elsewhere }))).toBe(401);
    expect(await upgrade({ cookie, origin: elsewhere })).toBe(401);
    expect(await statusOf(send("DELETE", SESSION, { cookie, origin: elsewhere }))).toBe(401);
    expect(await statusOf(send("GET", SESSION, { cookie }))).toBe(200);
  });

  it("gives a token that opens nothing as a key, and a key goes before it", async () => {
    const page = await pageOf(cluster.apiKey);
    const token = page["cookie"]?.split("=")[1] ?? "";
    for (const shown of [`Bearer ${token}`, `Bearer session ${token}`, `Bearer session%20${token}`])
      expect([shown, await statusOf(send("GET", SESSION, { authorization: shown }))]).toEqual([shown, 401]);
    expect(await statusOf(send("GET", SESSION, { ...page, authorization: "Bearer wrong" }))).toBe(401);
    expect(await statusOf(signIn({ api_key: token }))).toBe(401);
  });

  it("refuses what is no key, with no cookie", async () => {
    const refused: [unknown, number][] = [
      [{ api_key: "wrong" }, 401],
      [{ api_key: "two words" }, 401],
      [{ api_key: "" }, 422],
      [{}, 422],
      [{ code: "wrong" }, 401],
      ["{", 400],
      ["", 415],
    ];
    for (const [body, status] of refused) {
      const answer = await signIn(body);
      expect([body, answer.status, answer.headers.getSetCookie()]).toEqual([body, status, []]);
    }
    expect(await statusOf(send("POST", SESSION, { "content-type": "text/plain" }, "{}"))).toBe(415);
    expect(await statusOf(signIn({ api_key: "k".repeat(5000) }))).toBe(413);
    expect(await statusOf(send("GET", SESSION, {}))).toBe(401);
    expect(await statusOf(send("POST", "/v1/console/sign-in-codes", {}))).toBe(401);
  });

  it("takes a code once, also of two that show it at the same time", async () => {
    const { code, path } = await issueCode();
    expect(path).toBe(`/console/sign-in#${code}`);
    const answers = await Promise.all([signIn({ code }), signIn({ code })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
    expect(await statusOf(signIn({ code }))).toBe(401);
    expect(await makeSignInUrl(cluster.baseUrl, cluster.apiKey)).toContain(`${cluster.baseUrl}/console/sign-in#`);
    expect(await makeSignInUrl(cluster.baseUrl, "wrong")).toBeNull();
  });

  it("begins with a link that the command line prints", async () => {
    const [stdin, stdout, stderr] = [
      Object.assign(Readable.from([]), { isTTY: false }),
      new PassThrough(),
      process.stderr,
    ];
    const printed = text(stdout);
    const args = ["console", "--url", cluster.baseUrl, "--key", cluster.apiKey];
    const terminal = { environment: {}, stdin, stdout, stderr, distDirectory: "" };
    expect(await runCommandLine(args, terminal)).toBe(0);
    stdout.end();
    const [page, code = ""] = (await printed).trim().split("#");
    expect(page).toBe(`${cluster.baseUrl}/console/sign-in`);
    expect(await statusOf(signIn({ code }))).toBe(201);
  });

  it("makes no link that would outlive it", async () => {
    expect(await statusOf(send("POST", "/v1/console/sign-in-codes", await pageOf(cluster.apiKey)))).toBe(401);
  });

  it("ends when the user signs out, and no other session with it", async () => {
    const [page, other] = [await pageOf(cluster.apiKey), await pageOf(cluster.apiKey)];
    const answer = await send("DELETE", SESSION, page);
    expect([answer.status, cookieOf(answer)]).toEqual([
      204,
      "parley_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
    ]);
    await expect.poll(() => statusOf(send("GET", "/v1/usage", page))).toBe(401);
    expect(await statusOf(send("GET", "/v1/usage", other))).toBe(200);
    expect(await statusOf(send("DELETE", SESSION, { authorization: `Bearer ${cluster.apiKey}` }))).toBe(204);
  });

  it("ends when the key is revoked", async () => {
    const { id, key } = await makeKey(null);
    const page = await pageOf(key);
    expect(await statusOf(send("GET", "/v1/usage", page))).toBe(200);
    await keys({ action: "revoke", keyId: id });
    await expect.poll(() => statusOf(send("GET", "/v1/usage", page))).toBe(401);
    expect(await statusOf(signIn({ api_key: key }))).toBe(401);
  });

  it("is not tried again and again", async () => {
    const tries = (body: () => unknown): Promise<number[]> =>
      Promise.all(Array.from({ length: 80 }, () => statusOf(signIn(body()))));
    const guess = (): string => crypto.randomUUID();
    expect(new Set(await tries(() => ({ code: guess() })))).toEqual(new Set([401, 429]));
    expect(new Set(await tries(() => ({ api_key: guess() })))).toEqual(new Set([401, 429]));
  });

  /** What comes of a socket: open, or the status of its refusal. */
  function upgrade(headers: Record<string, string>): Promise<"open" | number> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`${cluster.baseUrl.replace("http", "ws")}/v1/tts/live`, { headers });
      socket.on("error", reject);
      socket.on("open", () => {
        socket.terminate();
        resolve("open");
      });
      socket.on("unexpected-response", (_request, refusal) => {
        refusal.resume();
        resolve(refusal.statusCode ?? 0);
      });
    });
  }
}
