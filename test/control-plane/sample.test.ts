import { describe, expect, it, onTestFinished } from "vitest";
import { DEVELOPMENT_TEAM_ID, seedDevelopment } from "#control-plane/accounts/development";
import { attachables } from "#control-plane/agent-platform";
import { findSample, seedSample } from "#control-plane/agents/sample/seed-sample";
import { deleteAgent } from "#control-plane/agents/store";
import { agents, agentVersions } from "#control-plane/agents/tables";
import { widgetConfigOf } from "#control-plane/agents/widget";
import type { Db } from "#control-plane/database/database";
import { searchKnowledge } from "#control-plane/knowledge/search";
import { knowledgeSources } from "#control-plane/knowledge/tables";
import { engines, freshDatabase } from "./databases.js";
import { testDoors } from "./service.js";

describe.each(engines)("the sample agent in %s", (engine) => {
  async function open() {
    const { database, stop } = await freshDatabase(engine);
    onTestFinished(stop);
    const { db } = database;
    const { outbound, sealer } = testDoors();
    const now = (): Date => new Date();
    const given = { sealer, attachables, now, teamId: DEVELOPMENT_TEAM_ID, port: 8080 };
    const seedTeam = (tx: Db): Promise<void> =>
      seedSample({ db: tx, checkUrl: (url) => outbound.checkUrl(url), ...given });
    /** What a start does. */
    const start = (): Promise<string | null> => seedDevelopment(db, null, now(), seedTeam);
    return { db, start, startWithout: () => seedDevelopment(db, null, now()) };
  }

  it("is made once in a new database, live, public to pages of this machine, with its page to answer from", async () => {
    const { db, start } = await open();
    expect(await findSample(db, DEVELOPMENT_TEAM_ID)).toBeNull();
    await Promise.all([start(), start()]);
    await start();
    expect(await findSample(db, DEVELOPMENT_TEAM_ID)).toBe("Parley guide");
    const [agent, ...others] = await db.select().from(agents);
    expect(others).toEqual([]);
    expect(agent).toMatchObject({ teamId: DEVELOPMENT_TEAM_ID, publicEnabled: true, liveVersion: 1 });
    const widget = await widgetConfigOf(db, agent?.id ?? "", "http://localhost:8080");
    expect(widget).toEqual({ agent_name: "Parley guide" });
    await expect(widgetConfigOf(db, agent?.id ?? "", "https://elsewhere.example")).rejects.toThrow();
    const [version] = await db.select().from(agentVersions);
    expect(version?.config).toMatchObject({
      prompt: { first_message_mode: "fixed", first_message: expect.stringContaining("guide to Parley") },
      tools: { system_tools: { hang_up_call: true } },
      voice: { speaking_language: "en" },
    });
    const sources = await db.select().from(knowledgeSources);
    const pinned = sources.map(({ id, revisionNumber }) => ({ sourceId: id, revisionNumber }));
    expect(pinned).toHaveLength(1);
    const asked = { teamId: DEVELOPMENT_TEAM_ID, sources: pinned, query: "phone calls", limit: 1 };
    expect((await searchKnowledge(db, asked))[0]?.content).toContain("Parley cannot make or take phone calls yet.");
  });

  it("is not made again once it was deleted", async () => {
    const { db, start } = await open();
    await start();
    const [agent] = await db.select().from(agents);
    await deleteAgent(db, DEVELOPMENT_TEAM_ID, agent?.id ?? "");
    await start();
    expect(await db.select().from(agents)).toEqual([]);
    expect(await findSample(db, DEVELOPMENT_TEAM_ID)).toBeNull();
  });

  it("is not made in a database that was there before", async () => {
    const { db, start, startWithout } = await open();
    await startWithout();
    await start();
    expect(await db.select().from(agents)).toEqual([]);
    expect(await db.select().from(knowledgeSources)).toEqual([]);
  });
});
