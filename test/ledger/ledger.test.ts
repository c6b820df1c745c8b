import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Clock, VirtualClock } from "#common/clock";
import { newIdentifier, sha256Hex } from "#common/identifier";
import { costMicros } from "#control-plane/accounts/prices";
import { settleUsage } from "#control-plane/accounts/usage";
import type { Db } from "#control-plane/database/database";
import { creditHolds, ledgerAccounts, ledgerEntries, ledgerPostings } from "#control-plane/database/schema";
import { readBalances } from "#control-plane/ledger/accounts";
import { auditLedger } from "#control-plane/ledger/audit";
import { grantCredit } from "#control-plane/ledger/grant";
import { EXPIRY_INTERVAL_MS, startHoldExpiry } from "#control-plane/ledger/hold-expiry";
import { expireHolds, holdCredit, settleHold } from "#control-plane/ledger/holds";
import { post } from "#control-plane/ledger/post";
import type { UsageRecord } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { engines, freshDatabase, silentLog } from "../control-plane/databases.js";
import { addTeam } from "../control-plane/teams.js";
import { until } from "../harness/processes.js";

const now = new Date("2026-11-20T10:00:00.000Z");

function usage(teamId: string, usageId: string, characters: number): UsageRecord {
  const audio = { audioMs: 1, firstAudioMs: 1, totalMs: 1, outcome: "completed" as const };
  return {
    usageId,
    teamId,
    keyId: "k",
    route: "/v1/tts",
    model: "s1",
    characters,
    traceId: "t",
    finishedAtMs: now.getTime(),
    ...audio,
  };
}

/** The error's code, or `done`. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

describe.each(engines)("the ledger on %s", (engine) => {
  let fixture: Awaited<ReturnType<typeof freshDatabase>>;
  let db: Db;
  beforeAll(async () => {
    fixture = await freshDatabase(engine);
    db = fixture.database.db;
  });
  afterAll(() => fixture.stop());

  const team = async (micros: number): Promise<string> => (await addTeam(db, { balanceMicros: micros })).teamId;
  const balances = async (teamId: string): Promise<Record<string, number>> => {
    const { credit, held, granted, spent } = await readBalances(db, teamId);
    return { credit, held, granted, spent };
  };

  it("sets credit aside, spends what it came to and gives the rest back", async () => {
    const teamId = await team(100);
    await holdCredit(db, { id: "h1", teamId, micros: 60, purpose: "session" }, now);
    expect(await balances(teamId)).toEqual({ credit: 40, held: 60, granted: -100, spent: 0 });
    await settleHold(db, "h1", 25, now);
    expect(await balances(teamId)).toEqual({ credit: 75, held: 0, granted: -100, spent: 25 });
  });

  it("gives back what nobody settled in time, once, and still takes what it came to after that", async () => {
    const teamId = await team(10);
    const later = (ms: number): Date => new Date(now.getTime() + ms);
    await holdCredit(db, { id: "x1", teamId, micros: 10, purpose: "session", expiresAt: later(1000) }, now);
    expect(await expireHolds(db, later(999))).toEqual({ revived: [], failures: [] });
    const looks = await Promise.all(Array.from({ length: 4 }, () => expireHolds(db, later(1000))));
    expect(looks.flatMap(({ revived }) => revived)).toEqual([teamId]);
    expect(await balances(teamId)).toEqual({ credit: 10, held: 0, granted: -10, spent: 0 });
    await holdCredit(db, { id: "x2", teamId, micros: 8, purpose: "another session" }, now);
    // It was used, and the credit is elsewhere by now: below 0, and said so.
    expect(await settleHold(db, "x1", 7, later(2000))).toEqual({ repeated: false, creditBefore: 2, creditAfter: -5 });
    expect(await settleHold(db, "x1", 7, later(3000))).toMatchObject({ repeated: true, creditAfter: -5 });
    expect(await outcomeOf(settleHold(db, "x1", 6, later(3000)))).toBe("conflict");
    expect(await balances(teamId)).toEqual({ credit: -5, held: 8, granted: -10, spent: 7 });
    expect(await expireHolds(db, later(1e12))).toEqual({ revived: [], failures: [] });
    expect(await auditLedger(db)).toEqual([]);
  });

  it("ends a hold either way when it expires while it is settled", async () => {
    const teamId = await team(1000);
    const ids = Array.from({ length: 12 }, (_, index) => `expiring ${index}`);
    for (const id of ids) await holdCredit(db, { id, teamId, micros: 50, purpose: "session", expiresAt: now }, now);
    await Promise.all(ids.flatMap((id, index) => [settleHold(db, id, 20 + index, now), expireHolds(db, now)]));
    const spent = ids.reduce((sum, _, index) => sum + 20 + index, 0);
    expect(await balances(teamId)).toEqual({ credit: 1000 - spent, held: 0, granted: -1000, spent });
    expect(await auditLedger(db)).toEqual([]);
  });

  it("gives back by itself what an owner that died had held, when its time is over, and tells edges", async () => {
    const virtual = new VirtualClock();
    let looks = 0;
    const after: Clock["after"] = (delayMs, callback) => {
      looks++;
      return virtual.after(delayMs, callback);
    };
    const looked = (count: number): Promise<void> =>
      until(() => looks === count, { withinMs: 10_000, what: `look ${count} to end` });
    const { teamId, key } = await addTeam(db, { balanceMicros: 10 });
    const published: unknown[] = [];
    const bus = { publish: (_subject: string, message: object): void => void published.push(message) };
    const hold = async (id: string, expiresInMs: number): Promise<void> => {
      await holdCredit(
        db,
        { id, teamId, micros: 5, purpose: "session", expiresAt: new Date(now.getTime() + expiresInMs) },
        now,
      );
    };
    for (const [id, expiresInMs] of [
      ["d1", 30_000],
      ["d2", 90_000],
    ] as const)
      await hold(id, expiresInMs);
    const clock = { nowMs: () => virtual.nowMs(), after };
    const expiry = startHoldExpiry({
      db,
      bus,
      clock,
      log: silentLog,
      now: () => new Date(now.getTime() + virtual.nowMs()),
    });
    try {
      await looked(1);
      expect(await balances(teamId)).toMatchObject({ credit: 0, held: 10 });
      virtual.advance(EXPIRY_INTERVAL_MS);
      await looked(2);
      expect(await balances(teamId)).toMatchObject({ credit: 5, held: 5 });
      expect(published).toEqual([{ keyDigest: sha256Hex(key) }]);
      virtual.advance(EXPIRY_INTERVAL_MS);
      await looked(3);
      expect(await balances(teamId)).toMatchObject({ credit: 10, held: 0 });
    } finally {
      expiry.stop();
    }
    expect(await auditLedger(db)).toEqual([]);
  });

  it("gives all of them back in one look, however many, and does not stop at one that cannot be", async () => {
    const teamId = await team(100);
    const ids = Array.from({ length: 5 }, (_, index) => `many ${index}`);
    for (const id of ids) await holdCredit(db, { id, teamId, micros: 10, purpose: "session", expiresAt: now }, now);
    await db.execute(sql`ALTER TABLE credit_holds ADD CONSTRAINT stuck CHECK (id <> 'many 1' OR closed_at IS NULL)`);
    const { revived, failures } = await expireHolds(db, now, 2);
    await db.execute(sql`ALTER TABLE credit_holds DROP CONSTRAINT stuck`);
    expect([revived, failures.length]).toEqual([[], 1]);
    expect(await balances(teamId)).toMatchObject({ credit: 90, held: 10 });
    expect(await expireHolds(db, now, 2)).toEqual({ revived: [], failures: [] });
    expect(await balances(teamId)).toMatchObject({ credit: 100, held: 0 });
  });

  it("releases a hold whole", async () => {
    const teamId = await team(10);
    await holdCredit(db, { id: "h2", teamId, micros: 10, purpose: "number" }, now);
    await settleHold(db, "h2", 0, now);
    expect(await balances(teamId)).toEqual({ credit: 10, held: 0, granted: -10, spent: 0 });
  });

  it("takes what exceeds a hold from the credit, below 0 if need be: it has been used", async () => {
    const teamId = await team(10);
    await holdCredit(db, { id: "h3", teamId, micros: 10, purpose: "session" }, now);
    await settleHold(db, "h3", 13, now);
    expect(await balances(teamId)).toEqual({ credit: -3, held: 0, granted: -10, spent: 13 });
  });

  it("refuses a hold that exceeds the credit, and nothing of it remains", async () => {
    const teamId = await team(10);
    expect(await outcomeOf(holdCredit(db, { id: "h4", teamId, micros: 11, purpose: "session" }, now))).toBe(
      "out_of_credit",
    );
    expect(await balances(teamId)).toEqual({ credit: 10, held: 0, granted: -10, spent: 0 });
    expect(await db.select().from(creditHolds).where(eq(creditHolds.id, "h4"))).toEqual([]);
    expect(await db.select().from(ledgerEntries).where(eq(ledgerEntries.id, "hold:h4"))).toEqual([]);
    await grantCredit(db, { id: "later", teamId, micros: 1, note: "" }, now);
    expect(await outcomeOf(holdCredit(db, { id: "h4", teamId, micros: 11, purpose: "session" }, now))).toBe("done");
  });

  it("makes and settles the same hold once, however often and from however many sides it is asked to", async () => {
    const teamId = await team(100);
    const hold = { id: "h5", teamId, micros: 50, purpose: "session" };
    const made = await Promise.all(Array.from({ length: 8 }, () => holdCredit(db, hold, now)));
    expect(made.filter(({ repeated }) => !repeated)).toHaveLength(1);
    const settled = await Promise.all(Array.from({ length: 8 }, () => settleHold(db, "h5", 20, now)));
    expect(settled.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(await balances(teamId)).toEqual({ credit: 80, held: 0, granted: -100, spent: 20 });
  });

  it("refuses to let one id stand for two holds, or come to two amounts", async () => {
    const [teamId, other] = [await team(100), await team(100)];
    await holdCredit(db, { id: "h6", teamId, micros: 5, purpose: "" }, now);
    expect(await outcomeOf(holdCredit(db, { id: "h6", teamId, micros: 6, purpose: "" }, now))).toBe("conflict");
    expect(await outcomeOf(holdCredit(db, { id: "h6", teamId: other, micros: 5, purpose: "" }, now))).toBe("conflict");
    await settleHold(db, "h6", 5, now);
    expect(await outcomeOf(settleHold(db, "h6", 4, now))).toBe("conflict");
    expect(await outcomeOf(settleHold(db, "unheard of", 4, now))).toBe("not_found");
  });

  it("never holds more than there is, however many ask at once", async () => {
    const teamId = await team(1000);
    const asked = Array.from({ length: 24 }, (_, index) => ({ id: `race ${index}`, teamId, micros: 90, purpose: "" }));
    const outcomes = await Promise.all(asked.map((hold) => outcomeOf(holdCredit(db, hold, now))));
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(11);
    expect(outcomes.filter((outcome) => outcome === "out_of_credit")).toHaveLength(13);
    expect(await balances(teamId)).toMatchObject({ credit: 10, held: 990 });
  });

  it("takes credit back, at most what is left", async () => {
    const teamId = await team(100);
    expect(await outcomeOf(grantCredit(db, { id: newIdentifier(), teamId, micros: -101, note: "" }, now))).toBe(
      "out_of_credit",
    );
    expect(await outcomeOf(grantCredit(db, { id: newIdentifier(), teamId, micros: -100, note: "" }, now))).toBe("done");
    expect(await balances(teamId)).toEqual({ credit: 0, held: 0, granted: 0, spent: 0 });
  });

  it("books no entry that does not sum to 0", async () => {
    const teamId = await team(1);
    for (const postings of [{ credit: -1 }, { credit: -1, spent: 2 }, { credit: -0.5, spent: 0.5 }]) {
      const entry = { id: newIdentifier(), teamId, kind: "usage" as const, note: "", postings, mayOverdraw: true };
      await expect(db.transaction((tx) => post(tx, entry, now))).rejects.toThrow(RangeError);
    }
  });

  it("finds books that were tampered with", async () => {
    const teamId = await team(10);
    await holdCredit(db, { id: "h7", teamId, micros: 4, purpose: "" }, now);
    expect(await auditLedger(db)).toEqual([]);
    const tampered = new Error("undo");
    const attempt = db.transaction(async (tx) => {
      await tx.update(ledgerAccounts).set({ balanceMicros: 999 }).where(eq(ledgerAccounts.teamId, teamId));
      await tx.update(ledgerPostings).set({ amountMicros: 7 }).where(eq(ledgerPostings.entryId, "hold:h7"));
      const findings = await auditFindings(tx);
      expect(findings).toContain("entry hold:h7 does not sum to 0");
      expect(findings).toContain(`account credit of team ${teamId} is not the sum of its postings`);
      expect(findings).toContain(`what team ${teamId} holds is not the sum of its open holds`);
      throw tampered;
    });
    await expect(attempt).rejects.toBe(tampered);
  });

  it("agrees with a plain model under any concurrent mix of grants, usage, holds and settlements, each delivered several times", async () => {
    const command = fc.oneof(
      fc.record({ type: fc.constant("grant" as const), micros: fc.integer({ min: 1, max: 50_000 }) }),
      fc.record({ type: fc.constant("usage" as const), characters: fc.integer({ min: 0, max: 3000 }) }),
      fc.record({
        type: fc.constant("hold" as const),
        micros: fc.integer({ min: 1, max: 40_000 }),
        spentShare: fc.double({ min: 0, max: 1.5, noNaN: true }),
      }),
    );
    const plan = fc.array(fc.tuple(command, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(plan, async (steps) => {
        const teamId = await team(20_000);
        const ids = steps.map(() => newIdentifier());
        const outcomes = await Promise.all(
          steps.map(async ([tx, times], index) => {
            const id = ids[index] ?? "";
            const deliver = (): Promise<string> => {
              if (tx.type === "grant")
                return outcomeOf(grantCredit(db, { id, teamId, micros: tx.micros, note: "" }, now));
              if (tx.type === "usage") return outcomeOf(settleUsage(db, [usage(teamId, id, tx.characters)], now));
              return outcomeOf(holdCredit(db, { id, teamId, micros: tx.micros, purpose: "" }, now));
            };
            const delivered = await Promise.all(Array.from({ length: times }, deliver));
            const taken = delivered.includes("done");
            if (tx.type === "hold" && taken && tx.spentShare <= 1) {
              const micros = Math.floor(tx.micros * tx.spentShare);
              await Promise.all(Array.from({ length: times }, () => settleHold(db, id, micros, now)));
            }
            return taken;
          }),
        );
        const expected = { credit: 20_000, held: 0, granted: -20_000, spent: 0 };
        steps.forEach(([tx], index) => {
          if (outcomes[index] !== true) return;
          if (tx.type === "grant") move(expected, "granted", "credit", tx.micros);
          if (tx.type === "usage") move(expected, "credit", "spent", costMicros(usage(teamId, "", tx.characters)));
          if (tx.type !== "hold") return;
          if (tx.spentShare > 1) move(expected, "credit", "held", tx.micros);
          else move(expected, "credit", "spent", Math.floor(tx.micros * tx.spentShare));
        });
        expect(await balances(teamId)).toEqual(expected);
      }),
      { numRuns: 25 },
    );
    expect(await auditLedger(db)).toEqual([]);
  });
});

function move(
  accounts: { credit: number; held: number; granted: number; spent: number },
  from: keyof typeof accounts,
  to: keyof typeof accounts,
  by: number,
): void {
  accounts[from] -= by;
  accounts[to] += by;
}

/** The audit inside a transaction that is to be undone. */
function auditFindings(tx: Db): Promise<string[]> {
  return auditLedger({ transaction: (work: (inner: Db) => Promise<string[]>) => work(tx) } as unknown as Db);
}
