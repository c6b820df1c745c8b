import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addClient, clientOf, type TeamClient } from "../agents/client.js";
import { engines } from "./databases.js";
import { type ServiceFixture, startFixture } from "./service.js";
import { sha256Hex } from "#common/identifier";
import { controlSubjects, type KeyRevoked, keyRevokedSubject, type Reply } from "#protocol/bus/control";
import { createdKey, type KeyEntity, keyList } from "#protocol/keys";

describe.each(engines)("keys of a team, on %s", (engine) => {
  let fixture: ServiceFixture;
  let team: TeamClient;
  beforeAll(async () => {
    fixture = await startFixture(engine);
    team = await addClient(fixture);
  });
  afterAll(() => fixture.stop());

  const limited = (scopes: string[]): TeamClient["ask"] => clientOf(fixture, { ...team.principal, scopes });
  const keysOf = async (ask: TeamClient["ask"]): Promise<KeyEntity[]> =>
    keyList.parse((await ask("GET", "/v1/keys")).json).keys;
  /** Who shows this key, as edges ask it. */
  const verify = async (key: string): Promise<unknown> => {
    const question = { keyDigest: sha256Hex(key), isKnown: false, traceparent: null };
    const within = { timeoutMs: 5000, dependency: "Keys" };
    const reply = await fixture.bus.request<Reply<unknown>>(controlSubjects.verifyKey, question, within);
    return reply.ok ? reply.value : reply.error.code;
  };

  it("are made, shown once, and listed without the secret", async () => {
    const answer = await team.ask("POST", "/v1/keys", { name: "Website", scopes: ["speech"], expires_in_days: 90 });
    expect(answer.status).toBe(201);
    const { key, ...shown } = createdKey.parse(answer.json);
    expect(await verify(key)).toMatchObject({ principal: { teamId: team.principal.teamId, scopes: ["speech"] } });
    expect(key.startsWith(shown.prefix)).toBe(true);
    const daysLeft = (Date.parse(shown.expires_at ?? "") - Date.parse(shown.created_at)) / 86_400_000;
    expect(daysLeft).toBe(90);
    const listed = (await keysOf(team.ask)).find(({ key_id }) => key_id === shown.key_id);
    expect(listed).toEqual({ ...shown, last_used_at: expect.any(String) as string });
    expect(JSON.stringify(await keysOf(team.ask))).not.toContain(key);
  });

  it("count no more once they are revoked, which edges are told", async () => {
    const { key, key_id } = createdKey.parse((await team.ask("POST", "/v1/keys", { name: "Old" })).json);
    const told: KeyRevoked[] = [];
    const subscription = fixture.bus.subscribe<KeyRevoked>(keyRevokedSubject, (message) => void told.push(message));
    await fixture.bus.flush();
    expect((await team.ask("DELETE", `/v1/keys/${key_id}`)).status).toBe(204);
    expect((await team.ask("DELETE", `/v1/keys/${key_id}`)).status).toBe(204);
    await expect.poll(() => told).toContainEqual({ keyDigest: sha256Hex(key) });
    subscription.unsubscribe();
    expect(await verify(key)).not.toHaveProperty("principal.teamId");
    expect((await keysOf(team.ask)).find((found) => found.key_id === key_id)?.revoked_at).not.toBeNull();
  });

  it("are another team's business nowhere", async () => {
    const other = await addClient(fixture);
    const { key, key_id } = createdKey.parse((await team.ask("POST", "/v1/keys", { name: "Mine" })).json);
    expect((await keysOf(other.ask)).map((found) => found.key_id)).not.toContain(key_id);
    expect((await other.ask("DELETE", `/v1/keys/${key_id}`)).status).toBe(404);
    expect(await verify(key)).toHaveProperty("principal.teamId");
    expect((await team.ask("DELETE", "/v1/keys/a%00b")).status).toBe(404);
  });

  it("cover no more than the key that makes them", async () => {
    const ask = limited(["keys", "speech"]);
    const scopesOf = async (body: object): Promise<unknown> => (await ask("POST", "/v1/keys", body)).json["scopes"];
    expect(await scopesOf({ name: "a" })).toEqual(["keys", "speech"]);
    expect(await scopesOf({ name: "b", scopes: ["speech", "speech"] })).toEqual(["speech"]);
    for (const scopes of [["voices"], ["*"], ["speech", "agents"]]) {
      const refused = await ask("POST", "/v1/keys", { name: "c", scopes });
      expect([scopes, refused.status]).toEqual([scopes, 403]);
    }
    expect((await limited(["speech"])("GET", "/v1/keys")).status).toBe(403);
    expect(await keysOf(limited(["*"]))).toBeInstanceOf(Array);
  });

  it.each([
    [{}, 422],
    [{ name: "" }, 422],
    [{ name: "n", scopes: [] }, 422],
    [{ name: "n", scopes: ["everything"] }, 422],
    [{ name: "n", expires_in_days: 0 }, 422],
    [{ name: "n", expires_in_days: 3651 }, 422],
    [{ name: "n", expires_in_days: 1.5 }, 422],
    [{ name: "n", team_id: "t" }, 422],
    [{ name: "n\u0000" }, 422],
  ])("are not made of %j", async (body, status) => {
    expect((await team.ask("POST", "/v1/keys", body)).status).toBe(status);
  });
});
