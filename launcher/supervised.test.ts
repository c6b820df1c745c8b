import { describe, expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import type { ProcessEnd } from "./guarded-process.js";
import { defaultRestartPolicy } from "./restart-policy.js";
import { type ChildEvent, type ChildProcess, supervise } from "./supervised.js";

/** Lets promise reactions run; no time passes. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface FakeLife extends ChildProcess {
  becomeReady: () => void;
  end: (end: ProcessEnd) => void;
  signals: string[];
}

function fakeLife(pid: number, options: { ignoresTerm?: boolean } = {}): FakeLife {
  const signals: string[] = [];
  let becomeReady = (): void => undefined;
  let end = (_: ProcessEnd): void => undefined;
  const ready = new Promise<Record<string, unknown>>((resolve) => {
    becomeReady = () => resolve({ port: pid });
  });
  const ended = new Promise<ProcessEnd>((resolve) => {
    end = resolve;
  });
  const signal = (name: NodeJS.Signals): void => {
    signals.push(name);
    if (name === "SIGKILL" || !options.ignoresTerm) end({ code: null, signal: name });
  };
  return { pid, ready, ended, signal, signals, becomeReady, end };
}

function scene(options: { ignoresTerm?: boolean } = {}) {
  const clock = new VirtualClock();
  const lives: FakeLife[] = [];
  const events: ChildEvent[] = [];
  const child = supervise({
    name: "worker-1",
    launch: async () => {
      const life = fakeLife(100 + lives.length, options);
      lives.push(life);
      return life;
    },
    clock,
    policy: defaultRestartPolicy,
    onEvent: (event) => events.push(event),
  });
  return { clock, lives, events, child };
}

const crash: ProcessEnd = { code: 1, signal: null };

describe("a supervised child", () => {
  it("tells when its first life is ready, with its facts", async () => {
    const { lives, child } = scene();
    await settle();
    lives[0]?.becomeReady();
    expect(await child.firstReady).toEqual({ port: 100 });
    expect(child.pid()).toBe(100);
  });

  it("starts again at once, then after 200 ms, then after 400 ms", async () => {
    const { clock, lives, events } = scene();
    await settle();
    const startTimes: number[] = [];
    for (let life = 0; life < 3; life++) {
      lives[life]?.end(crash);
      await settle();
      const before = lives.length;
      for (let waitedMs = 0; lives.length === before; waitedMs += 1) {
        clock.advance(waitedMs === 0 ? 0 : 1);
        await settle();
        if (lives.length > before) startTimes.push(waitedMs);
      }
    }
    expect(startTimes).toEqual([0, 200, 400]);
    expect(events.map((event) => event.type === "ended" && event.restartInMs)).toEqual([0, 200, 400]);
  });

  it("counts a launch that fails as an end", async () => {
    const clock = new VirtualClock();
    let launches = 0;
    const events: ChildEvent[] = [];
    supervise({
      name: "nats",
      launch: () => {
        launches += 1;
        return Promise.reject(new Error("no such program"));
      },
      clock,
      policy: defaultRestartPolicy,
      onEvent: (event) => events.push(event),
    });
    await settle();
    clock.advance(0);
    await settle();
    expect(launches).toBe(2);
    expect(events).toHaveLength(2);
  });

  it("does not start again what is being stopped, even from between two lives", async () => {
    const { clock, lives, child } = scene();
    await settle();
    lives[0]?.end(crash);
    await settle();
    await child.stop(1000);
    clock.advance(60_000);
    await settle();
    expect(lives).toHaveLength(1);
    expect(child.pid()).toBeNull();
  });

  it("restarts at once when told to, and counts that as no failure", async () => {
    const { clock, lives, events, child } = scene();
    for (let count = 1; count <= 3; count++) {
      await settle();
      await child.restart(1000);
      await settle();
      expect(lives).toHaveLength(count + 1);
    }
    expect(events).toEqual([]);
    expect(lives.map(({ signals }) => signals)).toEqual([["SIGTERM"], ["SIGTERM"], ["SIGTERM"], []]);

    // One that waits for its next life need not wait on.
    for (const end of [3, 4]) {
      lives[end]?.end(crash);
      await settle();
      clock.advance(0);
      await settle();
    }
    expect(lives).toHaveLength(5);
    await child.restart(1000);
    await settle();
    expect(lives).toHaveLength(6);
    clock.advance(60_000);
    await settle();
    expect(lives).toHaveLength(6);
  });

  it("asks first and kills after the grace", async () => {
    const { clock, lives, child } = scene({ ignoresTerm: true });
    await settle();
    const stopped = child.stop(1000);
    await settle();
    clock.advance(999);
    expect(lives[0]?.signals).toEqual(["SIGTERM"]);
    clock.advance(1);
    await stopped;
    expect(lives[0]?.signals).toEqual(["SIGTERM", "SIGKILL"]);
  });
});
