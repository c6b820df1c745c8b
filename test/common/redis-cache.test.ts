import { afterEach, describe, expect, it } from "vitest";
import type { Cache } from "#common/cache/cache";
import { connectRedis } from "#common/cache/redis";
import { createLogger } from "#common/log";
import { type ExternalServer, startRedis } from "../harness/servers.js";

const log = createLogger("test", "fatal");
const servers: ExternalServer[] = [];
const caches: Cache[] = [];

afterEach(async () => {
  for (const cache of caches.splice(0)) cache.close();
  await Promise.all(servers.splice(0).map((server) => server.stop(1000)));
});

async function start(port?: number): Promise<ExternalServer> {
  const server = await startRedis(port === undefined ? {} : { port });
  servers.push(server);
  return server;
}

function open(url: string): Cache {
  const cache = connectRedis(url, log);
  caches.push(cache);
  return cache;
}

/** Resolves once the cache keeps what it is given. */
const works = (cache: Cache): Promise<void> =>
  expect
    .poll(
      async () => {
        await cache.set("probe", "1", 60_000);
        return await cache.get("probe");
      },
      { timeout: 10_000 },
    )
    .toBe("1");

describe("the Redis cache", () => {
  it("keeps values for their time, and shares them", async () => {
    const server = await start();
    const [one, two] = [open(server.url), open(server.url)];
    await Promise.all([works(one), works(two)]);
    await one.set("a", "x", 60_000);
    expect(await two.get("a")).toBe("x");
    await two.delete("a");
    expect(await one.get("a")).toBeNull();
    await one.set("short", "x", 1);
    await expect.poll(() => one.get("short")).toBeNull();
  });

  it("counts together, and forgets a count after its time", async () => {
    const server = await start();
    const [one, two] = [open(server.url), open(server.url)];
    await Promise.all([works(one), works(two)]);
    expect(await one.count("visits", 60_000)).toBe(1);
    expect(await two.count("visits", 60_000)).toBe(2);
    expect(await one.count("other", 60_000)).toBe(1);
    expect(await one.count("visits", 1)).toBe(3);
    await expect.poll(() => two.get("visits")).toBeNull();
    await server.stop(0);
    expect(await one.count("visits", 60_000)).toBeNull();
  });

  it("is a miss, never an error, while Redis is away, and works again when it is back", async () => {
    const server = await start();
    const cache = open(server.url);
    await works(cache);
    await server.stop(0);
    expect(await cache.get("probe")).toBeNull();
    await cache.set("a", "x", 1000);
    await cache.delete("a");
    await start(server.port);
    await works(cache);
  });

  it("does not wait for a Redis that was never there", async () => {
    const cache = open("redis://127.0.0.1:1");
    const startedMs = performance.now();
    expect(await cache.get("a")).toBeNull();
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });
});
