import { beforeEach, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import type { Heartbeat, StreamRoom } from "#protocol/bus/membership";
import { ServiceError } from "#protocol/errors";
import { OverloadGate } from "./overload-gate.js";
import { RoomBook } from "./room-book.js";
import { StreamAdmission } from "./stream-admission.js";

type SchedulerHeartbeat = Extract<Heartbeat, { role: "scheduler" }>;

const room: StreamRoom = { streams: 100, atOnce: 2, firstAudioMs: 100, addedMs: 20, mostWaitMs: 3000 };
/** Streams that such a scheduler takes within half a second. */
const ROOM = 23;

const report = (told: StreamRoom, changes: Partial<SchedulerHeartbeat> = {}): SchedulerHeartbeat => ({
  ...{ type: "heartbeat", role: "scheduler", id: "scheduler-1", epoch: "e", state: "ready" },
  loads: [{ model: "voice", slots: 2, freeSlots: 2, queuedChunks: 0, predictedWaitMs: 0, room: told }],
  ...changes,
});

let clock: VirtualClock;
let gate: OverloadGate;
let schedulers: SchedulerHeartbeat[];
let turns: (() => void)[];
let admission: StreamAdmission;
let admitted: number;
let refused: ServiceError[];

beforeEach(() => {
  clock = new VirtualClock();
  gate = new OverloadGate(clock);
  schedulers = [report(room)];
  turns = [];
  admission = new StreamAdmission({ gate, rooms: new RoomBook(() => schedulers), inTurn: (task) => turns.push(task) });
  admitted = 0;
  refused = [];
});

function ask(count: number, model: string | null = "voice"): void {
  const asked = { kind: "live", room: model === null ? null : { model, teamId: "team", mostWaitMs: 500 } };
  for (let stream = 0; stream < count; stream++)
    admission.admit(asked).then(
      () => admitted++,
      (error: unknown) => error instanceof ServiceError && refused.push(error),
    );
}

/** Lets the streams that wait have their turns. */
async function takeTurns(count = turns.length): Promise<void> {
  for (const turn of turns.splice(0, count)) turn();
  await Promise.resolve();
  for (let step = 0; step < 5; step++) await Promise.resolve();
}

it("refuses what there is no room for before it begins what there is room for", async () => {
  ask(200);
  await takeTurns(0);
  expect([admitted, refused.length]).toEqual([0, 200 - ROOM]);
  expect(refused[0]).toMatchObject({ code: "overloaded", retryAfterMs: 250 });
  await takeTurns();
  expect([admitted, refused.length]).toEqual([ROOM, 200 - ROOM]);
});

it("counts those that still wait for their turn when a scheduler tells of its room anew", async () => {
  ask(20);
  await takeTurns(5);
  schedulers = [report(room)];
  ask(20);
  await takeTurns(0);
  expect(refused).toHaveLength(20 + 15 - ROOM);
  await takeTurns();
  schedulers = [report(room)];
  ask(200);
  await takeTurns();
  expect(admitted).toBe(20 + 8 + ROOM);
});

it("refuses those that wait when a scheduler has refused one of their kind", async () => {
  ask(ROOM);
  await takeTurns(3);
  gate.note("live", new ServiceError("overloaded", { retryAfterMs: 700 }));
  await takeTurns();
  expect([admitted, refused.length]).toEqual([3, ROOM - 3]);
  expect(refused[0]?.retryAfterMs).toBe(700);
  clock.advance(100);
  schedulers = [report(room)];
  ask(ROOM);
  await takeTurns();
  expect(admitted).toBe(3 + ROOM);
});

it("asks schedulers about what nothing is known of: other models, and those of schedulers that leave or are gone", async () => {
  schedulers = [report({ ...room, streams: 0 })];
  ask(50, "other");
  ask(50, null);
  await takeTurns();
  expect(admitted).toBe(100);
  schedulers = [report({ ...room, streams: 0 }, { state: "draining" })];
  ask(50);
  schedulers = [];
  ask(50);
  await takeTurns();
  expect([admitted, refused.length]).toEqual([200, 0]);
});

it("takes room for one model without that of another", async () => {
  const [load] = report(room).loads;
  if (load === undefined) throw new Error("no load");
  schedulers = [report(room, { loads: [load, { ...load, model: "other" }] })];
  ask(200);
  ask(200, "other");
  await takeTurns();
  expect(admitted).toBe(2 * ROOM);
});
