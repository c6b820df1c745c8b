import { RoomServiceClient, SipClient } from "livekit-server-sdk";
import { httpUrl } from "#common/livekit/reachability";
import { startLiveKit, type TestLiveKit } from "../harness/livekit.js";
import { startRedis } from "../harness/servers.js";
import { startStandIn, type StandIn } from "./livekit-sip/stand-in.js";
import { Telephone } from "./telephone/telephone.js";

/** A LiveKit server with Redis, the stand-in for LiveKit SIP beside it, and a carrier with all the world's telephones. */
export interface PhoneNetwork {
  liveKit: TestLiveKit;
  redisUrl: string;
  sip: SipClient;
  rooms: RoomServiceClient;
  /** LiveKit SIP: calls to it go to `standIn.address`. */
  standIn: StandIn;
  /** Where calls leave to: the address of an outbound trunk is `carrier.address`. */
  carrier: Telephone;
  stop(): Promise<void>;
}

/** Seconds that the server's SIP API may take: it waits for calls to be answered. */
const ANSWER_SECONDS = 90;

/** Starts all of it on loopback. A machine without a LiveKit server builds it first: LIVEKIT_BUILD_MS. */
export async function startPhoneNetwork(): Promise<PhoneNetwork> {
  const [redis, carrier] = await Promise.all([startRedis(), Telephone.open()]);
  const liveKit = await startLiveKit({ redisUrl: redis.url });
  const standIn = await startStandIn({ liveKit, redisUrl: redis.url });
  const sip = new SipClient(httpUrl(liveKit.url), liveKit.apiKey, liveKit.apiSecret, {
    requestTimeout: ANSWER_SECONDS,
  });
  const rooms = new RoomServiceClient(httpUrl(liveKit.url), liveKit.apiKey, liveKit.apiSecret);
  return {
    ...{ liveKit, redisUrl: redis.url, sip, rooms, standIn, carrier },
    async stop() {
      await standIn.stop();
      carrier.close();
      await liveKit.stop();
      await redis.stop();
    },
  };
}
