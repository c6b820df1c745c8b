import { once } from "node:events";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { membersSubject, type Heartbeat } from "#protocol/bus/membership";
import { workerSubject } from "#protocol/bus/scheduling";
import { findFreePorts } from "../harness/servers.js";
import { childPids, chunkFor, framesOf, startWorkerRig, type WorkerRig } from "./worker-rig.js";

const long =
  "This text is long enough to be spoken for a good while, so that there is time to do something to it. ".repeat(25);

describe("a worker", () => {
  let rig: WorkerRig;
  beforeAll(async () => {
    rig = await startWorkerRig();
    rig.addScheduler("scheduler-1");
    await rig.startWorker("worker-1", { PARLEY_WORKER_SLOTS: "2" });
  });
  afterAll(async () => await rig.stop());

  it("tells what it serves and whose it is", () => {
    const heartbeat = rig.members.items.findLast((member) => member.id === "worker-1");
    expect(heartbeat).toMatchObject({
      role: "worker",
      state: "ready",
      schedulerId: "scheduler-1",
      slots: 2,
      brokenModels: [],
    });
    expect(heartbeat?.role === "worker" && heartbeat.models[0]).toMatchObject({
      name: "espeak",
      task: "speak",
      sampleRate: 22_050,
      maxBatch: 1,
      provider: "process",
    });
  });

  it("sends a chunk's sound straight to the edge, and answers the scheduler", async () => {
    rig.send("worker-1", [chunkFor("first", "It is 5 o'clock, my friend.", { pauseAfterMs: 100 })], "batch-1");
    const done = await rig.done.until((message) => message.batchId === "batch-1");
    await rig.audio.until((message) => message.type === "audio" && message.streamId === "first" && message.last);
    const frames = framesOf(rig, "first");
    let next = 0;
    for (const [i, frame] of frames.entries()) {
      expect(frame).toMatchObject({
        chunkIndex: 0,
        attempt: 1,
        workerId: "worker-1",
        firstSample: next,
        sampleRate: 22_050,
        last: i === frames.length - 1,
      });
      expect(frame.timing === null).toBe(i > 0);
      expect(frame.pcm.length).toBeLessThanOrEqual(22_050 * 2);
      next += frame.pcm.length / 2;
    }
    expect(frames[0]?.timing).toMatchObject({ queuedUs: 123 });
    expect(frames[0]?.pcm.length).toBeGreaterThan(0);
    expect(frames.flatMap((frame) => frame.words.map((word) => word.text))).toEqual(
      expect.arrayContaining(["It", "is", "my", "friend"]),
    );
    expect(done).toMatchObject({ workerId: "worker-1", model: "espeak" });
    expect(done.outcomes).toMatchObject([
      { streamId: "first", chunkIndex: 0, attempt: 1, result: "spoken", size: 27, samples: next },
    ]);
  });

  it("speaks a second attempt exactly as the first", async () => {
    for (const attempt of [1, 2])
      rig.send(
        "worker-1",
        [chunkFor(`try-${attempt}`, "Say it again, exactly like that.", { attempt })],
        `try-${attempt}`,
      );
    const audio: Buffer[] = [];
    for (const attempt of [1, 2]) {
      await rig.audio.until(
        (message) => message.type === "audio" && message.streamId === `try-${attempt}` && message.last,
      );
      audio.push(Buffer.concat(framesOf(rig, `try-${attempt}`).map((frame) => frame.pcm)));
    }
    expect(audio[0]?.length).toBeGreaterThan(20_000);
    expect(audio[0]?.equals(audio[1] ?? Buffer.alloc(0))).toBe(true);
  });

  it("completes a text in which there is nothing to hear", async () => {
    rig.send("worker-1", [chunkFor("silent", "😀 … !")], "silent");
    await rig.audio.until((message) => message.type === "audio" && message.streamId === "silent" && message.last);
    expect((await rig.done.until((message) => message.batchId === "silent")).outcomes[0]).toMatchObject({
      result: "spoken",
      samples: 0,
    });
  });

  it("fails what it cannot speak, and says whether another try is worth it", async () => {
    rig.send("worker-1", [chunkFor("unknown", "Hello", { model: "no-such-model" })], "unknown");
    const voice = { speaker: "nobody", language: null, speed: 1, traits: null };
    rig.send("worker-1", [chunkFor("nobody", "Hello", { voice })], "nobody");
    expect(await rig.audio.until((message) => message.streamId === "unknown")).toMatchObject({
      type: "failed",
      retryable: true,
      error: { code: "no_worker" },
    });
    expect(await rig.audio.until((message) => message.streamId === "nobody")).toMatchObject({
      type: "failed",
      retryable: false,
      error: { code: "unknown_reference" },
    });
    for (const batchId of ["unknown", "nobody"]) {
      expect((await rig.done.until((message) => message.batchId === batchId)).outcomes[0]?.result).toBe("failed");
    }
  });

  it("stops a cancelled stream at once and sends nothing more of it", async () => {
    rig.send("worker-1", [chunkFor("cancelled", long, { chunkIndex: 3 })], "cancelled");
    await rig.audio.until((message) => message.streamId === "cancelled");
    rig.bus.publish(workerSubject("worker-1"), { type: "cancel", streamId: "cancelled", fromChunk: 4 });
    rig.bus.publish(workerSubject("worker-1"), { type: "cancel", streamId: "cancelled", fromChunk: 3 });
    const done = await rig.done.until((message) => message.batchId === "cancelled", 2000);
    expect(done.outcomes[0]?.result).toBe("cancelled");
    // Frames and the answer travel over one connection: what came before the answer is all there is.
    expect(framesOf(rig, "cancelled").some((frame) => frame.last)).toBe(false);
  });

  it("stops speaking for an edge that is gone", async () => {
    const edge = (state: "ready" | "stopped"): Heartbeat => ({
      type: "heartbeat",
      role: "edge",
      id: "edge-1",
      epoch: "x",
      state,
    });
    rig.bus.publish(membersSubject, edge("ready"));
    rig.send("worker-1", [chunkFor("orphan", long)], "orphan");
    await rig.audio.until((message) => message.streamId === "orphan");
    rig.bus.publish(membersSubject, edge("stopped"));
    expect((await rig.done.until((message) => message.batchId === "orphan", 2000)).outcomes[0]?.result).toBe(
      "cancelled",
    );
  });

  it("survives whatever comes over the bus, and gives a malformed batch's slot back", async () => {
    const subject = workerSubject("worker-1");
    const bad = [
      {},
      { type: "batch" },
      { type: "cancel" },
      { type: "nonsense" },
      [],
      { type: "batch", batchId: "x", schedulerId: "a.b *", model: "espeak", chunks: [] },
    ];
    for (const message of bad) rig.bus.publish(subject, message);
    rig.bus.publish(subject, {
      type: "batch",
      batchId: "malformed",
      schedulerId: "scheduler-1",
      model: "espeak",
      chunks: [{ chunk: { text: 5 }, queuedUs: 0 }],
    });
    expect((await rig.done.until((message) => message.batchId === "malformed")).outcomes).toEqual([]);
    rig.send("worker-1", [chunkFor("after", "Still here.")], "after");
    expect((await rig.done.until((message) => message.batchId === "after")).outcomes[0]?.result).toBe("spoken");
  });

  it("moves to another scheduler when its own goes, and back", async () => {
    const id = "worker-moving";
    const isWith =
      (schedulerId: string) =>
      (member: Heartbeat): boolean =>
        member.role === "worker" && member.id === id && member.schedulerId === schedulerId;
    await rig.startWorker(id);
    const ends = ["scheduler-a", "scheduler-b", "scheduler-c", "scheduler-d"].map((schedulerId) => ({
      schedulerId,
      end: rig.addScheduler(schedulerId),
    }));
    const moved = await rig.members.until(
      (member) =>
        member.role === "worker" &&
        member.id === id &&
        member.schedulerId !== null &&
        member.schedulerId !== "scheduler-1",
    );
    expect(moved.role).toBe("worker");
    for (const { end } of ends) end();
    const from = rig.members.items.length;
    await rig.members.until((member) => rig.members.items.indexOf(member) >= from && isWith("scheduler-1")(member));
  });

  it("is ready when it belongs to a scheduler, and not before", async () => {
    const lonely = await startWorkerRig();
    try {
      const port = await findFreePorts(1);
      const starting = lonely.startWorker("worker-lonely", { PARLEY_METRICS_PORT: String(port) });
      const ask = async (path: string): Promise<string> => {
        const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
        return answer === null ? "nobody" : `${answer.status} ${(await answer.text()).trim()}`;
      };
      await expect.poll(() => ask("/startup"), { timeout: 30_000 }).toMatch(/^200/);
      expect(await ask("/ready")).toBe(`503 ${JSON.stringify({ ok: false, reasons: ["It belongs to no scheduler"] })}`);
      lonely.addScheduler("scheduler-1");
      await starting;
      expect(await ask("/ready")).toMatch(/^200/);
    } finally {
      await lonely.stop();
    }
  });

  it("finishes what it is speaking when it is asked to stop", async () => {
    const child = await rig.startWorker("worker-draining");
    rig.send("worker-draining", [chunkFor("draining", long)], "draining");
    await rig.audio.until((message) => message.streamId === "draining");
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    expect((await rig.done.until((message) => message.batchId === "draining")).outcomes[0]?.result).toBe("spoken");
    expect(framesOf(rig, "draining").at(-1)?.last).toBe(true);
    expect(await exit).toEqual([0, null]);
    const states = rig.members.items.filter((member) => member.id === "worker-draining").map((member) => member.state);
    expect(states).toContain("draining");
    expect(states.at(-1)).toBe("stopped");
  });

  it("leaves no speech process behind when it is killed", async () => {
    const child = await rig.startWorker("worker-killed");
    const pids = childPids(child.pid ?? 0);
    expect(pids.length).toBe(1);
    rig.send("worker-killed", [chunkFor("killed", long)], "killed");
    await rig.audio.until((message) => message.streamId === "killed");
    child.kill("SIGKILL");
    await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`)), { timeout: 3000 }).toEqual([]);
  });
});
