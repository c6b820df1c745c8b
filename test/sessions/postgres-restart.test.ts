import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { usageRecords } from "#control-plane/database/schema";
import { eq } from "drizzle-orm";
import type { TeamClient } from "../agents/client.js";
import { engines } from "../control-plane/databases.js";
import { until } from "../harness/processes.js";
import { type Receiver, startReceiver } from "../webhooks/receivers.js";
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
const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 22, 10, 0, seconds));

describe.skipIf(!engines.includes("postgres"))("a Postgres server that restarts under conversations", () => {
  let receiver: Receiver;
  let platform: SessionPlatform;
  let other: RuntimeStandIn | null = null;
  beforeAll(async () => {
    receiver = await startReceiver();
    platform = await startPlatform("postgres", { allow: [receiver.host] });
  });
  afterAll(async () => {
    other?.kill();
    await platform?.stop();
    await receiver?.close();
  });

  /** A session with its caller. */
  async function joinedSession(team: TeamClient, agentId: string): Promise<string> {
    const sessionId = await createSession(team, agentId);
    platform.runtime.write(sessionId, { type: "caller-joined" }, at(0));
    await sessionWhen(team, sessionId, hasStatus("active"), "the session to begin");
    return sessionId;
  }

  /** A session that another runtime holds than the platform's. */
  async function sessionElsewhere(team: TeamClient, agentId: string): Promise<string> {
    const holder = await startRuntime(platform.fixture.bus, { places: 5000 });
    other = holder;
    let sessionId = "";
    await until(
      async () => {
        sessionId = await joinedSession(team, agentId);
        return holder.started.some(({ plan }) => plan.sessionId === sessionId);
      },
      { withinMs: 30_000, what: "a session of the other runtime" },
    );
    return sessionId;
  }

  it("loses no record of them: each ends as its log says, is charged once, told once, and finds another runtime", async () => {
    const { postgres, db } = platform.fixture;
    const { runtime } = platform;
    if (postgres === null) throw new Error("no server");
    const [team, bystander] = [await platform.addTeam(1_000_000), await platform.addTeam()];
    const agentId = await publishedAgent(team, { webhooks: { post_call: [{ url: receiver.url("/after") }] } });
    const elsewhere = await publishedAgent(bystander);
    const ended = await joinedSession(team, agentId);
    const unwanted = await joinedSession(bystander, elsewhere);
    const orphan = await sessionElsewhere(bystander, elsewhere);
    runtime.write(ended, { type: "caller-said", turnId: 1, text: "Before." }, at(1));
    await sessionWhen(team, ended, (json) => JSON.stringify(json["items"]).includes("Before."), "the first item");

    await postgres.interrupt();
    const reply = { replyId: "r", turnId: 1 };
    const call = { callId: "c", turnId: 1, name: "lookup", source: "webhook" as const };
    runtime.write(ended, { type: "reply-started", ...reply, responder: "m" }, at(2));
    runtime.write(ended, { type: "tool-called", ...call, input: "{}" }, at(3));
    const answer = { status: "completed" as const, output: "7", isOutputTruncated: false, error: null, latencyMs: 5 };
    runtime.write(ended, { type: "tool-answered", ...call, ...answer }, at(4));
    runtime.write(ended, { type: "reply-ended", ...reply, text: "Seven.", isInterrupted: false }, at(5));
    runtime.write(ended, { type: "caller-said", turnId: 2, text: "Meanwhile." }, at(6));
    runtime.write(ended, { type: "ended", reason: "caller_left", detail: null }, at(60));
    other?.kill();
    expect((await bystander.ask("GET", `${SESSIONS}/${unwanted}`)).status).toBe(503);
    expect((await bystander.ask("POST", `${SESSIONS}/${unwanted}/end`)).status).toBe(503);
    expect((await bystander.ask("POST", SESSIONS, { agent_id: elsewhere })).status).toBe(503);
    await postgres.resume();

    const detail = await sessionWhen(team, ended, hasStatus("completed"), "the end of the session");
    expect(detail).toMatchObject({ ended_reason: "caller_left", duration_seconds: 60, responder: "m" });
    const items = detail["items"] as { type: string; content?: string }[];
    expect(items.map(({ type, content }) => content ?? type)).toEqual([
      "Before.",
      "tool_call",
      "tool_result",
      "Seven.",
      "Meanwhile.",
    ]);
    expect(await platform.balances(team)).toMatchObject({ credit: 990_000, held: 0, spent: 10_000 });
    expect(
      await db
        .select()
        .from(usageRecords)
        .where(eq(usageRecords.usageId, `session:${ended}`)),
    ).toMatchObject([{ conversationMs: 60_000, costMicros: 10_000 }]);
    await until(() => receiver.at("/after").length > 0, { withinMs: 30_000, what: "the event" });
    expect(receiver.at("/after").map(({ payload }) => payload)).toMatchObject([{ event: "call.ended" }]);

    runtime.onEnd = ({ sessionId }) => runtime.write(sessionId, { type: "ended", reason: "requested", detail: null });
    expect((await bystander.ask("POST", `${SESSIONS}/${unwanted}/end`)).status).toBe(204);
    await sessionWhen(bystander, unwanted, hasStatus("completed"), "the end that was asked for again");
    await until(() => runtime.started.some(({ plan, attempt }) => plan.sessionId === orphan && attempt === 2), {
      withinMs: 30_000,
      what: "another runtime to take the conversation whose own was lost meanwhile",
    });
  }, 120_000);
});
