import { eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalBus } from "#common/bus/testing/local-bus";
import { MinuteWindows } from "#common/cache/minute-windows";
import { noCache } from "#common/cache/cache";
import { Membership } from "#common/membership/membership";
import { attachables } from "#control-plane/agent-platform";
import { AgentRuntimes } from "#control-plane/sessions/agent-runtimes";
import type { SessionContext } from "#control-plane/sessions/context";
import { takeOver } from "#control-plane/sessions/placement";
import { sweepSessions } from "#control-plane/sessions/sweep";
import { requirePlace } from "#control-plane/sessions/placement";
import { agentSessions, type SessionRow } from "#control-plane/sessions/tables";
import { until } from "../harness/processes.js";
import { testDoors } from "../control-plane/service.js";
import type { TeamClient } from "../agents/client.js";
import {
  createSession,
  hasStatus,
  publishedAgent,
  type SessionPlatform,
  sessionWhen,
  startPlatform,
} from "./platform.js";
import { type RuntimeStandIn, startRuntime } from "./runtime.js";

const SESSIONS = "/v1/agent/sessions";
const attemptsOf = (runtime: RuntimeStandIn, sessionId: string): number[] =>
  runtime.started.filter(({ plan }) => plan.sessionId === sessionId).map(({ attempt }) => attempt);

describe("a session whose runtime is gone", () => {
  let platform: SessionPlatform;
  let team: TeamClient;
  let agentId: string;
  const runtimes: RuntimeStandIn[] = [];

  beforeAll(async () => {
    platform = await startPlatform("pglite");
    team = await platform.addTeam();
    agentId = await publishedAgent(team);
  });
  afterAll(async () => {
    for (const runtime of runtimes) runtime.kill();
    await platform.stop();
  });

  const join = async (options: Parameters<typeof startRuntime>[1] = {}): Promise<RuntimeStandIn> => {
    const runtime = await startRuntime(platform.fixture.bus, options);
    runtimes.push(runtime);
    return runtime;
  };
  /** A session of a runtime that is emptier than all others. */
  const sessionOf = async (runtime: RuntimeStandIn): Promise<string> => {
    let sessionId = "";
    await until(
      async () => {
        sessionId = await createSession(team, agentId);
        return attemptsOf(runtime, sessionId).length === 1;
      },
      { withinMs: 15_000, what: "a session of the new runtime" },
    );
    return sessionId;
  };
  const rowOf = async (sessionId: string): Promise<SessionRow> => {
    const [row] = await platform.fixture.db.select().from(agentSessions).where(eq(agentSessions.id, sessionId));
    if (row === undefined) throw new Error("no such session");
    return row;
  };
  const attemptOf = (runtime: RuntimeStandIn, sessionId: string, attempt: number): Promise<void> =>
    until(() => attemptsOf(runtime, sessionId).includes(attempt), { withinMs: 15_000, what: `attempt ${attempt}` });

  it("goes over to another one, with all that it needs, and ends there", async () => {
    const first = await join({ places: 5000 });
    const sessionId = await sessionOf(first);
    first.write(sessionId, { type: "caller-joined" });
    await sessionWhen(team, sessionId, hasStatus("active"), "an active session");
    const killedMs = performance.now();
    first.kill();
    await attemptOf(platform.runtime, sessionId, 2);
    // Silence is noticed after a second and a half.
    expect(performance.now() - killedMs).toBeLessThan(5000);
    const started = platform.runtime.started.find(({ plan }) => plan.sessionId === sessionId);
    expect(started?.plan).toEqual(first.started.find(({ plan }) => plan.sessionId === sessionId)?.plan);
    await until(async () => (await rowOf(sessionId)).runtimeId === platform.runtime.id, {
      withinMs: 5000,
      what: "the record to name the new runtime",
    });
    expect(await rowOf(sessionId)).toMatchObject({ attempt: 2, unheldSince: null, status: "active" });
    platform.runtime.onEnd = (question) =>
      platform.runtime.write(question.sessionId, { type: "ended", reason: "requested", detail: null });
    expect((await team.ask("POST", `${SESSIONS}/${sessionId}/end`)).status).toBe(204);
    await sessionWhen(team, sessionId, hasStatus("completed"), "the end of the session");
  });

  it("goes over at once when its runtime hands it over, and not to one that drains", async () => {
    const first = await join({ places: 5000 });
    const sessionId = await sessionOf(first);
    first.setState("draining");
    await platform.fixture.bus.flush();
    first.handOver(sessionId, 1);
    await attemptOf(platform.runtime, sessionId, 2);
    expect(attemptsOf(first, sessionId)).toEqual([1]);
    // The same again, and for an attempt that is over: nothing.
    first.handOver(sessionId, 1);
    await team.ask("GET", `${SESSIONS}/${sessionId}`);
    expect(attemptsOf(platform.runtime, sessionId)).toEqual([2]);
  });

  it("goes over when another process of the same id takes its place", async () => {
    const first = await join({ places: 5000, id: "agent-again" });
    const sessionId = await sessionOf(first);
    first.kill();
    const second = await join({ places: 5000, id: "agent-again" });
    await attemptOf(second, sessionId, 2);
    expect(attemptsOf(first, sessionId)).toEqual([1]);
  });

  it("waits while no runtime has room", async () => {
    const first = await join({ places: 5000 });
    const sessionId = await sessionOf(first);
    const others = [platform.runtime, ...runtimes.filter((runtime) => runtime !== first)];
    for (const other of others) other.isFull = true;
    first.kill();
    await until(async () => (await rowOf(sessionId)).unheldSince !== null, {
      withinMs: 15_000,
      what: "nobody to hold it",
    });
    const { db } = platform.fixture;
    const refusal = { code: "no_agent_runtime", status: 503, retryAfterMs: 1000 };
    for (const freePlaces of [0, 1])
      await expect(requirePlace({ db, runtimes: { freePlaces } })).rejects.toMatchObject(refusal);
    await expect(requirePlace({ db, runtimes: { freePlaces: 2 } })).resolves.toBeUndefined();
    for (const other of others) other.isFull = false;
    await until(async () => (await rowOf(sessionId)).runtimeId !== null, { withinMs: 15_000, what: "somebody to" });
    expect(await rowOf(sessionId)).toMatchObject({ status: "pending", unheldSince: null });
  });

  /** The parts of another control plane on the same database, at another time, that nobody hears of. */
  function otherInstance(now: () => Date): SessionContext {
    const log = pino({ level: "silent" });
    const bus = new LocalBus();
    return {
      ...{ db: platform.fixture.db, bus, log, attachables, rooms: null, now },
      sealer: testDoors().sealer,
      runtimes: new AgentRuntimes({ bus, members: new Membership(), log }),
      served: () => [],
      modelFolders: { PARLEY_MODEL_ALIASES: {}, PARLEY_MODEL_MAP: {} },
      windows: new MinuteWindows({ cache: noCache, now }),
      settings: { joinMs: 60_000, visitorsPerAgent: 0, visitorsPerAddress: 0 },
    };
  }
  const later = (ms: number) => () => new Date(Date.now() + ms);

  it("is taken over by one of several control planes", async () => {
    const sessionId = await createSession(team, agentId);
    const row = await rowOf(sessionId);
    const instance = otherInstance(later(0));
    let placed = 0;
    instance.runtimes.place = async ({ attempt }) => {
      placed++;
      const by = { id: platform.runtime.id, epoch: row.runtimeEpoch ?? "" };
      return { type: "taken", by, attempt, mayHold: [by] };
    };
    await Promise.all(Array.from({ length: 5 }, () => takeOver(instance, row)));
    expect([placed, (await rowOf(sessionId)).attempt]).toEqual([1, row.attempt + 1]);
  });

  it("fails when nobody takes it for a minute, and costs what it lasted", async () => {
    const own = await platform.addTeam(1_000_000);
    const sessionId = await createSession(own, await publishedAgent(own));
    platform.runtime.write(sessionId, { type: "caller-joined" });
    await sessionWhen(own, sessionId, hasStatus("active"), "an active session");
    const since = sql`now() - interval '61 seconds'`;
    await platform.fixture.db
      .update(agentSessions)
      .set({ runtimeId: null, unheldSince: since, givenUntil: since })
      .where(eq(agentSessions.id, sessionId));
    // Of the two control planes either may be first; neither runtime takes it.
    platform.runtime.isFull = true;
    for (const runtime of runtimes) runtime.isFull = true;
    await takeOver(otherInstance(later(0)), await rowOf(sessionId));
    const detail = await sessionWhen(own, sessionId, hasStatus("failed"), "the session to fail");
    for (const runtime of [platform.runtime, ...runtimes]) runtime.isFull = false;
    expect(detail).toMatchObject({ ended_reason: "error" });
    expect((await platform.balances(own)).held).toBe(0);
  });

  it("that nobody joined fails after its deadline, with its credit returned, whoever is left to see to it", async () => {
    const own = await platform.addTeam(1_000_000);
    const sessionId = await createSession(own, await publishedAgent(own));
    const alive = () => false;
    await sweepSessions(otherInstance(later(69_000)), alive);
    expect((await rowOf(sessionId)).status).toBe("pending");
    await sweepSessions(otherInstance(later(71_000)), alive);
    expect((await own.ask("GET", `${SESSIONS}/${sessionId}`)).json).toMatchObject({
      status: "failed",
      ended_reason: "never_joined",
      duration_seconds: null,
    });
    expect(await platform.balances(own)).toEqual({ credit: 1_000_000, held: 0, spent: 0 });
  });

  it("that says nothing for long after its time is unknown, and costs nothing", async () => {
    const own = await platform.addTeam(1_000_000);
    const agent = await publishedAgent(own, { conversation: { max_duration_seconds: 60 } });
    const sessionId = await createSession(own, agent);
    platform.runtime.write(sessionId, { type: "caller-joined" });
    await sessionWhen(own, sessionId, hasStatus("active"), "an active session");
    expect(await sweepSessions(otherInstance(later(421_000)), () => false)).toEqual([]);
    expect((await own.ask("GET", `${SESSIONS}/${sessionId}`)).json).toMatchObject({
      status: "unknown",
      ended_reason: null,
    });
    expect(await platform.balances(own)).toEqual({ credit: 1_000_000, held: 0, spent: 0 });
  });
});
