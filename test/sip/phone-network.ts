import { RoomServiceClient, SipClient } from "livekit-server-sdk";
import { httpUrl } from "#common/livekit/reachability";
import { startLiveKit, type TestLiveKit } from "../harness/livekit.js";
import { startRedis } from "../harness/servers.js";
import { type StandInProcess, startStandInProcess } from "./livekit-sip/process.js";
import { type StandIn, type StandInOptions, startStandIn } from "./livekit-sip/stand-in.js";
import { Telephone } from "./telephone/telephone.js";

/** A LiveKit server with Redis, the stand-in for LiveKit SIP beside it, and a carrier with all the world's telephones. */
export interface PhoneNetwork<S extends { address: string } = StandIn> {
  liveKit: TestLiveKit;
  redisUrl: string;
  sip: SipClient;
  rooms: RoomServiceClient;
  /** LiveKit SIP: calls to it go to `standIn.address`. */
  standIn: S;
  /** Where calls leave to: the address of an outbound trunk is `carrier.address`. */
  carrier: Telephone;
  stop(): Promise<void>;
}

/** Seconds that the server's SIP API may take: it waits for calls to be answered. */
const ANSWER_SECONDS = 90;

/** Starts all of it on loopback. A machine without a LiveKit server builds it first: LIVEKIT_BUILD_MS. */
export function startPhoneNetwork(): Promise<PhoneNetwork> {
  return startAround(startStandIn);
}

/** As `startPhoneNetwork`, with the stand-in as a program of its own, which may be killed. */
export function startSeparatePhoneNetwork(): Promise<PhoneNetwork<StandInProcess>> {
  return startAround(startStandInProcess);
}

async function startAround<S extends { address: string; stop(): Promise<void> }>(
  start: (options: StandInOptions) => Promise<S>,
): Promise<PhoneNetwork<S>> {
  const [redis, carrier] = await Promise.all([startRedis(), Telephone.open()]);
  const liveKit = await startLiveKit({ redisUrl: redis.url });
  const standIn = await start({ liveKit, redisUrl: redis.url });
  const { url, apiKey, apiSecret } = liveKit;
  return {
    ...{ liveKit, redisUrl: redis.url, standIn, carrier },
    sip: new SipClient(httpUrl(url), apiKey, apiSecret, { requestTimeout: ANSWER_SECONDS }),
    rooms: new RoomServiceClient(httpUrl(url), apiKey, apiSecret),
    async stop() {
      await standIn.stop();
      carrier.close();
      await liveKit.stop();
      await redis.stop();
    },
  };
}
