import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PHONE_NUMBER_DAY } from "#control-plane/accounts/prices";
import { grantCredit } from "#control-plane/ledger/grant";
import { acquireNumber } from "#control-plane/phone/acquire";
import { openPhones } from "#control-plane/phone/configured";
import type { PhoneContext } from "#control-plane/phone/context";
import { chargeRent } from "#control-plane/phone/rent";
import { reserveNumber } from "#control-plane/phone/reserve";
import { sweepPhones } from "#control-plane/phone/sweep";
import { phoneNumbers } from "#control-plane/phone/tables";
import { addClient, createAgent, startTeams, type TeamClient } from "../agents/client.js";
import { engines, silentLog } from "../control-plane/databases.js";
import { type ServiceFixture, testDoors } from "../control-plane/service.js";
import { daysOf, findContradictions } from "./books.js";
import { startTwilioServer, type TwilioServer } from "./twilio-server.js";

const NUMBERS = "/v1/agent/phone-numbers";
const DAY_MS = 24 * 3_600_000;

describe.each(engines)("numbers of Twilio on %s", (engine) => {
  let twilio: TwilioServer;
  let fixture: ServiceFixture;
  let team: TeamClient;
  let nowMs = Date.parse("2026-11-23T10:00:00.000Z");
  const now = (): Date => new Date(nowMs);
  /** As an instance of its own that looks after numbers. */
  const instance = (): PhoneContext =>
    openPhones(
      { db: fixture.db, bus: fixture.bus, log: silentLog, ...testDoors(), now },
      { sip: null, twilio: twilio.settings },
    );

  beforeAll(async () => {
    twilio = await startTwilioServer();
    ({ fixture } = await startTeams(engine, { phones: { sip: null, twilio: twilio.settings }, now }));
  });
  beforeEach(async () => {
    twilio.behave = () => null;
    twilio.numbers.clear();
    twilio.soldElsewhere.clear();
    twilio.requests.length = 0;
    await fixture.db.delete(phoneNumbers);
    team = await addClient(fixture);
  });
  afterAll(async () => {
    await fixture?.stop();
    await twilio?.stop();
  });

  const buy = (phone_number = "+14155550100", client = team, more: object = {}) =>
    client.ask("POST", NUMBERS, { provider: "twilio", phone_number, ...more });
  const days = (client = team) => daysOf(fixture.db, client.principal.teamId, PHONE_NUMBER_DAY);
  const contradictions = (client = team) =>
    findContradictions(fixture.db, client.principal.teamId, [...twilio.numbers.values()]);
  const only = async (client = team): Promise<Record<string, unknown>> => {
    const { json } = await client.ask("GET", NUMBERS);
    const [first, ...others] = json["phone_numbers"] as Record<string, unknown>[];
    expect(others).toEqual([]);
    return first ?? {};
  };

  it("are searched by country and area", async () => {
    const search = async (query: string) =>
      (await team.ask("GET", `/v1/agent/available-phone-numbers?${query}`)).json["available_phone_numbers"];
    expect(await search("area_code=212")).toEqual([
      {
        ...{ phone_number: "+12125550102", friendly_name: "+12125550102", country_code: "US", region: "NY" },
        ...{ locality: "New York", postal_code: "10001", number_type: "local", provider: "twilio" },
      },
    ]);
    expect(await search("country_code=CA")).toMatchObject([{ phone_number: "+16045550103", postal_code: "" }]);
    expect(await search("area_code=999")).toEqual([]);
    expect(await search("")).toHaveLength(3);
  });

  it("are bought, with the first day charged and the trunk named", async () => {
    const agentId = await createAgent(team);
    const bought = await buy("+14155550100", team, { agent_id: agentId, label: "Front desk" });
    expect([bought.status, bought.json]).toEqual([
      201,
      expect.objectContaining({
        ...{ phone_number: "+14155550100", provider: "twilio", status: "active", status_detail: "" },
        ...{ label: "Front desk", agent_id: agentId, workspace_id: team.principal.teamId },
      }),
    ]);
    expect([...twilio.numbers.values()]).toEqual([
      {
        phoneNumber: "+14155550100",
        friendlyName: `parley ${String(bought.json["phone_number_id"])}`,
        trunkSid: twilio.settings.trunkSid,
      },
    ]);
    expect(await days()).toEqual({ held: 0, spent: 1 });
    expect(await contradictions()).toEqual([]);
    expect(await buy()).toMatchObject({ status: 409, json: { message: "This number is already on the platform" } });
    expect((await buy("+14155550100", await addClient(fixture))).status).toBe(409);
  });

  it.each([
    ["refuses", 400, /could not do this: An internal server error has occurred$/],
    ["fails", 500, /it answered 500$/],
    ["is asked too often", 429, /it is asked too often$/],
    ["refuses the credentials", 403, /it refuses this server's credentials$/],
  ])("stay in sight as an error that costs nothing where Twilio %s", async (_, status, message) => {
    twilio.behave = (moment) => (moment === "before buy" ? status : null);
    const refused = await buy();
    expect([refused.status, refused.json["message"]]).toEqual([502, expect.stringMatching(message)]);
    const row = await only();
    expect(row).toMatchObject({ status: "error", status_detail: refused.json["message"] });
    expect(await days()).toEqual({ held: 0, spent: 0 });
    expect(await contradictions()).toEqual([]);
    // Asked for again, the same row becomes the number.
    twilio.behave = () => null;
    const again = await buy();
    expect([again.status, again.json["phone_number_id"]]).toEqual([201, row["phone_number_id"]]);
    expect(await days()).toEqual({ held: 0, spent: 1 });
    expect(await contradictions()).toEqual([]);
  });

  it("that somebody else has are refused in Twilio's words, and can be released", async () => {
    twilio.soldElsewhere.add("+14155550100");
    expect((await buy()).json["message"]).toBe("Twilio could not do this: +14155550100 is not available");
    const path = `${NUMBERS}/${String((await only())["phone_number_id"])}`;
    expect([(await team.ask("DELETE", path)).status, (await team.ask("GET", path)).status]).toEqual([204, 404]);
    expect(await days()).toEqual({ held: 0, spent: 0 });
  });

  it("cost nothing where nobody listens at Twilio's address, unless an earlier life may have bought them", async () => {
    const nowhere = { ...twilio.settings, baseUrl: "http://127.0.0.1:9" };
    const away = openPhones(instance(), { sip: null, twilio: nowhere });
    const given = { provider: "twilio" as const, phone_number: "+14155550100", label: "", agent_id: null };
    const reserve = () => reserveNumber(away, team.principal.teamId, given);
    const failed = { code: "phone_provider_failed", message: "Twilio could not do this: it did not answer" };
    await expect(acquireNumber(away, await reserve(), "buy")).rejects.toMatchObject(failed);
    expect([(await only())["status"], await days()]).toEqual(["error", { held: 0, spent: 0 }]);
    await expect(acquireNumber(away, await reserve(), "resume")).rejects.toMatchObject(failed);
    expect([(await only())["status"], await days()]).toEqual(["provisioning", { held: 1, spent: 0 }]);
  });

  it.each([
    ["after", true, { status: "active", status_detail: "" }, 1],
    ["before", false, { status: "error", status_detail: "Twilio could not do this: it did not sell the number" }, 0],
  ] as const)("whose answer is lost %s they are sold are looked for later", async (when, isSold, shown, spent) => {
    twilio.behave = (moment) => (moment === `${when} buy` ? "silence" : null);
    expect(await buy()).toMatchObject({
      status: 502,
      json: { message: "Twilio could not do this: it did not answer" },
    });
    expect(await only()).toMatchObject({
      status: "provisioning",
      status_detail: expect.stringMatching(/is being found out$/),
    });
    expect([await days(), twilio.numbers.size]).toEqual([{ held: 1, spent: 0 }, isSold ? 1 : 0]);
    const path = `${NUMBERS}/${String((await only())["phone_number_id"])}`;
    expect((await team.ask("DELETE", path)).status).toBe(409);
    twilio.behave = () => null;
    // Too early: the request may still be on its way.
    await sweepPhones(instance());
    expect(await only()).toMatchObject({ status: "provisioning" });
    nowMs += 61_000;
    await Promise.all([1, 2, 3].map(() => sweepPhones(instance())));
    expect(await only()).toMatchObject(shown);
    expect(await days()).toEqual({ held: 0, spent });
    expect(await contradictions()).toEqual([]);
    expect(twilio.requests.filter((request) => request === "buy")).toHaveLength(1);
  });

  it("are not charged to a team that cannot pay the first day, and nothing is left of the request", async () => {
    const poor = await addClient(fixture);
    const { teamId } = poor.principal;
    const less = { id: `less for ${teamId}`, teamId, micros: PHONE_NUMBER_DAY - 1_000_001, note: "" };
    await grantCredit(fixture.db, less, now());
    expect(await buy("+14155550100", poor)).toMatchObject({ status: 402, json: { message: "Out of API credit" } });
    expect((await poor.ask("GET", `${NUMBERS}?page=1`)).json["total"]).toBe(0);
    expect(await days(poor)).toEqual({ held: 0, spent: 0 });
    expect(twilio.requests).toEqual([]);
  });

  it("go to one of twelve teams that ask at once", async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => addClient(fixture)));
    const answers = await Promise.all(clients.map((client) => buy("+14155550100", client)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(11).fill(409)]);
    expect(twilio.requests).toEqual(["buy"]);
    const paid = await Promise.all(clients.map((client) => days(client)));
    expect(paid.reduce((sum, { held, spent }) => sum + held + spent, 0)).toBe(1);
  });

  it("are given back, also when they are gone already, and stay live where Twilio does not take them", async () => {
    const path = `${NUMBERS}/${String((await buy()).json["phone_number_id"])}`;
    twilio.behave = (moment) => (moment === "before release" ? 503 : null);
    for (const _ of [1, 2])
      expect(await team.ask("DELETE", path)).toMatchObject({
        status: 502,
        json: { message: "Twilio could not do this: it answered 503" },
      });
    expect((await team.ask("GET", path)).json).toMatchObject({ status: "active" });
    expect(await contradictions()).toEqual([]);
    // Twilio did it, and its answer was lost.
    twilio.behave = (moment) => (moment === "after release" ? "silence" : null);
    expect((await team.ask("DELETE", path)).status).toBe(502);
    expect(twilio.numbers.size).toBe(0);
    twilio.behave = () => null;
    expect([(await team.ask("DELETE", path)).status, (await team.ask("GET", path)).status]).toEqual([204, 404]);
    expect(await contradictions()).toEqual([]);
  });

  it("cost each further day once, whoever charges it and however late", async () => {
    await buy();
    const rent = () => Promise.all([1, 2, 3].map(() => chargeRent(instance())));
    nowMs += DAY_MS - 1000;
    await rent();
    expect(await days()).toEqual({ held: 0, spent: 1 });
    nowMs += 1000;
    for (const _ of [1, 2]) await rent();
    expect(await days()).toEqual({ held: 0, spent: 2 });
    // Nobody was alive for three days.
    nowMs += 3 * DAY_MS + 5000;
    const outcomes = await rent();
    expect(outcomes.flatMap(({ failures }) => failures)).toEqual([]);
    expect(await days()).toEqual({ held: 0, spent: 5 });
    const [row] = await fixture.db.select().from(phoneNumbers).where(eq(phoneNumbers.teamId, team.principal.teamId));
    expect((row?.rentedUntil?.getTime() ?? 0) - nowMs).toBe(DAY_MS - 5000);
    // It has been used: rent may leave a team with less than nothing, as usage may.
    nowMs += 30 * DAY_MS;
    await rent();
    expect(await days()).toEqual({ held: 0, spent: 35 });
    await team.ask("DELETE", `${NUMBERS}/${String((await only())["phone_number_id"])}`);
    nowMs += 10 * DAY_MS;
    await rent();
    expect(await days()).toEqual({ held: 0, spent: 35 });
    expect(await contradictions()).toEqual([]);
  });
});
