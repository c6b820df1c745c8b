import { beforeEach, describe, expect, it } from "vitest";
import { LocalBus } from "#common/bus/testing/local-bus";
import { createLogger } from "#common/log";
import { Membership } from "#common/membership/membership";
import { startConversationSubject, type StartConversation } from "#protocol/bus/conversation";
import type { LifecycleState } from "#protocol/bus/membership";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import { AgentRuntimes } from "./agent-runtimes.js";

let bus: LocalBus;
let members: Membership;
let runtimes: AgentRuntimes;
let asked: string[];
const start = { plan: { sessionId: "s" }, attempt: 1 } as StartConversation;

beforeEach(() => {
  bus = new LocalBus();
  members = new Membership();
  runtimes = new AgentRuntimes({ bus, members, log: createLogger("test", "fatal") });
  asked = [];
});

function join(id: string, free: number, state: LifecycleState = "ready", epoch = "1"): void {
  members.receive({ type: "heartbeat", role: "agent", id, epoch, state, places: free + 1, sessions: ["x"] }, 0);
  runtimes.updated(id);
}

function answer(id: string, isTaken: boolean): void {
  bus.respond<StartConversation, object>(startConversationSubject(id), async ({ attempt }) => {
    asked.push(`${id}:${attempt}`);
    return isTaken
      ? { ok: true, value: { runtimeId: id } }
      : { ok: false, error: toErrorRecord(new ServiceError("draining")) };
  });
}

describe("AgentRuntimes", () => {
  it("prefers the emptiest of those with room", () => {
    join("full", 0);
    join("b", 2);
    join("a", 2);
    join("most", 5);
    join("leaving", 9, "draining");
    expect(runtimes.withRoom().map(({ id }) => id)).toEqual(["most", "a", "b"]);
  });

  it("counts the places of those that take work", () => {
    join("full", 0);
    join("leaving", 9, "draining");
    expect(runtimes.freePlaces).toBe(0);
    join("full", 1);
    join("b", 4);
    expect(runtimes.freePlaces).toBe(5);
  });

  it("counts what it gave until the runtime says how many it holds", async () => {
    join("a", 1);
    answer("a", true);
    expect(await runtimes.place(start)).toEqual({
      ...{ type: "taken", by: { id: "a", epoch: "1" }, attempt: 1 },
      mayHold: [{ id: "a", epoch: "1" }],
    });
    expect(runtimes.withRoom()).toEqual([]);
    join("a", 1);
    expect(runtimes.withRoom()).toHaveLength(1);
  });

  it("goes on to the next after a refusal, and after a silence for a later attempt", async () => {
    for (const [id, free] of [
      ["a", 9],
      ["b", 8],
      ["c", 7],
    ] as const)
      join(id, free);
    answer("a", false);
    answer("c", true);
    expect(await runtimes.place(start)).toEqual({
      ...{ type: "taken", by: { id: "c", epoch: "1" }, attempt: 2 },
      // Who has refused holds nothing; who was silent may have begun.
      mayHold: ["b", "c"].map((id) => ({ id, epoch: "1" })),
    });
    expect(asked).toEqual(["a:1", "c:2"]);
  });

  it("says that nobody took it, and which attempt is the next", async () => {
    expect(await runtimes.place(start)).toEqual({ type: "nobody", attempt: 1, mayHold: [] });
    join("a", 1);
    expect(await runtimes.place(start)).toEqual({
      ...{ type: "nobody", attempt: 2 },
      mayHold: [{ id: "a", epoch: "1" }],
    });
  });

  it("does not take another process of the same id for the one that was", () => {
    join("a", 1);
    expect(runtimes.isAlive({ id: "a", epoch: "1" })).toBe(true);
    join("a", 1, "ready", "2");
    expect([runtimes.isAlive({ id: "a", epoch: "1" }), runtimes.isAlive({ id: "a", epoch: "2" })]).toEqual([
      false,
      true,
    ]);
  });

  it("ends nothing at a runtime that does not answer", async () => {
    expect(await runtimes.end("a", { sessionId: "s", reason: "requested" })).toBeNull();
  });
});
