import { getPriority } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { allThreads, ModelThreads } from "./model-threads.js";

const handler = new URL("./testing/held-task.js", import.meta.url);
const released = (): { released: Int32Array } => ({ released: new Int32Array(new SharedArrayBuffer(4)).fill(1) });
const held = (): { released: Int32Array } => ({ released: new Int32Array(new SharedArrayBuffer(4)) });

describe("threads for graphs", () => {
  const threads = new ModelThreads(1, 1);
  const plain = new ModelThreads(1);
  afterAll(() => Promise.all([threads.close(), plain.close()]));

  it("go as the process does until the models are open", async () => {
    for (const kind of allThreads)
      expect(await threads.run(handler, released(), { threads: kind })).toBe(getPriority());
  });

  it("run what somebody waits for beside a long task, and let it go first from then on", async () => {
    await threads.putBehindReserved();
    const long = held();
    const running = threads.run<number>(handler, long);
    const first = await threads.run<number>(handler, released(), { threads: "reserved" });
    Atomics.store(long.released, 0, 1);
    Atomics.notify(long.released, 0);
    const behind = await running;
    if (process.platform === "linux") expect(behind).toBeGreaterThan(first);
  });

  it("are all told what to open, or the general ones alone", async () => {
    const general = held();
    const running = threads.run(handler, general);
    let told = false;
    const onEach = threads.onEach(handler, released(), allThreads).then(() => (told = true));
    await threads.run(handler, released(), { threads: "reserved" });
    expect(told).toBe(false);
    Atomics.store(general.released, 0, 1);
    Atomics.notify(general.released, 0);
    await Promise.all([running, onEach]);
  });

  it("do reserved work too where none is reserved, at the process's own priority", async () => {
    await plain.putBehindReserved();
    expect(await plain.run(handler, released(), { threads: "reserved" })).toBe(getPriority());
  });
});
