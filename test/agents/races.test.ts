import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newIdentifier } from "#common/identifier";
import { phoneNumbers } from "#control-plane/phone/tables";
import { engines } from "../control-plane/databases.js";
import type { ServiceFixture } from "../control-plane/service.js";
import { addClient, createAgent, startTeams, type TeamClient } from "./client.js";

interface Listed {
  agents: { agent_id: string; name: string }[];
  next_cursor: string | null;
  has_more: boolean;
  total: number | null;
}

const runs = { numRuns: 6, endOnFailure: true };

describe.each(engines)("agents under concurrency on %s", (engine) => {
  let fixture: ServiceFixture;
  let team: TeamClient;

  beforeAll(async () => {
    ({ fixture, team } = await startTeams(engine));
  });
  afterAll(() => fixture.stop());

  it("publishes each draft once: versions have no gaps, and each is some draft, whole", async () => {
    const tx = fc.oneof(
      { arbitrary: fc.constant("publish"), weight: 3 },
      { arbitrary: fc.integer({ min: 0, max: 3 }).map(String), weight: 2 },
    );
    const property = fc.asyncProperty(
      fc.array(fc.array(tx, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 4 }),
      async (callers) => {
        const path = `/v1/agent/agents/${await createAgent(team)}`;
        const published: { version_number: number; config_hash: string }[] = [];
        const drafts = new Set([String((await team.ask("GET", `${path}/config`)).json["config_hash"])]);
        await Promise.all(
          callers.map(async (steps) => {
            for (const text of steps) {
              if (text === "publish") published.push((await team.ask("POST", `${path}/publish`)).json as never);
              // Both fields have the same text in every draft: a version where they differ was put together from two.
              else
                drafts.add(
                  String(
                    (
                      await team.ask("PATCH", `${path}/config`, {
                        prompt: { system_prompt: text, first_message: text },
                      })
                    ).json["config_hash"],
                  ),
                );
            }
          }),
        );
        const { versions, total } = (await team.ask("GET", `${path}/versions?page=1&page_size=100`)).json as {
          versions: { version_number: number; config_hash: string }[];
          total: number;
        };
        expect(versions.map(({ version_number }) => version_number)).toEqual(versions.map((_, index) => total - index));
        for (const [index, { config_hash }] of versions.entries())
          expect(config_hash).not.toBe(versions[index + 1]?.config_hash);
        for (const { version_number, config_hash } of published)
          expect(versions[total - version_number]?.config_hash).toBe(config_hash);
        for (const { version_number, config_hash } of versions) {
          expect(drafts).toContain(config_hash);
          const { config } = (await team.ask("GET", `${path}/versions/${version_number}`)).json as {
            config: { prompt: Record<string, string> };
          };
          if (config.prompt["system_prompt"] !== "")
            expect(config.prompt["first_message"]).toBe(config.prompt["system_prompt"]);
        }
      },
    );
    await fc.assert(property, runs);
  });

  it("gives one version to everybody who publishes the same draft at once", async () => {
    const path = `/v1/agent/agents/${await createAgent(team)}`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => team.ask("POST", `${path}/publish`)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await team.ask("GET", `${path}/versions?page=1`)).json["total"]).toBe(1);
  });

  it("loses no change of the draft when many change it at once", async () => {
    const path = `/v1/agent/agents/${await createAgent(team)}/config`;
    const patches = [
      { prompt: { system_prompt: "a" } },
      { prompt: { first_message: "b" } },
      { voice: { expressive: true } },
      { conversation: { timezone: "UTC" } },
      { conversation: { outbound: { amd_enabled: false } } },
      { guardrails: { focus: true } },
      { llm: { tier: "high" } },
      { analysis: { summary: { prompt: "c" } } },
    ];
    await Promise.all(patches.map((patch) => team.ask("PATCH", path, patch)));
    expect((await team.ask("GET", path)).json).toMatchObject({
      prompt: { system_prompt: "a", first_message: "b" },
      voice: { expressive: true },
      conversation: { timezone: "UTC", outbound: { amd_enabled: false } },
      guardrails: { focus: true },
      llm: { tier: "high" },
      analysis: { summary: { prompt: "c" } },
    });
  });

  it("shows every agent that was there all the time exactly once to a reader who follows cursors, whatever comes and goes", async () => {
    const change = fc.record({ add: fc.nat(2), remove: fc.nat(2) });
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(change, { minLength: 3, maxLength: 8 }),
      async (pageSize, changes) => {
        const own = await addClient(fixture);
        const stay = await Promise.all(
          Array.from({ length: 7 }, (_, index) => createAgent(own, { name: `stays ${index}` })),
        );
        const going = await Promise.all(
          Array.from({ length: 6 }, (_, index) => createAgent(own, { name: `goes ${index}` })),
        );
        const seen: string[] = [];
        let cursor: string | null = null;
        for (let page = 0; ; page++) {
          const { add, remove } = changes[page % changes.length] ?? { add: 0, remove: 0 };
          const query: string = `page_size=${pageSize}${cursor === null ? "" : `&cursor=${cursor}`}`;
          const [answer] = await Promise.all([
            own.ask("GET", `/v1/agent/agents?${query}`),
            ...Array.from({ length: add }, () => createAgent(own, { name: "comes" })),
            ...going.splice(0, remove).map((id) => own.ask("DELETE", `/v1/agent/agents/${id}`)),
          ]);
          const listed = answer.json as unknown as Listed;
          expect(listed.agents.length).toBeLessThanOrEqual(pageSize);
          expect(listed.total).toBeNull();
          seen.push(...listed.agents.map(({ agent_id }) => agent_id));
          expect(listed.has_more).toBe(listed.next_cursor !== null);
          cursor = listed.next_cursor;
          if (cursor === null) break;
        }
        expect(new Set(seen).size).toBe(seen.length);
        for (const id of stay) expect(seen.filter((found) => found === id)).toHaveLength(1);
      },
    );
    await fc.assert(property, { ...runs, numRuns: 4 });
  });

  it("answers 404, never a failure, to whoever refers to an agent that is being deleted", async () => {
    const test = await team.ask("POST", "/v1/agent/tests", {
      name: "t",
      test_type: "next_reply",
      conversation: [{ text: "a" }],
      expectation: "b",
    });
    expect(test.status).toBe(201);
    const [phoneId, at] = [newIdentifier(), new Date()];
    await fixture.db
      .insert(phoneNumbers)
      .values({
        ...{ id: phoneId, teamId: team.principal.teamId, phoneNumber: "+14155550124", provider: "twilio", label: "" },
        ...{ agentId: null, status: "active", statusDetail: "", createdAt: at, updatedAt: at },
      });
    for (let round = 0; round < 12; round++) {
      const agentId = await createAgent(team);
      const path = `/v1/agent/agents/${agentId}`;
      const answers = await Promise.all([
        team.ask("PATCH", `/v1/agent/phone-numbers/${phoneId}`, { agent_id: agentId }),
        team.ask("POST", "/v1/agent/phone-numbers", {
          provider: "twilio",
          phone_number: "+14155550123",
          agent_id: agentId,
        }),
        team.ask("PUT", `${path}/tests/${String(test.json["test_id"])}`),
        team.ask("POST", `${path}/publish`),
        team.ask("DELETE", path),
        team.ask("PATCH", `${path}/config`, { prompt: { system_prompt: String(round) } }),
      ]);
      for (const { status } of answers) expect([200, 204, 404, 502]).toContain(status);
      expect((await team.ask("GET", path)).status).toBe(404);
    }
  });

  it("gives the same rows by pages as by cursors, newest first", async () => {
    const own = await addClient(fixture);
    // Made at once: many have the same millisecond, and the order must still be total.
    const made = await Promise.all(Array.from({ length: 23 }, (_, index) => createAgent(own, { name: String(index) })));
    const byPages: string[] = [];
    for (let page = 1; page <= 5; page++) {
      const { agents, total } = (await own.ask("GET", `/v1/agent/agents?page=${page}&page_size=5`))
        .json as unknown as Listed;
      expect(total).toBe(23);
      byPages.push(...agents.map(({ agent_id }) => agent_id));
    }
    const byCursor: string[] = [];
    for (let query = "page=1&page_size=4"; ; ) {
      const { agents, next_cursor, total } = (await own.ask("GET", `/v1/agent/agents?${query}`))
        .json as unknown as Listed;
      expect(total).toBe(23);
      byCursor.push(...agents.map(({ agent_id }) => agent_id));
      if (next_cursor === null) break;
      query = `cursor=${next_cursor}&page_size=4&include_total=true`;
    }
    expect(byCursor).toEqual(byPages);
    expect([...byPages].sort()).toEqual([...made].sort());
  });
});
