import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newIdentifier, sha256Hex } from "#common/identifier";
import { administerConsoleSessions } from "#control-plane/accounts/console-sessions";
import { DEVELOPMENT_TEAM_ID, seedDevelopment } from "#control-plane/accounts/development";
import { administerKeys } from "#control-plane/accounts/keys";
import { verifyKey } from "#control-plane/accounts/verify";
import type { Db } from "#control-plane/database/database";
import type { ConsoleSessionsRequest } from "#protocol/bus/console-sessions";
import { engines, freshDatabase } from "./databases.js";

const start = new Date("2026-11-20T10:00:00.000Z");
const MINUTE_MS = 60_000;
const after = (ms: number): Date => new Date(start.getTime() + ms);
const fresh = (): string => sha256Hex(newIdentifier());

describe.each(engines)("sessions of the console on %s", (engine) => {
  let fixture: Awaited<ReturnType<typeof freshDatabase>>;
  let db: Db;
  let keyId = "";
  beforeAll(async () => {
    fixture = await freshDatabase(engine);
    db = fixture.database.db;
    await seedDevelopment(db, "development", start);
    keyId = (await verifyKey(db, sha256Hex("development"), start)).principal.keyId;
  });
  afterAll(() => fixture.stop());

  const ask = (request: ConsoleSessionsRequest, now = start) => administerConsoleSessions(db, request, now);
  const open = async (of = keyId, now = start): Promise<string> => {
    const sessionDigest = fresh();
    await ask({ action: "open", sessionDigest, keyId: of }, now);
    return sessionDigest;
  };
  const makeKey = async (expiresInMs: number | null): Promise<string> => {
    const asked = { action: "create", name: "k", teamId: null, scopes: ["speech"], expiresInMs };
    return (await administerKeys(db, asked, start)).reply.keys[0]?.keyId ?? "";
  };
  const codeOf = (error: Promise<unknown>) => expect(error).rejects;

  it("stand for their key for twelve hours", async () => {
    const own = await makeKey(null);
    const digest = await open(own);
    const { principal, expiresAtMs } = await verifyKey(db, digest, after(12 * 60 * MINUTE_MS - 1));
    expect(principal).toMatchObject({ keyId: own, teamId: DEVELOPMENT_TEAM_ID, scopes: ["speech"] });
    expect(expiresAtMs).toBe(after(12 * 60 * MINUTE_MS).getTime());
    await codeOf(verifyKey(db, digest, after(12 * 60 * MINUTE_MS))).toMatchObject({ code: "token_expired" });
    // The next one sweeps it away.
    await open(own, after(12 * 60 * MINUTE_MS));
    await codeOf(verifyKey(db, digest, start)).toMatchObject({ code: "invalid_token" });
  });

  it("end with their key: expired, revoked, or replaced under the same id", async () => {
    const brief = await open(await makeKey(MINUTE_MS));
    expect((await verifyKey(db, brief, start)).expiresAtMs).toBe(after(MINUTE_MS).getTime());
    await codeOf(verifyKey(db, brief, after(MINUTE_MS))).toMatchObject({ code: "token_expired" });
    const revokedKey = await makeKey(null);
    const ofRevoked = await open(revokedKey);
    await administerKeys(db, { action: "revoke", keyId: revokedKey }, start);
    await codeOf(verifyKey(db, ofRevoked, start)).toMatchObject({ code: "invalid_token" });
    await codeOf(open(revokedKey)).toMatchObject({ code: "invalid_token" });
    const ofDevelopment = await open();
    await verifyKey(db, ofDevelopment, start);
    await seedDevelopment(db, "another", start);
    await codeOf(verifyKey(db, ofDevelopment, start)).toMatchObject({ code: "invalid_token" });
  });

  it("end when their user signs out, and the digest is told to edges", async () => {
    const digest = await open();
    const { closedDigest } = await ask({ action: "close", sessionDigest: digest });
    expect(closedDigest).toBe(digest);
    await codeOf(verifyKey(db, digest, start)).toMatchObject({ code: "invalid_token" });
  });

  it("begin with a code that is good once, and for ten minutes", async () => {
    const issue = async (): Promise<string> => {
      const codeDigest = fresh();
      await ask({ action: "issue-code", codeDigest, keyId });
      return codeDigest;
    };
    const use = (codeDigest: string, now: Date) =>
      ask({ action: "open-by-code", sessionDigest: fresh(), codeDigest }, now);
    const code = await issue();
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => use(code, after(10 * MINUTE_MS - 1))));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await codeOf(use(code, start)).toMatchObject({ code: "invalid_token" });
    await codeOf(use(await issue(), after(10 * MINUTE_MS))).toMatchObject({ code: "invalid_token" });
    await codeOf(use(fresh(), start)).toMatchObject({ code: "invalid_token" });
  });

  it("tell whose they are, and until when", async () => {
    const digest = await open();
    const { reply } = await ask({ action: "describe", keyId, sessionDigest: digest });
    expect(reply.session).toMatchObject({
      key: { id: keyId, name: "development key", scopes: ["*"] },
      team: { id: DEVELOPMENT_TEAM_ID, name: "Development" },
      expires_at: after(12 * 60 * MINUTE_MS).toISOString(),
    });
    const { reply: ofKey } = await ask({ action: "describe", keyId, sessionDigest: null });
    expect(ofKey.session?.expires_at).toBeNull();
    const malformed = { action: "open", sessionDigest: "short", keyId } as const;
    await codeOf(ask(malformed)).toMatchObject({ code: "validation" });
  });
});
