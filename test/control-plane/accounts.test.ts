import { eq } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWellFormedApiKey } from "#common/api-key";
import { newIdentifier, sha256Hex } from "#common/identifier";
import { DEVELOPMENT_CREDIT_MICROS, DEVELOPMENT_TEAM_ID, seedDevelopment } from "#control-plane/accounts/development";
import { administerKeys } from "#control-plane/accounts/keys";
import { costMicros } from "#control-plane/accounts/prices";
import { settleUsage } from "#control-plane/accounts/usage";
import { verifyKey } from "#control-plane/accounts/verify";
import type { Db } from "#control-plane/database/database";
import { apiKeys, usageRecords } from "#control-plane/database/schema";
import { readBalances } from "#control-plane/ledger/accounts";
import { auditLedger } from "#control-plane/ledger/audit";
import { grantCredit } from "#control-plane/ledger/grant";
import type { UsageRecord } from "#protocol/bus/control";
import { engines, freshDatabase } from "./databases.js";
import { addTeam } from "./teams.js";

const start = new Date("2026-11-20T10:00:00.000Z");
const after = (ms: number): Date => new Date(start.getTime() + ms);

function usage(change: Partial<UsageRecord>): UsageRecord {
  return {
    usageId: newIdentifier(),
    teamId: DEVELOPMENT_TEAM_ID,
    keyId: "k",
    route: "/v1/tts",
    model: "s1",
    characters: 1000,
    audioMs: 60_000,
    firstAudioMs: 50,
    totalMs: 900,
    outcome: "completed",
    traceId: "0".repeat(32),
    finishedAtMs: start.getTime(),
    ...change,
  };
}

describe.each(engines)("accounts on %s", (engine) => {
  let fixture: Awaited<ReturnType<typeof freshDatabase>>;
  let db: Db;
  beforeAll(async () => {
    fixture = await freshDatabase(engine);
    db = fixture.database.db;
    await seedDevelopment(db, "first-development-key", start);
  });
  afterAll(() => fixture.stop());

  const balanceOf = async (teamId: string): Promise<number> => (await readBalances(db, teamId)).credit;
  const addCredit = (teamId: string, micros: number) =>
    grantCredit(db, { id: newIdentifier(), teamId, micros, note: "" }, start);

  it("open to the development key, with credit, beta access and every scope", async () => {
    const { principal, expiresAtMs } = await verifyKey(db, sha256Hex("first-development-key"), start);
    expect(principal).toMatchObject({
      teamId: DEVELOPMENT_TEAM_ID,
      scopes: ["*"],
      hasCredit: true,
      betaAccess: true,
      maxConcurrentStreams: 0,
    });
    expect(expiresAtMs).toBeNull();
    expect(await balanceOf(DEVELOPMENT_TEAM_ID)).toBe(DEVELOPMENT_CREDIT_MICROS);
  });

  it("close to the development key once another one is configured, and tell which", async () => {
    expect(await seedDevelopment(db, "second", start)).toBe(sha256Hex("first-development-key"));
    expect(await seedDevelopment(db, "second", start)).toBeNull();
    await expect(verifyKey(db, sha256Hex("first-development-key"), start)).rejects.toMatchObject({
      code: "invalid_token",
    });
    await verifyKey(db, sha256Hex("second"), start);
  });

  it("seed once when many instances start together", async () => {
    await Promise.all(Array.from({ length: 8 }, () => seedDevelopment(db, "third", start)));
    expect(
      await db
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.digest, sha256Hex("third"))),
    ).toHaveLength(1);
    expect(await balanceOf(DEVELOPMENT_TEAM_ID)).toBe(DEVELOPMENT_CREDIT_MICROS);
  });

  it("create, list and revoke keys; only the digest is stored", async () => {
    const made = await administerKeys(
      db,
      { action: "create", name: "ci", teamId: null, scopes: ["voices"], expiresInMs: null },
      start,
    );
    const key = made.reply.key ?? "";
    expect(isWellFormedApiKey(key)).toBe(true);
    const [row] = await db
      .select()
      .from(apiKeys)
      .where(eq(apiKeys.digest, sha256Hex(key)));
    expect(JSON.stringify(row)).not.toContain(key.slice(15));
    expect((await verifyKey(db, sha256Hex(key), start)).principal.scopes).toEqual(["voices"]);
    const listed = (await administerKeys(db, { action: "list" }, start)).reply;
    expect(listed.key).toBeNull();
    expect(listed.keys.find((item) => item.keyId === row?.id)).toMatchObject({
      name: "ci",
      prefix: key.slice(0, 15),
      createdAtMs: start.getTime(),
    });

    const revoked = await administerKeys(db, { action: "revoke", keyId: row?.id ?? "" }, after(5));
    expect(revoked.revokedDigest).toBe(sha256Hex(key));
    await expect(verifyKey(db, sha256Hex(key), after(6))).rejects.toMatchObject({ code: "invalid_token" });
    const again = await administerKeys(db, { action: "revoke", keyId: row?.id ?? "" }, after(9));
    expect(again.reply.keys[0]?.revokedAtMs).toBe(after(5).getTime());
  });

  it("refuse a key from the instant that it expires", async () => {
    const { reply } = await administerKeys(
      db,
      { action: "create", name: "short", teamId: null, scopes: null, expiresInMs: 1000 },
      start,
    );
    const digest = sha256Hex(reply.key ?? "");
    expect((await verifyKey(db, digest, after(999))).expiresAtMs).toBe(after(1000).getTime());
    await expect(verifyKey(db, digest, after(1000))).rejects.toMatchObject({ code: "token_expired" });
  });

  it.each<[string, unknown, string]>([
    [
      "an unknown team",
      { action: "create", name: "x", teamId: "nobody", scopes: null, expiresInMs: null },
      "not_found",
    ],
    ["an empty name", { action: "create", name: "", teamId: null, scopes: null, expiresInMs: null }, "validation"],
    [
      "an unknown scope",
      { action: "create", name: "x", teamId: null, scopes: ["root"], expiresInMs: null },
      "validation",
    ],
    [
      "a lifetime of nothing",
      { action: "create", name: "x", teamId: null, scopes: null, expiresInMs: 0 },
      "validation",
    ],
    ["an unknown key", { action: "revoke", keyId: "none" }, "not_found"],
    ["an unknown action", { action: "drop" }, "validation"],
    ["nothing", null, "validation"],
  ])("refuse key administration with %s", async (_name, request, code) => {
    await expect(administerKeys(db, request, start)).rejects.toMatchObject({ code });
  });

  it("note a key's last use, at most once a minute", async () => {
    const { reply } = await administerKeys(
      db,
      { action: "create", name: "used", teamId: null, scopes: null, expiresInMs: null },
      start,
    );
    const digest = sha256Hex(reply.key ?? "");
    const lastUse = async (ms: number): Promise<number | undefined> => {
      await verifyKey(db, digest, after(ms));
      return (await db.select().from(apiKeys).where(eq(apiKeys.digest, digest)))[0]?.lastUsedAt?.getTime();
    };
    expect([await lastUse(0), await lastUse(59_999), await lastUse(60_000)]).toEqual(
      [after(0), after(0), after(60_000)].map(Number),
    );
  });

  it("settle each usage id once, whoever brings it and however often, and the sum is exact", async () => {
    const { teamId } = await addTeam(db, { balanceMicros: 10_000_000 });
    const ids = Array.from({ length: 12 }, newIdentifier);
    const deliveries = ids.flatMap((usageId, index) =>
      Array.from({ length: 4 }, () => usage({ usageId, teamId, characters: 100 * (index + 1) })),
    );
    const settled = await Promise.all(deliveries.map((item) => settleUsage(db, [item], start)));
    expect(settled.filter((item) => item.settled === 1)).toHaveLength(ids.length);
    const cost = ids.reduce((sum, _, index) => sum + costMicros(usage({ characters: 100 * (index + 1) })), 0);
    expect(await balanceOf(teamId)).toBe(10_000_000 - cost);
    expect(await db.select().from(usageRecords).where(eq(usageRecords.teamId, teamId))).toHaveLength(ids.length);
  });

  it("find exactly one request that exhausts the credit, and tell so to the next verification", async () => {
    const { teamId, key } = await addTeam(db, { balanceMicros: 5 * 15_000 });
    const settled = await Promise.all(Array.from({ length: 9 }, () => settleUsage(db, [usage({ teamId })], start)));
    expect(settled.filter((item) => item.exhaustedTeamIds.length > 0)).toHaveLength(1);
    expect(await balanceOf(teamId)).toBe(-4 * 15_000);
    expect((await verifyKey(db, sha256Hex(key), start)).principal.hasCredit).toBe(false);
    await addCredit(teamId, 4 * 15_000 + 1);
    expect((await verifyKey(db, sha256Hex(key), start)).principal.hasCredit).toBe(true);
  });

  it("charge nothing for the free model, a failure that gave nothing, or a team that is gone", async () => {
    const { teamId } = await addTeam(db, { balanceMicros: 7 });
    await settleUsage(db, [usage({ teamId, model: "s2.1-pro-free" })], start);
    await settleUsage(db, [usage({ teamId, outcome: "failed", characters: 0, audioMs: 0 })], start);
    expect(await balanceOf(teamId)).toBe(7);
    expect(await settleUsage(db, [usage({ teamId: "gone" })], start)).toEqual({
      settled: 0,
      repeated: 1,
      exhaustedTeamIds: [],
    });
  });

  it.each([
    "completed",
    "cancelled",
    "failed",
    "partial",
  ] as const)("charge what was given by a request that ended as %s", async (outcome) => {
    const { teamId } = await addTeam(db, { balanceMicros: 20_000 });
    await settleUsage(db, [usage({ teamId, outcome })], start);
    expect(await balanceOf(teamId)).toBe(5000);
  });

  it("take the real end of a request for its partial record, whichever comes first, and charge the difference once", async () => {
    for (const order of [
      ["partial", "cancelled"],
      ["cancelled", "partial"],
      ["partial", "partial", "cancelled", "cancelled", "partial"],
    ] as const) {
      for (const isOneBatch of [true, false]) {
        const { teamId } = await addTeam(db, { balanceMicros: 100_000 });
        const usageId = newIdentifier();
        const come = order.map((outcome) =>
          usage({ usageId, teamId, outcome, characters: outcome === "partial" ? 1000 : 3000 }),
        );
        let settled = 0;
        for (const batch of isOneBatch ? [come] : come.map((one) => [one]))
          settled += (await settleUsage(db, batch, start)).settled;
        expect([order, settled]).toEqual([order, isOneBatch || order[0] === "cancelled" ? 1 : 2]);
        expect(await balanceOf(teamId)).toBe(100_000 - 45_000);
        const rows = await db.select().from(usageRecords).where(eq(usageRecords.teamId, teamId));
        expect(rows).toMatchObject([{ usageId, outcome: "cancelled", characters: 3000, costMicros: 45_000 }]);
      }
    }
    expect(await auditLedger(db)).toEqual([]);
  });

  it("settle a batch of several teams with repetitions exactly, in one transaction", async () => {
    const all = await Promise.all([1, 2, 3].map(() => addTeam(db, { balanceMicros: 1_000_000 })));
    const batch = Array.from({ length: 100 }, (_, index) =>
      usage({ teamId: all[index % 3]?.teamId ?? "", characters: index }),
    );
    expect(await settleUsage(db, [...batch, ...batch.slice(40), usage({ teamId: "gone" })], start)).toEqual({
      settled: 100,
      repeated: 61,
      exhaustedTeamIds: [],
    });
    for (const [place, { teamId }] of all.entries()) {
      const cost = batch
        .filter((_, index) => index % 3 === place)
        .reduce((sum, { characters }) => sum + characters * 15, 0);
      expect(await balanceOf(teamId)).toBe(1_000_000 - cost);
    }
    expect(await auditLedger(db)).toEqual([]);
    expect(await settleUsage(db, batch, start)).toMatchObject({ settled: 0, repeated: 100 });
  });

  it("keep balance = top-ups - costs under any mix of both", async () => {
    const { teamId } = await addTeam(db, { balanceMicros: 0 });
    let expected = 0;
    const tx = fc.oneof(
      fc.record({ credit: fc.integer({ min: 1, max: 1_000_000 }) }),
      fc.record({ characters: fc.integer({ min: 0, max: 100_000 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(tx, { maxLength: 6 }), async (steps) => {
        await Promise.all(
          steps.map((item) =>
            "credit" in item
              ? addCredit(teamId, item.credit)
              : settleUsage(db, [usage({ teamId, characters: item.characters })], start),
          ),
        );
        for (const item of steps) expected += "credit" in item ? item.credit : -Math.ceil(item.characters * 15);
        expect(await balanceOf(teamId)).toBe(expected);
      }),
      { numRuns: 15 },
    );
    expect(await auditLedger(db)).toEqual([]);
  });
});
