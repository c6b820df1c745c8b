import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PassThrough, Readable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { KeyVerifier } from "#edge/authentication/key-verifier";
import type { Bus } from "#common/bus/bus";
import { connectNats } from "#common/bus/nats";
import { noCache } from "#common/cache/cache";
import { systemClock } from "#common/clock";
import { startService } from "#control-plane/service";
import type { KeySummary, TeamSummary } from "#protocol/bus/control";
import { runCommandLine } from "../../cli/main.js";
import { freshDatabase, silentLog } from "../control-plane/databases.js";
import { standInRecognizers, testDoors } from "../control-plane/service.js";
import { until } from "../harness/processes.js";
import { type ExternalServer, startNats } from "../harness/servers.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";

describe("the operator's command line on a control plane", () => {
  let nats: ExternalServer;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let service: Awaited<ReturnType<typeof startService>>;
  const buses: Bus[] = [];
  const verifiers: KeyVerifier[] = [];
  const directory = temporaryDirectory("cli");

  beforeAll(async () => {
    [nats, database] = await Promise.all([startNats(), freshDatabase("pglite")]);
    for (const name of ["service", "edge-1", "edge-2", "edge-3"])
      buses.push(await connectNats({ url: nats.url, name, log: silentLog }));
    const [own, ...edges] = buses;
    if (own === undefined) throw new Error("no connection");
    const { db } = database.database;
    service = await startService({
      bus: own,
      clock: systemClock,
      db,
      log: silentLog,
      ...standInRecognizers,
      ...testDoors(),
      now: () => new Date(),
      developmentKey: null,
    });
    for (const bus of edges) {
      verifiers.push(
        new KeyVerifier({
          bus,
          cache: noCache,
          clock: systemClock,
          epochMs: () => Date.now(),
          onVerdict: () => undefined,
        }),
      );
      await bus.flush();
    }
  });
  afterAll(async () => {
    for (const verifier of verifiers) verifier.close();
    await service.drain(10_000);
    service.stop();
    await Promise.all(buses.map((bus) => bus.close()));
    await database.stop();
    await nats.stop();
    directory.remove();
  });

  const parley = async (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const [out, err] = [readAll(stdout), readAll(stderr)];
    const environment = { PATH: process.env.PATH, PARLEY_DATA_DIR: directory.path, NATS_URL: nats.url };
    const stdin = Object.assign(Readable.from([]), { isTTY: false });
    const code = await runCommandLine(args, { environment, stdin, stdout, stderr, distDirectory: directory.path });
    stdout.end();
    stderr.end();
    return { code, out: await out, err: await err };
  };
  const newTeam = async (name: string): Promise<string> => (await parley("teams", "create", name)).out.trim();
  const verdicts = (key: string): Promise<string[]> =>
    Promise.all(
      verifiers.map((edge) =>
        edge.verify(key, { address: "127.0.0.1" }).then(
          (who) => (who.hasCredit ? "credit" : "no credit"),
          (error: { code: string }) => error.code,
        ),
      ),
    );

  it("makes a team, changes it, and lists it", async () => {
    const teamId = await newTeam("acme");
    expect(teamId).toMatch(/^[0-9a-f]{32}$/);
    expect((await parley("teams", "change", teamId, "--beta", "on", "--streams", "4", "--name", "Acme Ltd")).code).toBe(
      0,
    );
    const listed = JSON.parse((await parley("teams", "list", "--json")).out) as TeamSummary[];
    expect(listed.find((team) => team.teamId === teamId)).toMatchObject({
      name: "Acme Ltd",
      betaAccess: true,
      maxConcurrentStreams: 4,
      credit: "0",
    });
    expect((await parley("teams", "change", "nobody", "--beta", "on")).err).toContain("Not found");
  });

  it("tells every edge within a second when a key is revoked", async () => {
    const teamId = await newTeam("revoked");
    const key = (await parley("keys", "create", "phone", "--team", teamId)).out.trim();
    expect(await verdicts(key)).toEqual(["no credit", "no credit", "no credit"]);
    const summaries = JSON.parse((await parley("keys", "list", "--json")).out) as KeySummary[];
    const keyId = summaries.find((item) => item.teamId === teamId)?.keyId ?? "";
    const revokedAtMs = performance.now();
    expect((await parley("keys", "revoke", keyId)).code).toBe(0);
    await until(async () => (await verdicts(key)).every((verdict) => verdict === "invalid_token"), {
      withinMs: 1000,
      what: "every edge to refuse the key",
    });
    expect(performance.now() - revokedAtMs).toBeLessThan(1000);
  });

  it("gives credit that every edge hears of, once per id, and takes it back", async () => {
    const teamId = await newTeam("spender");
    const key = (await parley("keys", "create", "k", "--team", teamId)).out.trim();
    expect(await verdicts(key)).toEqual(["no credit", "no credit", "no credit"]);
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await parley("credit", "add", teamId, "2.5", "--id", "invoice 7", "--note", "invoice")).code).toBe(0);
    await until(async () => (await verdicts(key)).every((verdict) => verdict === "credit"), {
      withinMs: 1000,
      what: "every edge to hear of the credit",
    });
    const { out } = await parley("credit", "show", teamId);
    expect(out).toMatch(/: 2\.5 left, 0 held, 2\.5 given, 0 spent\.\n/);
    expect(out).toMatch(/ grant +2\.5 +invoice +grant:invoice 7\n/);
    const tooMuch = await parley("credit", "take", teamId, "2.6");
    expect([tooMuch.code, tooMuch.err]).toEqual([1, "parley: Out of API credit\n"]);
    expect((await parley("credit", "take", teamId, "2.5")).out).toContain(": 0 left");
    await until(async () => (await verdicts(key)).every((verdict) => verdict === "no credit"), {
      withinMs: 1000,
      what: "every edge to hear that it is gone",
    });
  });

  it("proves the ledger", async () => {
    expect(await parley("credit", "audit")).toMatchObject({ code: 0, out: "The ledger balances.\n" });
  });

  it.each([
    ["teams"],
    ["teams", "create"],
    ["teams", "create", "a", "b"],
    ["teams", "change", "x", "--beta", "maybe"],
    ["teams", "create", "a", "--streams", "-1"],
    ["credit"],
    ["credit", "add", "t"],
    ["credit", "add", "t", "0"],
    ["credit", "add", "t", "1e3"],
    ["credit", "add", "t", "0.0000001"],
    ["credit", "audit", "t"],
  ])("answers %s %s %s with code 2", async (...args) => {
    expect((await parley(...args)).code).toBe(2);
  });

  it("says that there is no such team", async () => {
    expect(await parley("credit", "show", "nobody")).toMatchObject({ code: 1, err: "parley: Not found\n" });
    expect(await parley("credit", "add", "nobody", "1")).toMatchObject({ code: 1, err: "parley: Not found\n" });
  });
});
