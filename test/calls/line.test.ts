import { dispose } from "@livekit/rtc-node";
import { AccessToken, RoomServiceClient, TrackSource } from "livekit-server-sdk";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { joinedAttribute } from "#agents/room/caller-seat";
import { openRoom, type OpenRoomOptions } from "#agents/room/open-room";
import { systemClock } from "#common/clock";
import { httpUrl } from "#common/livekit/reachability";
import { newIdentifier } from "#common/identifier";
import { createLogger } from "#common/log";
import { RtcCaller } from "../agents/rtc-caller.js";
import { Told } from "../agents/told.js";
import { canRunLiveKit, LIVEKIT_BUILD_MS, startLiveKit, type TestLiveKit } from "../harness/livekit.js";
import { startRedis } from "../harness/servers.js";
import { until } from "../harness/processes.js";

const soon = (condition: () => boolean, what: string): Promise<void> => until(condition, { withinMs: 10_000, what });

describe.skipIf(!canRunLiveKit)("a phone line in a room of a LiveKit server", () => {
  let liveKit: TestLiveKit;
  let redis: { url: string; stop(): Promise<void> };

  beforeAll(async () => {
    redis = await startRedis();
    liveKit = await startLiveKit({ redisUrl: redis.url });
  }, LIVEKIT_BUILD_MS);
  afterAll(async () => {
    await liveKit.stop();
    await redis.stop();
    await dispose();
  });

  /** An agent that waits for a caller by phone. */
  async function open(): Promise<{ told: Told; where: OpenRoomOptions["room"] }> {
    const id = newIdentifier().slice(0, 8);
    const where = { name: `room-${id}`, callerIdentity: `sip_${id}`, agentIdentity: `agent-${id}` };
    const told = new Told();
    const room = await openRoom({
      ...{ ...liveKit, room: where, sampleRate: 24_000, callbacks: told, isPhoneCall: true },
      ...{ log: createLogger("test", "fatal"), clock: systemClock },
    });
    onTestFinished(() => room.close({ deletesRoom: true }).catch(() => undefined));
    return { told, where };
  }

  /** Joins as LiveKit SIP does, before anybody has answered. */
  async function ring({ name, callerIdentity }: OpenRoomOptions["room"], mark = {}): Promise<RtcCaller> {
    const token = new AccessToken(liveKit.apiKey, liveKit.apiSecret, { identity: callerIdentity });
    token.kind = "sip";
    token.attributes = { "sip.callStatus": "ringing", ...mark };
    token.addGrant({
      ...{ roomJoin: true, room: name, canPublish: true, canSubscribe: true, canPublishData: true },
      ...{ canPublishSources: [TrackSource.MICROPHONE], canUpdateOwnMetadata: true },
    });
    const line = await RtcCaller.join(liveKit.url, await token.toJwt());
    onTestFinished(() => line.leave());
    return line;
  }

  it("is listened to while it rings, and joins when it is answered; its keys and its end are told", async () => {
    const { told, where } = await open();
    const line = await ring(where);
    await line.openMicrophone();
    await line.speak(new Int16Array(4800).fill(8000));
    await soon(() => told.story.includes("seen"), "the line");
    expect([told.story.filter((word) => word !== "seen"), told.audio.length]).toEqual([[], 0]);
    await line.room.localParticipant?.setAttributes({ "sip.callStatus": "active" });
    await soon(() => told.story.includes("joined"), "the caller");
    expect(told.story.filter((word) => word !== "seen")).toEqual(["answered", "joined"]);
    await soon(() => told.audio.length > 0, "the caller's audio");
    await line.room.localParticipant?.publishDtmf(1, "1");
    await line.room.localParticipant?.publishDtmf(11, "#");
    await soon(() => told.story.at(-1) === "key #", "the keys");
    expect(told.story.slice(-2)).toEqual(["key 1", "key #"]);
    await line.leave();
    await soon(() => told.story.at(-1) === "left for good", "the end");
  });

  it("that hangs up while the server is dead has left, whom the next server lists all the same", async () => {
    const { told, where } = await open();
    const line = await ring(where);
    await line.openMicrophone();
    await line.room.localParticipant?.setAttributes({ "sip.callStatus": "active" });
    await soon(() => told.story.includes("joined"), "the caller");
    const rooms = new RoomServiceClient(httpUrl(liveKit.url), liveKit.apiKey, liveKit.apiSecret);
    const listed = async (): Promise<string[]> => (await rooms.listParticipants(where.name)).map(({ sid }) => sid);
    const before = await listed();
    await liveKit.kill();
    await line.leave();
    await liveKit.restart();
    await until(async () => (await listed()).some((sid) => !before.includes(sid)), {
      withinMs: 20_000,
      what: "the agent",
    });
    expect((await listed()).filter((sid) => before.includes(sid))).toHaveLength(1);
    // It comes again, so that all that was asked of the server before is answered.
    const again = await ring(where, { [joinedAttribute]: "1" });
    await soon(() => told.story.at(-1) === "seen", "the next line");
    await again.openMicrophone();
    await again.room.localParticipant?.setAttributes({ "sip.callStatus": "active" });
    await soon(() => told.story.filter((word) => word === "joined").length === 2, "the next caller");
    expect(told.story.filter((word) => word !== "seen")).toEqual(["answered", "joined", "left", "answered", "joined"]);
  });

  it("that leaves unanswered is lost, and never joined", async () => {
    const { told, where } = await open();
    const line = await ring(where);
    await soon(() => told.story.includes("seen"), "the line");
    await line.leave();
    await soon(() => told.story.at(-1) === "lost: other", "the loss");
    expect(told.story).not.toContain("joined");
  });
});
