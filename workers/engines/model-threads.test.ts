import { getPriority } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { allThreads, ModelThreads } from "./model-threads.js";

const handler = new URL("./testing/held-task.js", import.meta.url);
const released = (): { released: Int32Array } => ({ released: new Int32Array(new SharedArrayBuffer(4)).fill(1) });
const held = (): { released: Int32Array } => ({ released: new Int32Array(new SharedArrayBuffer(4)) });
const counting = new URL("./testing/counting-task.js", import.meta.url);
const release = ({ released }: { released: Int32Array }): void => {
  Atomics.store(released, 0, 1);
  Atomics.notify(released, 0);
};

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
    release(long);
    const behind = await running;
    if (process.platform === "linux") expect(behind).toBeGreaterThan(first);
  });

  it("give an answer in parts, all of them before it is done, until it is not wanted", async () => {
    const parts: number[] = [];
    const options = { threads: "general", onPart: (part: number) => void parts.push(part) } as const;
    expect(await threads.runInParts(counting, { count: 3 }, options).done).toBe("all");
    expect(parts).toEqual([1, 2, 3]);
    const endless = threads.runInParts<number>(
      counting,
      { count: 1000, waitsAfter: 2 },
      { threads: "general", onPart: (part) => void (part === 2 && endless.stop()) },
    );
    expect(await endless.done).toBe("stopped");
  });

  it("tell what goes wrong on the thread, or with a part", async () => {
    const ignored = { threads: "general", onPart: () => undefined } as const;
    await expect(threads.runInParts(counting, { count: -1 }, ignored).done).rejects.toThrow("less than nothing");
    const failing = {
      threads: "general",
      onPart: () => {
        throw new RangeError("cannot take it");
      },
    } as const;
    await expect(threads.runInParts(counting, { count: 1 }, failing).done).rejects.toThrow("cannot take it");
    expect(await threads.runInParts(counting, { count: 1 }, ignored).done).toBe("all");
  });

  it("are all told what to open, or the general ones alone", async () => {
    const general = held();
    const running = threads.run(handler, general);
    let told = false;
    const onEach = threads.onEach(handler, released(), allThreads).then(() => (told = true));
    await threads.run(handler, released(), { threads: "reserved" });
    expect(told).toBe(false);
    release(general);
    await Promise.all([running, onEach]);
  });

  it("are all through with what they were told before one's failure is told", async () => {
    const task = { ...held(), failed: new Int32Array(new SharedArrayBuffer(4)) };
    const onEach = threads.onEach(handler, task, allThreads).then(
      () => "done",
      (error: unknown) => String(error),
    );
    // Whichever thread failed is free for this.
    const others = allThreads.map((kind) => threads.run<number>(handler, released(), { threads: kind }));
    expect(typeof (await Promise.race([onEach, ...others]))).toBe("number");
    release(task);
    expect(await onEach).toMatch(/the first thread fails/);
  });

  it("do reserved work too where none is reserved, at the process's own priority", async () => {
    await plain.putBehindReserved();
    expect(await plain.run(handler, released(), { threads: "reserved" })).toBe(getPriority());
  });

  it("are ended once what they run is through", async () => {
    const closing = new ModelThreads(1);
    const task = held();
    const running = closing.run(handler, task);
    const closed = closing.close();
    release(task);
    expect(await running).toBe(getPriority());
    await closed;
    await expect(closing.run(handler, released())).rejects.toThrow("The speech engine failed");
  });
});
