import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { DEVELOPMENT_TEAM_ID } from "#control-plane/accounts/development";
import { openDatabase } from "#control-plane/database/open";
import { ledgerEntries } from "#control-plane/database/schema";
import {
  controlSubjects,
  EVERY_SCOPE,
  type ForwardedRequest,
  type ForwardedResponse,
  type Principal,
} from "#protocol/bus/control";
import { silentLog } from "../control-plane/databases.js";
import { KilledControlPlane } from "../faults/control-plane/killed-process.js";
import { until } from "../harness/processes.js";
import { prepareDatabase } from "../harness/prepared-database.js";
import { type ExternalServer, startNats } from "../harness/servers.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { findContradictions } from "./books.js";
import { type Moment, startTwilioServer, type TwilioServer } from "./twilio-server.js";

const NUMBERS = "/v1/agent/phone-numbers";

/** The team that every installation has. */
const principal: Principal = {
  ...{ teamId: DEVELOPMENT_TEAM_ID, userId: "user", keyId: "key", scopes: [EVERY_SCOPE], hasCredit: true },
  ...{ betaAccess: true, maxConcurrentStreams: 0 },
};

/** When the process dies while a number is bought: once, or again while it goes on after its death. */
const purchases: Moment[][] = [
  ["before buy"],
  ["after buy"],
  ["answered buy"],
  ["after buy", "before list"],
  ["after buy", "answered list"],
];
const releases: Moment[][] = [["before release"], ["after release"], ["answered release"]];
const numberOf = (index: number): string => `+1415555${2000 + index}`;

interface Shown {
  phone_number_id: string;
  phone_number: string;
  status: string;
}

describe("the control plane killed at every step of a purchase and a release", () => {
  const directory = temporaryDirectory("phone-kill");
  let nats: ExternalServer;
  let bus: Bus;
  let twilio: TwilioServer;
  let controlPlane: KilledControlPlane;

  beforeAll(async () => {
    [nats, twilio] = await Promise.all([startNats(), startTwilioServer()]);
    bus = await connectNats({ url: nats.url, name: "test", log: silentLog });
    await prepareDatabase(directory.path);
    const { accountSid, authToken, baseUrl } = twilio.settings;
    controlPlane = new KilledControlPlane(bus, {
      ...{ PARLEY_DATA_DIR: directory.path, PARLEY_SAMPLE: "off", NATS_URL: nats.url },
      ...{ TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_BASE_URL: baseUrl },
    });
    await controlPlane.ready();
  });
  afterAll(async () => {
    await controlPlane?.end();
    await Promise.all([bus?.close(), twilio?.stop()]);
    await nats?.stop();
    directory.remove();
  });

  const ask = async (method: string, path: string, body?: object): Promise<ForwardedResponse | null> => {
    const request: ForwardedRequest = {
      ...{ method, path, query: "", bodyObject: null, principal },
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
    };
    return await controlPlane.ask<ForwardedResponse>(controlSubjects.http, request);
  };
  const list = async (): Promise<Shown[]> => {
    const answer = await ask("GET", NUMBERS);
    if (answer?.status !== 200) return [];
    return (JSON.parse(Buffer.from(answer.body).toString()) as { phone_numbers: Shown[] }).phone_numbers;
  };
  /** Kills the process at each of these moments, in their order. */
  const killAt = (moments: readonly Moment[]): void => {
    const left = [...moments];
    twilio.behave = (moment) => {
      if (moment !== left[0]) return null;
      left.shift();
      void controlPlane.kill();
      return "hang";
    };
  };
  /** As a caller's library does: again, where nobody knows what became of the question. */
  const untilKilled = async (kills: number): Promise<void> =>
    await until(() => controlPlane.kills >= kills, { withinMs: 60_000, what: `kill ${kills}` });

  it("charges each number once, has no charge without a number, and no number without a row", async () => {
    let kills = 0;
    for (const [index, moments] of purchases.entries()) {
      killAt(moments);
      await ask("POST", NUMBERS, { provider: "twilio", phone_number: numberOf(index) });
      kills += moments.length;
      await untilKilled(kills);
      const isLive = async (): Promise<boolean> =>
        (await list()).some((row) => row.phone_number === numberOf(index) && row.status === "active");
      await until(isLive, { withinMs: 60_000, what: `the purchase killed ${moments.join(", ")}` });
    }
    for (const [index, moments] of releases.entries()) {
      killAt(moments);
      const row = (await list()).find(({ phone_number }) => phone_number === numberOf(index));
      await ask("DELETE", `${NUMBERS}/${row?.phone_number_id}`);
      kills += moments.length;
      await untilKilled(kills);
      const isGone = async (): Promise<boolean> => {
        const rows = await list();
        return rows.length > 0 && !rows.some(({ phone_number }) => phone_number === numberOf(index));
      };
      await until(isGone, { withinMs: 60_000, what: `the release killed ${moments.join(", ")}` });
    }
    const left = purchases.map((_, index) => numberOf(index)).slice(releases.length);
    expect((await list()).map(({ phone_number }) => phone_number).sort()).toEqual(left);
    expect([...twilio.numbers.values()].map(({ phoneNumber }) => phoneNumber).sort()).toEqual(left);
    await controlPlane.end();
    const database = await openDatabase({ url: null, dataDirectory: directory.path, log: silentLog });
    try {
      const { db } = database;
      expect(await findContradictions(db, DEVELOPMENT_TEAM_ID, [...twilio.numbers.values()])).toEqual([]);
      const isSettlement = and(eq(ledgerEntries.teamId, DEVELOPMENT_TEAM_ID), eq(ledgerEntries.kind, "settlement"));
      expect(await db.select().from(ledgerEntries).where(isSettlement)).toHaveLength(purchases.length);
    } finally {
      await database.close();
    }
  }, 300_000);
});
