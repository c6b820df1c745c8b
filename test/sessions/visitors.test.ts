import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eq } from "drizzle-orm";
import { agents } from "#control-plane/agents/tables";
import type { ServiceFixture } from "../control-plane/service.js";
import { hasStatus, publishedAgent, type SessionPlatform, sessionWhen, startPlatform } from "./platform.js";
import type { TeamClient } from "../agents/client.js";

const SESSIONS = "/v1/agent/sessions";
const ORIGIN = "https://shop.example";
const at = new Date("2026-11-22T10:00:15.000Z");
const missing = "f".repeat(32);

/** A page's visitor: no key, an origin or none, an address. */
async function visit(
  fixture: ServiceFixture,
  body: Record<string, unknown>,
  options: { origin?: string | null; address?: string; query?: string } = {},
) {
  const { origin = ORIGIN, address = "192.0.2.1", query = "" } = options;
  const {
    status,
    headers,
    body: bytes,
  } = await fixture.call(null, "POST", SESSIONS, {
    query,
    contentType: "application/json",
    body: JSON.stringify(body),
    clientAddress: address,
    headers: origin === null ? {} : { origin },
  });
  return { status, headers, json: JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown> };
}

describe("callers without a key", () => {
  let platform: SessionPlatform;
  let team: TeamClient;

  beforeAll(async () => {
    platform = await startPlatform("pglite", {
      // One minute for all: a window must not begin anew in the middle of a test.
      now: () => at,
      sessions: { joinMs: 60_000, visitorsPerAgent: 4, visitorsPerAddress: 3 },
    });
    team = await platform.addTeam();
  });
  afterAll(() => platform.stop());

  const publicAgent = (of: TeamClient = team, change: Record<string, unknown> = {}, config = {}): Promise<string> =>
    publishedAgent(of, config, { public_enabled: true, allowed_origins: [ORIGIN], ...change });
  /** Every test has an address of its own. */
  let addresses = 0;
  const newAddress = (): string => `198.51.100.${++addresses}`;

  it("begin sessions with public agents from their pages, on the owner's credit", async () => {
    const owner = await platform.addTeam(1_000_000);
    const agent = await publicAgent(owner);
    const { status, json } = await visit(
      platform.fixture,
      { agent_id: agent, tool_events: true },
      { address: newAddress() },
    );
    expect([status, json["transport"]]).toEqual([201, "livekit"]);
    expect(await platform.balances(owner)).toMatchObject({ credit: 700_000, held: 300_000 });
    const shown = await owner.ask("GET", `${SESSIONS}/${String(json["session_id"])}`);
    expect(shown.json).toMatchObject({ source: "public", status: "pending" });
  });

  it("cost nothing where nobody could recognize or speak, and see the session fail at once: no time passes here", async () => {
    const owner = await platform.addTeam(1_000_000);
    const begun = { agent_id: await publicAgent(owner) };
    const { json } = await visit(platform.fixture, begun, { address: newAddress() });
    const sessionId = String(json["session_id"]);
    platform.runtime.write(sessionId, { type: "ended", reason: "speech_unavailable", detail: "No recognizer" }, at);
    const detail = await sessionWhen(owner, sessionId, hasStatus("failed"), "the end of the session");
    expect(detail).toMatchObject({ ended_reason: "speech_unavailable", duration_seconds: null });
    expect(await platform.balances(owner)).toEqual({ credit: 1_000_000, held: 0, spent: 0 });
  });

  it.each<[string, Record<string, unknown>, string | null, number, string]>([
    ["an agent that is not public", { public_enabled: false }, ORIGIN, 403, "Agent is not public"],
    ["no origin", {}, null, 403, "Origin header is required for public agents"],
    ["another origin", {}, "https://other.example", 403, "Origin not allowed"],
    ["no origin at an agent that is not public", { public_enabled: false }, null, 403, "Agent is not public"],
  ])("are refused for %s", async (_, change, origin, status, message) => {
    const agent = await publicAgent(team, change);
    const refused = await visit(platform.fixture, { agent_id: agent }, { origin, address: newAddress() });
    expect([refused.status, refused.json["message"]]).toEqual([status, message]);
  });

  it("are refused where there is no agent, or none that is published or active", async () => {
    const address = newAddress();
    expect((await visit(platform.fixture, { agent_id: missing }, { address })).status).toBe(404);
    const draft = await team.ask("POST", "/v1/agent/agents", { name: "Draft" });
    const agent = String(draft.json["agent_id"]);
    await team.ask("PATCH", `/v1/agent/agents/${agent}`, { public_enabled: true, allowed_origins: [ORIGIN] });
    expect((await visit(platform.fixture, { agent_id: agent }, { address })).json).toEqual({
      status: 409,
      message: "Agent has no published version",
    });
    const stranger = { address, origin: "https://other.example" };
    expect((await visit(platform.fixture, { agent_id: agent }, stranger)).json["message"]).toBe("Origin not allowed");
    const archived = await publicAgent(team, { status: "active" });
    await platform.fixture.db.update(agents).set({ status: "archived" }).where(eq(agents.id, archived));
    expect((await visit(platform.fixture, { agent_id: archived }, { address })).status).toBe(403);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ name: "Call" }, "name"],
    [{ llm_extra_body: { model: "another" } }, "llm_extra_body"],
    [{ overrides: { system_prompt: "Obey." } }, "overrides.system_prompt"],
    [{ overrides: { first_message: "Hi" } }, "overrides.first_message"],
  ])("may not say %j", async (change, names) => {
    const agent = await publicAgent(team, {
      overrides_allowed: ["system_prompt", "first_message", "voice_id", "language"],
    });
    const refused = await visit(platform.fixture, { agent_id: agent, ...change }, { address: newAddress() });
    expect([refused.status, refused.json["message"]]).toEqual([400, `Only requests with an API key may set ${names}`]);
    const chosen = { overrides: { voice_id: "v" }, language: "de" };
    expect((await visit(platform.fixture, { agent_id: agent, ...chosen }, { address: newAddress() })).status).toBe(201);
  });

  it("may not run the draft, nor override what the agent does not allow", async () => {
    const agent = await publicAgent();
    const address = newAddress();
    const preview = await visit(platform.fixture, { agent_id: agent }, { address, query: "preview=1" });
    expect(preview).toMatchObject({ status: 400, json: { message: "Only requests with an API key may set preview" } });
    const spoken = await visit(platform.fixture, { agent_id: agent, language: "de" }, { address });
    expect(spoken.json["message"]).toBe("This agent does not allow sessions to override language");
  });

  it("do not learn that the owner has no credit", async () => {
    const poor = await platform.addTeam(1000);
    const agent = await publicAgent(poor);
    const refused = await visit(platform.fixture, { agent_id: agent }, { address: newAddress() });
    expect(refused).toMatchObject({ status: 403, json: { message: "Agent is unavailable" } });
    expect(await platform.balances(poor)).toEqual({ credit: 1000, held: 0, spent: 0 });
  });

  it("begin so many sessions in a minute from one address, and with one agent", async () => {
    const [one, two] = [await publicAgent(), await publicAgent()];
    const begin = async (agent: string, address: string) => {
      const { status, headers } = await visit(platform.fixture, { agent_id: agent }, { address });
      return status === 429 ? `${status} in ${headers["retry-after"]} s` : String(status);
    };
    const [a, b] = [newAddress(), newAddress()];
    for (const expected of ["201", "201", "201", "429 in 45 s"]) expect(await begin(one, a)).toBe(expected);
    expect(await begin(two, a)).toBe("429 in 45 s");
    for (const expected of ["201", "429 in 45 s"]) expect(await begin(one, b)).toBe(expected);
    expect(await begin(two, b)).toBe("201");
    // Keys are not limited.
    for (let count = 0; count < 5; count++)
      expect((await team.ask("POST", SESSIONS, { agent_id: one })).status).toBe(201);
  });
});
