import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresPrograms, startPostgres, type TestPostgres } from "./postgres.js";

const entry = new URL("./../../control-plane/migrate.js", import.meta.url).pathname;

const migrate = (settings: Record<string, string>) =>
  spawnSync(process.execPath, [entry], { env: { PATH: process.env.PATH, ...settings }, encoding: "utf8" });

describe("the migration before an upgrade", () => {
  it("fails without a database, and says what is missing", () => {
    const { status, stdout } = migrate({});
    expect(status).toBe(1);
    expect(stdout).toContain("DATABASE_URL is needed");
  });
});

const programs = postgresPrograms();
describe.skipIf(programs === null)("the migration before an upgrade, in Postgres", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres(programs ?? "");
  });
  afterAll(() => server.stop());

  it("brings the schema up to date once, and finds nothing to do the second time", () => {
    const [first, second] = [migrate({ DATABASE_URL: server.url }), migrate({ DATABASE_URL: server.url })];
    expect([first.status, second.status]).toEqual([0, 0]);
    expect(first.stdout).toContain("schema brought up to date");
    expect(second.stdout).not.toContain("schema brought up to date");
  });
});
