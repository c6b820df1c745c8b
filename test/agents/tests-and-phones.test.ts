import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newIdentifier } from "#common/identifier";
import { phoneNumbers } from "#control-plane/phone/tables";
import { MAX_PHONE_NUMBERS } from "#protocol/agents/phone";
import { engines } from "../control-plane/databases.js";
import type { ServiceFixture } from "../control-plane/service.js";
import { addClient, createAgent, startTeams, type TeamClient } from "./client.js";

const missing = "f".repeat(32);
const reply = {
  name: "greets",
  test_type: "next_reply",
  conversation: [{ role: "user", text: "Hi" }],
  expectation: "The agent greets.",
};
const tool = { id: "t1", name: "look up", type: "webhook", description: "" };
const simulation = {
  name: "books",
  test_type: "simulation",
  simulation: { scenario: "A guest books a room.", assertions: { tool_calls: [{ tool }] } },
};
const trunk = { provider: "sip", phone_number: "+4930123456", inbound_allowed_addresses: ["203.0.113.0/24"] };

describe.each(engines)("tests of agents and phone numbers on %s", (engine) => {
  let fixture: ServiceFixture;
  let team: TeamClient;

  beforeAll(async () => {
    ({ fixture, team } = await startTeams(engine));
  });
  afterAll(() => fixture.stop());

  it("keeps a test of every type, and takes back what it showed", async () => {
    const toolTest = {
      name: "calls",
      test_type: "tool",
      conversation: [{ text: "Look it up" }],
      referenced_tool: tool,
      tool_parameters: [{ name: "q", value: "x" }],
    };
    for (const body of [reply, toolTest, simulation]) {
      const created = await team.ask("POST", "/v1/agent/tests", body);
      expect([created.status, created.json]).toEqual([
        201,
        expect.objectContaining({ name: body.name, test_type: body.test_type, agent_ids: [] }),
      ]);
      const read = await team.ask("GET", `/v1/agent/tests/${String(created.json["test_id"])}`);
      expect(read.json).toEqual(created.json);
      const copy = await team.ask("POST", "/v1/agent/tests", read.json);
      const { test_id, created_at: _, updated_at: __, ...same } = read.json;
      expect([copy.status, copy.json]).toEqual([201, expect.objectContaining(same)]);
      expect(copy.json["test_id"]).not.toBe(test_id);
    }
  });

  it.each([
    [{ ...reply, conversation: [] }, ["body", "conversation"], "missing"],
    [{ ...reply, expectation: "" }, ["body", "expectation"], "missing"],
    [{ name: "x", test_type: "tool", conversation: [{ text: "a" }] }, ["body", "referenced_tool"], "missing"],
    [{ name: "x", test_type: "simulation" }, ["body", "simulation"], "missing"],
    [{ ...reply, test_type: undefined }, ["body", "test_type"], "missing"],
    [{ ...reply, test_type: "other" }, ["body", "test_type"], "literal_error"],
    [[reply], ["body"], "dict_type"],
    [{ ...reply, name: "x".repeat(201) }, ["body", "name"], "string_too_long"],
    [{ ...reply, conversation: [{ text: "x".repeat(2001) }] }, ["body", "conversation", 0, "text"], "string_too_long"],
    [{ ...reply, success_examples: ["x".repeat(401)] }, ["body", "success_examples", 0], "string_too_long"],
    [{ ...reply, agent_ids: [missing] }, ["body", "agent_ids", 0], "unknown_reference"],
    [{ ...reply, surprise: 1 }, ["body", "surprise"], "extra_forbidden"],
    [
      { ...simulation, simulation: { scenario: "s", max_turns: 0 } },
      ["body", "simulation", "max_turns"],
      "greater_than_equal",
    ],
  ])("refuses the test %j", async (body, loc, type) => {
    const { status, json } = await team.ask("POST", "/v1/agent/tests", body);
    expect([status, json]).toEqual([422, [expect.objectContaining({ loc, type })]]);
  });

  it("changes, attaches, detaches, lists and deletes", async () => {
    const own = await addClient(fixture);
    const [first, second] = [await createAgent(own), await createAgent(own)];
    const created = await own.ask("POST", "/v1/agent/tests", { ...simulation, agent_ids: [first, first] });
    const path = `/v1/agent/tests/${String(created.json["test_id"])}`;
    expect(created.json["agent_ids"]).toEqual([first]);
    const changed = await own.ask("PATCH", path, {
      name: "books twice",
      simulation: { max_turns: 3, repeat_count: 2 },
    });
    expect(changed.json).toMatchObject({
      name: "books twice",
      simulation: {
        scenario: "A guest books a room.",
        max_turns: 3,
        repeat_count: 2,
        assertions: { tool_calls: [{ min_calls: 1 }] },
      },
    });
    for (const [body, status] of [
      [{ name: null }, 422],
      [{ simulation: { scenario: null } }, 422],
      [{ test_type: "tool" }, 422],
      [{}, 200],
    ] as const) {
      expect([body, (await own.ask("PATCH", path, body)).status]).toEqual([body, status]);
    }
    const link = `/v1/agent/agents/${second}/tests/${String(created.json["test_id"])}`;
    for (const _ of [1, 2]) expect(await own.ask("PUT", link)).toMatchObject({ status: 204, text: "" });
    expect((await own.ask("GET", path)).json["agent_ids"]).toEqual([first, second].sort());
    for (const _ of [1, 2]) expect((await own.ask("DELETE", link)).status).toBe(204);
    const names = async (query: string): Promise<unknown> =>
      ((await own.ask("GET", `/v1/agent/tests?${query}`)).json["tests"] as { name: string }[]).map(({ name }) => name);
    await own.ask("POST", "/v1/agent/tests", reply);
    expect([
      await names(""),
      await names("search=BOOKS"),
      await names(`agent_id=${first}`),
      await names(`agent_id=${second}`),
    ]).toEqual([["greets", "books twice"], ["books twice"], ["books twice"], []]);
    const [row] = (await own.ask("GET", "/v1/agent/tests")).json["tests"] as object[];
    expect(Object.keys(row ?? {}).sort()).toEqual([
      "agent_ids",
      "created_at",
      "name",
      "test_id",
      "test_type",
      "updated_at",
      "workspace_id",
    ]);
    await own.ask("DELETE", `/v1/agent/agents/${first}`);
    expect((await own.ask("GET", path)).json["agent_ids"]).toEqual([]);
    expect([(await own.ask("DELETE", path)).status, (await own.ask("DELETE", path)).status]).toEqual([204, 404]);
  });

  it("says that tests cannot be run here, and what they may name", async () => {
    const attached = await team.ask("POST", "/v1/agent/tools", {
      name: "Find it",
      description: "finds",
      url: "https://93.184.216.34/",
    });
    const config = { tools: { tool_ids: [attached.json["tool_id"]], system_tools: { hang_up_call: true } } };
    const path = `/v1/agent/agents/${await createAgent(team, { name: "a", config })}`;
    expect((await team.ask("GET", `${path}/test-tools`)).json).toEqual({
      tools: [
        { id: attached.json["tool_id"], name: "Find it", type: "webhook", description: "finds" },
        { id: "hang_up_call", name: "hang_up_call", type: "system", description: "Ends the call." },
      ],
    });
    for (const body of [undefined, {}, { test_ids: [missing], repeat_count: 2 }]) {
      const { status, json } = await team.ask("POST", `${path}/tests/run`, body);
      expect([status, json]).toEqual([
        503,
        { status: 503, message: "Agent tests cannot be run: this server has no conversation runtime" },
      ]);
    }
    expect((await team.ask("GET", "/v1/agent/test-runs")).json).toEqual({
      ...{ runs: [], has_more: false, next_cursor: null, total: null },
    });
    for (const unknown of [
      "/v1/agent/test-runs/r",
      `/v1/agent/test-runs/${missing}`,
      `${path}/test-batches/b`,
      `${path}/test-batches/${missing}`,
      `/v1/agent/agents/${missing}/test-batches/b`,
    ]) {
      expect([unknown, (await team.ask("GET", unknown)).json]).toEqual([
        unknown,
        { status: 404, message: "Not found" },
      ]);
    }
    expect((await team.ask("POST", `${path}/tests/run`, { repeat_count: 0 })).status).toBe(422);
    expect((await (await addClient(fixture, { betaAccess: false })).ask("POST", "/v1/agent/tests", reply)).status).toBe(
      403,
    );
  });

  it("names what has to be set for a provider, and leaves nothing behind", async () => {
    const own = await addClient(fixture);
    const twilio = "Twilio is not configured on this server: set TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN";
    const liveKit =
      "LiveKit SIP is not configured on this server: set LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET";
    expect(await own.ask("GET", "/v1/agent/available-phone-numbers?area_code=415")).toMatchObject({
      status: 502,
      json: { message: twilio },
    });
    for (const [query, status] of [
      ["country_code=DE", 400],
      ["number_type=toll_free", 400],
      ["number_type=other", 422],
      ["area_code=x", 422],
      ["provider=other", 422],
    ] as const) {
      expect([query, (await own.ask("GET", `/v1/agent/available-phone-numbers?${query}`)).status]).toEqual([
        query,
        status,
      ]);
    }
    for (const [body, message] of [
      [{ provider: "twilio", phone_number: "+14155550100" }, twilio],
      [trunk, liveKit],
    ] as const)
      expect(await own.ask("POST", "/v1/agent/phone-numbers", body)).toMatchObject({ status: 502, json: { message } });
    expect((await own.ask("GET", "/v1/agent/phone-numbers?page=1")).json["total"]).toBe(0);
  });

  it("labels, binds, finds and unbinds a number, and lets one go that failed", async () => {
    const own = await addClient(fixture);
    const agentId = await createAgent(own);
    const sip = {
      ...{ inbound_auth_username: "u", inbound_allowed_addresses: [], termination_uri: "pbx.example.com:5060" },
      ...{ termination_transport: "tls" as const, termination_auth_username: "" },
    };
    const at = new Date();
    const number = (provider: "sip" | "twilio", phoneNumber: string) => ({
      ...{ id: newIdentifier(), teamId: own.principal.teamId, phoneNumber, provider, label: "", agentId: null },
      ...{ status: "error" as const, statusDetail: "it failed", createdAt: at, updatedAt: at },
    });
    const [imported, bought] = [
      { ...number("sip", "+4930123456"), sip, sipSecrets: { inbound: "sealed canary" } },
      number("twilio", "+14155550100"),
    ];
    await fixture.db.insert(phoneNumbers).values([imported, bought]);
    const [sipPath, twilioPath] = [imported, bought].map(({ id }) => `/v1/agent/phone-numbers/${id}`);
    const read = await own.ask("GET", sipPath ?? "");
    expect(read.text).not.toContain("canary");
    expect(read.json).toMatchObject({ status_detail: "it failed", supports_outbound: true, ...sip });
    expect((await own.ask("PATCH", sipPath ?? "", { label: "main", agent_id: agentId })).json).toMatchObject({
      label: "main",
      agent_id: agentId,
    });
    const filtered = await own.ask("GET", `/v1/agent/phone-numbers?agent_id=${agentId}&phone_number=+4930123456`);
    expect((filtered.json["phone_numbers"] as unknown[]).length).toBe(1);
    expect((await own.ask("PATCH", sipPath ?? "", { agent_id: null })).json).toMatchObject({ agent_id: null });
    expect((await own.ask("PATCH", sipPath ?? "", { label: null })).status).toBe(422);
    expect((await own.ask("PUT", `${sipPath}/sip-config`, { inbound_auth_username: "u2" })).status).toBe(502);
    expect((await own.ask("PUT", `${sipPath}/sip-config`, {})).status).toBe(422);
    const elsewhere = { inbound_allowed_addresses: ["203.0.113.1"] };
    expect((await own.ask("PUT", `${twilioPath}/sip-config`, elsewhere)).status).toBe(422);
    await own.ask("PATCH", twilioPath ?? "", { agent_id: agentId });
    await own.ask("DELETE", `/v1/agent/agents/${agentId}`);
    expect((await own.ask("GET", twilioPath ?? "")).json["agent_id"]).toBeNull();
    expect([(await own.ask("DELETE", sipPath ?? "")).status, (await own.ask("GET", sipPath ?? "")).status]).toEqual([
      204, 404,
    ]);
  });

  it.each([
    [{ ...trunk, inbound_allowed_addresses: [] }, "inbound_allowed_addresses"],
    [{ ...trunk, inbound_allowed_addresses: ["203.0.113.0/33"] }, "inbound_allowed_addresses"],
    [
      { ...trunk, inbound_allowed_addresses: Array.from({ length: 33 }, (_, index) => `203.0.113.${index}`) },
      "inbound_allowed_addresses",
    ],
    [{ ...trunk, inbound_auth_username: "u" }, "inbound_auth_password"],
    [{ ...trunk, inbound_auth_password: "p" }, "inbound_auth_username"],
    [{ ...trunk, termination_uri: "sip:pbx.example.com" }, "termination_uri"],
    [{ ...trunk, termination_uri: "pbx.example.com:70000" }, "termination_uri"],
    [{ ...trunk, termination_uri: "127.0.0.1:5060" }, "termination_uri"],
    [{ ...trunk, termination_uri: "pbx.office.lan" }, "termination_uri"],
    [{ ...trunk, termination_auth_username: "u", termination_auth_password: "p" }, "termination_uri"],
    [{ ...trunk, termination_uri: "pbx.example.com", termination_auth_username: "u" }, "termination_auth_password"],
    [{ ...trunk, termination_transport: "carrier pigeon" }, "termination_transport"],
    [{ ...trunk, phone_number: "030 123456" }, "phone_number"],
    [{ provider: "twilio", phone_number: "+14155550100", termination_uri: "pbx.example.com" }, "termination_uri"],
    [{ provider: "acme", phone_number: "+14155550100" }, "provider"],
  ])("refuses the number %j for its %s", async (body, field) => {
    const { status, json } = await team.ask("POST", "/v1/agent/phone-numbers", body);
    expect([status, JSON.stringify(json)]).toEqual([422, expect.stringContaining(`"${field}"`)]);
    expect(await team.ask("GET", "/v1/agent/phone-numbers?page=1")).toMatchObject({ json: { total: 0 } });
  });

  it("refuses without beta access or credit, over the limit, and for numbers and agents of others", async () => {
    const buy = (client: TeamClient, body: object = {}) =>
      client.ask("POST", "/v1/agent/phone-numbers", { provider: "twilio", phone_number: "+14155550199", ...body });
    expect((await buy(await addClient(fixture, { betaAccess: false }))).status).toBe(403);
    expect(await buy(await addClient(fixture, { hasCredit: false }))).toMatchObject({
      status: 402,
      json: { message: "Out of API credit" },
    });
    expect((await buy(team, { agent_id: missing })).status).toBe(404);
    const holder = await addClient(fixture);
    const row = (phoneNumber: string, status: "active" | "error") => ({
      id: newIdentifier(),
      teamId: holder.principal.teamId,
      phoneNumber,
      provider: "twilio" as const,
      label: "",
      agentId: null,
      status,
      statusDetail: "",
      createdAt: new Date(),
      updatedAt: new Date(),
    });
    await fixture.db.insert(phoneNumbers).values(row("+14155550199", "active"));
    for (const client of [team, holder])
      expect(await buy(client)).toMatchObject({
        status: 409,
        json: { message: "This number is already on the platform" },
      });
    const [live] = (await holder.ask("GET", "/v1/agent/phone-numbers")).json["phone_numbers"] as {
      phone_number_id: string;
    }[];
    expect((await holder.ask("DELETE", `/v1/agent/phone-numbers/${live?.phone_number_id}`)).status).toBe(502);
    const rows = (status: "active" | "error", first: number) =>
      Array.from({ length: MAX_PHONE_NUMBERS - 1 }, (_, index) => row(`+1415555${first + index}`, status));
    await fixture.db.insert(phoneNumbers).values(rows("error", 2000));
    for (const number of ["+14155550200", "+14155552000"])
      expect((await buy(holder, { phone_number: number })).status).toBe(502);
    await fixture.db.insert(phoneNumbers).values(rows("active", 3000));
    for (const number of ["+14155550201", "+14155552000"]) {
      expect(await buy(holder, { phone_number: number })).toMatchObject({
        status: 403,
        json: { message: `Phone number limit reached for this team (${MAX_PHONE_NUMBERS})` },
      });
    }
    expect((await buy(team, { phone_number: "+14155550202" })).status).toBe(502);
  });
});
