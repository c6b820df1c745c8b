import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { loadConfig } from "#common/config/config";
import { configuredSessions } from "#control-plane/sessions/configured";
import { openLiveKit } from "#control-plane/sessions/livekit";
import type { RoomServer } from "#control-plane/sessions/rooms";
import { silentLog } from "../control-plane/databases.js";
import { type RoomServerStandIn, startRoomServer } from "./room-server.js";

const room = { name: "room", emptyMs: 1000 };

describe("rooms of a LiveKit server", () => {
  let standIn: RoomServerStandIn;
  beforeAll(async () => {
    standIn = await startRoomServer();
  });
  afterAll(() => standIn.stop());

  const open = (change: Partial<Parameters<typeof openLiveKit>[0]> = {}): RoomServer => {
    const { url, apiKey, apiSecret } = standIn;
    return openLiveKit({ url, publicUrl: url, apiKey, apiSecret, ...change });
  };
  const unreachable = { code: "agent_gateway_unreachable", status: 502 };

  it("are made and deleted, also when they are gone already", async () => {
    const rooms = open();
    await rooms.create(room);
    expect(standIn.rooms.get("room")).toMatchObject({ emptyTimeout: 1, departureTimeout: 30, maxParticipants: 5 });
    await rooms.delete("room");
    await rooms.delete("room");
    expect(standIn.deleted).toEqual(["room"]);
  });

  it.each([
    ["wss://rooms.example/", "wss://rooms.example"],
    ["https://rooms.example", "wss://rooms.example"],
    ["http://127.0.0.1:7880", "ws://127.0.0.1:7880"],
    ["ws://127.0.0.1:7880/path/", "ws://127.0.0.1:7880/path"],
  ])("at %s are told to callers as %s", (publicUrl, told) => {
    expect(open({ publicUrl }).publicUrl).toBe(told);
  });

  it("cannot be had from a server that is not there, refuses, or does not answer", async () => {
    await expect(open({ url: "ws://127.0.0.1:1" }).create(room)).rejects.toMatchObject(unreachable);
    await expect(open({ apiKey: "another" }).create(room)).rejects.toMatchObject(unreachable);
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close().closeAllConnections());
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const startedMs = performance.now();
    await expect(open({ url }).create(room)).rejects.toMatchObject(unreachable);
    expect(performance.now() - startedMs).toBeLessThan(8000);
  });
});

describe("the configuration of sessions", () => {
  it("has no room server where none is named", () => {
    const { rooms, sessions, cache } = configuredSessions(loadConfig({}), silentLog);
    cache.close();
    expect([rooms, sessions]).toEqual([null, { joinMs: 60_000, visitorsPerAgent: 60, visitorsPerAddress: 10 }]);
  });

  it("refuses a server without its key, and tells callers its address where no other is named", () => {
    const url = "ws://rooms.internal:7880";
    for (const given of [{}, { LIVEKIT_API_KEY: "k" }, { LIVEKIT_API_SECRET: "s" }])
      expect(() => configuredSessions(loadConfig({ LIVEKIT_URL: url, ...given }), silentLog)).toThrow(
        "LIVEKIT_URL needs LIVEKIT_API_KEY and LIVEKIT_API_SECRET",
      );
    const keys = { LIVEKIT_URL: url, LIVEKIT_API_KEY: "k", LIVEKIT_API_SECRET: "s" };
    expect(configuredSessions(loadConfig(keys), silentLog).rooms?.publicUrl).toBe(url);
    const both = { ...keys, LIVEKIT_PUBLIC_URL: "https://rooms.example" };
    expect(configuredSessions(loadConfig(both), silentLog).rooms?.publicUrl).toBe("wss://rooms.example");
  });
});
