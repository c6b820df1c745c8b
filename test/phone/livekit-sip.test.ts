import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type LiveKitSip, openLiveKitSip } from "#common/livekit/livekit-sip";
import { openPhones } from "#control-plane/phone/configured";
import type { PhoneContext } from "#control-plane/phone/context";
import { alignGateway } from "#control-plane/phone/gateway/align";
import { sweepPhones } from "#control-plane/phone/sweep";
import { phoneGateway, phoneNumbers } from "#control-plane/phone/tables";
import { addClient, createAgent, startTeams, type TeamClient } from "../agents/client.js";
import { silentLog } from "../control-plane/databases.js";
import { type ServiceFixture, testDoors } from "../control-plane/service.js";
import { canRunLiveKit, LIVEKIT_BUILD_MS, startLiveKit, type TestLiveKit } from "../harness/livekit.js";
import { type ExternalServer, startRedis } from "../harness/servers.js";
import { startTwilioServer, type TwilioServer } from "./twilio-server.js";

const NUMBERS = "/v1/agent/phone-numbers";
const trunk = {
  ...{ provider: "sip", phone_number: "+4930123456", inbound_allowed_addresses: ["203.0.113.0/24"] },
  ...{ inbound_auth_username: "in", inbound_auth_password: "inbound canary" },
  ...{ termination_uri: "93.184.216.34:5061", termination_transport: "tls" },
  ...{ termination_auth_username: "out", termination_auth_password: "termination canary" },
};

describe.skipIf(!canRunLiveKit)("numbers at a LiveKit server", () => {
  let redis: ExternalServer;
  let liveKit: TestLiveKit;
  let twilio: TwilioServer;
  let sip: LiveKitSip;
  let fixture: ServiceFixture;
  let team: TeamClient;

  beforeAll(async () => {
    [redis, twilio] = await Promise.all([startRedis(), startTwilioServer()]);
    liveKit = await startLiveKit({ redisUrl: redis.url });
    sip = openLiveKitSip(liveKit);
    ({ fixture } = await startTeams("pglite", { phones: { sip, twilio: twilio.settings } }));
  }, LIVEKIT_BUILD_MS);
  afterAll(async () => {
    await fixture?.stop();
    await Promise.all([liveKit?.stop(), twilio?.stop()]);
    await redis?.stop();
  });
  beforeEach(async () => {
    team = await addClient(fixture);
    await fixture.db.delete(phoneNumbers);
    await align();
  });

  const context = (): PhoneContext =>
    openPhones(
      { db: fixture.db, bus: fixture.bus, log: silentLog, ...testDoors(), now: () => new Date() },
      { sip, twilio: twilio.settings },
    );
  /** Compares at once, whoever had a turn before. */
  const align = async () => {
    await fixture.db.update(phoneGateway).set({ alignedBy: new Date(0), inUse: true });
    return await alignGateway(context(), sip);
  };
  const objects = async () => {
    const [inbound, outbound, rules] = await Promise.all([
      sip.listInboundTrunks(null),
      sip.listOutboundTrunks(null),
      sip.listDispatchRules(),
    ]);
    return { inbound, outbound, rules };
  };
  const importNumber = async (change: object = {}): Promise<{ id: string; path: string }> => {
    const { status, json, text } = await team.ask("POST", NUMBERS, { ...trunk, ...change });
    if (status !== 201) throw new Error(text);
    const id = String(json["phone_number_id"]);
    return { id, path: `${NUMBERS}/${id}` };
  };

  it("that are imported have an inbound trunk, an outbound trunk and, whoever answers, a rule", async () => {
    const agentId = await createAgent(team);
    const imported = await team.ask("POST", NUMBERS, { ...trunk, agent_id: agentId });
    expect([imported.status, imported.text]).toEqual([201, expect.not.stringContaining("canary")]);
    expect(imported.json).toMatchObject({ status: "active", status_detail: "", supports_outbound: true });
    const id = String(imported.json["phone_number_id"]);
    const { inbound, outbound, rules } = await objects();
    expect([inbound, outbound, rules]).toEqual([
      [
        expect.objectContaining({
          ...{ numbers: ["+4930123456"], allowedAddresses: ["203.0.113.0/24"], authUsername: "in" },
          authPassword: "inbound canary",
        }),
      ],
      [
        expect.objectContaining({
          ...{ numbers: ["+4930123456"], address: "93.184.216.34:5061", transport: "tls", authUsername: "out" },
          authPassword: "termination canary",
        }),
      ],
      [
        expect.objectContaining({
          ...{ trunkIds: [inbound[0]?.id], roomPrefix: `phone-${id}-` },
          attributes: { "parley.phone_number_id": id },
        }),
      ],
    ]);
    // The credentials lie in the database sealed.
    const [row] = await fixture.db.select().from(phoneNumbers).where(eq(phoneNumbers.id, id));
    expect(JSON.stringify(row)).not.toContain("canary");
    const { path } = { path: `${NUMBERS}/${id}` };
    expect((await team.ask("PATCH", path, { agent_id: null })).json).toMatchObject({ agent_id: null });
    expect((await objects()).rules).toEqual(rules);
    expect((await team.ask("DELETE", path)).status).toBe(204);
    expect(await objects()).toEqual({ inbound: [], outbound: [], rules: [] });
  });

  it("take a new trunk at once, and keep passwords that are sent empty", async () => {
    const { path } = await importNumber();
    const before = await objects();
    const changed = await team.ask("PUT", `${path}/sip-config`, {
      ...{ inbound_auth_username: "in", inbound_auth_password: "", inbound_allowed_addresses: ["198.51.100.7"] },
      ...{ termination_uri: "93.184.216.35", termination_auth_username: "out2", termination_auth_password: "new" },
    });
    expect([changed.status, changed.json]).toEqual([
      200,
      expect.objectContaining({ termination_uri: "93.184.216.35", termination_transport: "auto" }),
    ]);
    const { inbound, outbound } = await objects();
    expect(inbound).toMatchObject([
      { id: before.inbound[0]?.id, allowedAddresses: ["198.51.100.7"], authPassword: "inbound canary" },
    ]);
    expect(outbound).toMatchObject([
      { id: before.outbound[0]?.id, address: "93.184.216.35", authUsername: "out2", authPassword: "new" },
    ]);
    const inboundOnly = { inbound_allowed_addresses: ["198.51.100.7"] };
    expect((await team.ask("PUT", `${path}/sip-config`, inboundOnly)).json).toMatchObject({ supports_outbound: false });
    expect((await objects()).outbound).toEqual([]);
    expect((await objects()).inbound).toMatchObject([{ authUsername: "", authPassword: "" }]);
  });

  it("that are bought get the trunks that the operator's settings say", async () => {
    const bought = await team.ask("POST", NUMBERS, { provider: "twilio", phone_number: "+14155550100" });
    expect([bought.status, bought.json["status"]]).toEqual([201, "active"]);
    expect(await objects()).toMatchObject({
      inbound: [{ numbers: ["+14155550100"], allowedAddresses: ["54.172.60.0/30"] }],
      outbound: [{ address: "museum.pstn.twilio.com", authUsername: "museum", authPassword: "termination canary" }],
      rules: [{ roomPrefix: `phone-${String(bought.json["phone_number_id"])}-` }],
    });
  });

  it("are put right, whatever was done to the server, and nothing of others is touched", async () => {
    const agentId = await createAgent(team);
    const { id } = await importNumber({ agent_id: agentId });
    const other = await importNumber({ phone_number: "+4930123457" });
    await sip.saveInboundTrunk(null, {
      ...{
        name: "somebody else's",
        numbers: ["+4930999999"],
        allowedAddresses: [],
        authUsername: "",
        authPassword: "",
      },
      metadata: "not JSON",
    });
    const wanted = await objects();
    expect(await align()).toEqual({ changes: 0, failures: [] });

    // A trunk is deleted by hand, another one changed, a rule doubled; and a number goes without its trunks.
    const [own] = wanted.inbound.filter(({ numbers }) => numbers.includes("+4930123456"));
    const [rule] = wanted.rules.filter(({ roomPrefix }) => roomPrefix === `phone-${id}-`);
    const [leaves] = wanted.outbound.filter(({ numbers }) => numbers.includes("+4930123456"));
    if (own === undefined || rule === undefined || leaves === undefined) throw new Error("an object is missing");
    await sip.deleteTrunk(own.id);
    await sip.saveOutboundTrunk(leaves.id, { ...leaves, address: "evil.example.com" });
    const { id: _, ...copy } = rule;
    await sip.saveDispatchRule(null, { ...copy, trunkIds: [] });
    await fixture.db.delete(phoneNumbers).where(eq(phoneNumbers.id, other.id));
    expect(await align()).toMatchObject({ failures: [] });
    const repaired = await objects();
    expect(repaired.inbound).toHaveLength(2);
    expect(repaired.inbound.some(({ name }) => name === "somebody else's")).toBe(true);
    const [inbound] = repaired.inbound.filter(({ numbers }) => numbers.includes("+4930123456"));
    expect(repaired.outbound).toEqual([leaves]);
    expect(repaired.rules).toEqual([
      { ...copy, id: expect.any(String), roomPrefix: `phone-${id}-`, trunkIds: [inbound?.id] },
    ]);
    expect(await align()).toEqual({ changes: 0, failures: [] });
    // Whoever calls it now is told that it is busy.
    await team.ask("DELETE", `/v1/agent/agents/${agentId}`);
    expect(await align()).toEqual({ changes: 0, failures: [] });
    await sip.deleteTrunk(repaired.inbound.find(({ name }) => name === "somebody else's")?.id ?? "");
  });

  it("are compared by one process at a time", async () => {
    await fixture.db.update(phoneGateway).set({ alignedBy: new Date(0) });
    const turns = await Promise.all([1, 2, 3, 4].map(() => alignGateway(context(), sip)));
    expect(turns.filter((turn) => turn !== null)).toHaveLength(1);
  });

  it("say what they wait for while the server is away, and wait no more when it is back", async () => {
    const { path } = await importNumber();
    await liveKit.kill();
    try {
      const away = "LiveKit SIP could not do this: the LiveKit server does not answer";
      const refused = await team.ask("POST", NUMBERS, { ...trunk, phone_number: "+4930123458" });
      expect([refused.status, refused.json["message"]]).toEqual([502, away]);
      const changed = await team.ask("PUT", `${path}/sip-config`, { inbound_allowed_addresses: ["198.51.100.9"] });
      expect([changed.status, changed.json["status_detail"]]).toEqual([
        200,
        "Waits for LiveKit SIP: the LiveKit server does not answer",
      ]);
      expect(await team.ask("DELETE", path)).toMatchObject({ status: 502, json: { message: away } });
      expect((await team.ask("GET", path)).json["status"]).toBe("active");
    } finally {
      await liveKit.restart();
    }
    await align();
    expect((await team.ask("GET", path)).json).toMatchObject({ status: "active", status_detail: "" });
    expect((await objects()).inbound).toMatchObject([{ allowedAddresses: ["198.51.100.9"], authUsername: "" }]);
    // The number that failed is taken up again when it is asked for again.
    expect((await team.ask("POST", NUMBERS, { ...trunk, phone_number: "+4930123458" })).status).toBe(201);
  });

  it("whose import was killed in the middle come to life, also where the trunk was made already", async () => {
    const { id, path } = await importNumber();
    const before = await objects();
    const left = { status: "provisioning", step: "acquiring", dueAt: new Date(0) } as const;
    await fixture.db.update(phoneNumbers).set(left).where(eq(phoneNumbers.id, id));
    expect(await sweepPhones(context())).toEqual([]);
    expect((await team.ask("GET", path)).json["status"]).toBe("active");
    expect(await objects()).toEqual(before);
    // Its row went, and its trunks stayed: whoever imports the number next is not in conflict with them.
    await fixture.db.delete(phoneNumbers).where(eq(phoneNumbers.id, id));
    await importNumber();
    expect((await objects()).inbound).toHaveLength(1);
  });
});

describe.skipIf(!canRunLiveKit)("a LiveKit server without Redis", () => {
  it("has no SIP, and an import says so", async () => {
    const liveKit = await startLiveKit();
    const sip = openLiveKitSip(liveKit);
    const { fixture, team } = await startTeams("pglite", { phones: { sip, twilio: null } });
    const context = openPhones(
      { db: fixture.db, bus: fixture.bus, log: silentLog, ...testDoors(), now: () => new Date() },
      { sip, twilio: null },
    );
    try {
      // Nobody has had a number: it is not asked.
      expect(await alignGateway(context, sip)).toBeNull();
      const refused = await team.ask("POST", NUMBERS, trunk);
      expect([refused.status, refused.json["message"]]).toEqual([
        502,
        "LiveKit SIP could not do this: the LiveKit server has no SIP: its configuration needs Redis",
      ]);
      await fixture.db.update(phoneGateway).set({ alignedBy: new Date(0) });
      await expect(alignGateway(context, sip)).rejects.toThrow("the LiveKit server has no SIP");
    } finally {
      await fixture.stop();
      await liveKit.stop();
    }
  });
});
