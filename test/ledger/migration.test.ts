import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { verifyKey } from "#control-plane/accounts/verify";
import { migrate } from "#control-plane/database/migrate";
import { migrations } from "#control-plane/database/migrations/all";
import { openPglite } from "#control-plane/database/pglite";
import { readBalances } from "#control-plane/ledger/accounts";
import { auditLedger } from "#control-plane/ledger/audit";
import { temporaryDirectory } from "../harness/temporary-directory.js";

const now = new Date("2026-11-20T10:00:00.000Z");

// It creates a database: seconds of computing, and minutes on a machine that computes much else.
describe("an installation of before the ledger", { timeout: 240_000 }, () => {
  it("keeps its teams' credit, debts included, and the books balance", async () => {
    const directory = temporaryDirectory("pglite");
    const database = await openPglite(directory.path);
    const { db } = database;
    await migrate(db, migrations.slice(0, 2), now);
    for (const [id, left, given] of [
      ["rich", 700, 1000],
      ["indebted", -5, 100],
      ["new", 0, 0],
    ] as const) {
      await db.execute(
        sql`INSERT INTO teams VALUES (${id}, ${id}, ${left}, ${given}, false, 0, ${now.toISOString()}, ${now.toISOString()})`,
      );
      await db.execute(sql`INSERT INTO users VALUES (${id}, ${id}, 'n', '', ${now.toISOString()})`);
      await db.execute(
        sql`INSERT INTO api_keys VALUES (${id}, ${id}, ${id}, 'n', 'p', ${id}, '{*}', ${now.toISOString()})`,
      );
    }
    await migrate(db, migrations, now);
    expect(await readBalances(db, "rich")).toMatchObject({ credit: 700, held: 0, granted: -1000, spent: 300 });
    expect(await readBalances(db, "indebted")).toMatchObject({ credit: -5, held: 0, granted: -100, spent: 105 });
    expect(await auditLedger(db)).toEqual([]);
    const hasCredit = async (digest: string): Promise<boolean> =>
      (await verifyKey(db, digest, now)).principal.hasCredit;
    expect([await hasCredit("rich"), await hasCredit("indebted"), await hasCredit("new")]).toEqual([
      true,
      false,
      false,
    ]);
    await database.close();
    directory.remove();
  });
});
