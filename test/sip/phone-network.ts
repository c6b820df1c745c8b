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

/** One whose stand-in is a program of its own. */
export interface SeparatePhoneNetwork extends PhoneNetwork<StandInProcess> {
  /** Kills the stand-in, and starts another one that takes calls where it did. */
  replaceStandIn(): Promise<void>;
}

/** Seconds that the server's SIP API may take: it waits for calls to be answered. */
const ANSWER_SECONDS = 90;

/** Starts all of it on loopback. A machine without a LiveKit server builds it first: LIVEKIT_BUILD_MS. */
export function startPhoneNetwork(options: NetworkOptions = {}): Promise<PhoneNetwork> {
  return startAround(startStandIn, options);
}

interface NetworkOptions {
  /** LiveKit tells there what happens in its rooms. */
  webhookUrl?: string;
}

/** As `startPhoneNetwork`, with the stand-in as a program of its own, which may be killed. */
export async function startSeparatePhoneNetwork(options: NetworkOptions = {}): Promise<SeparatePhoneNetwork> {
  const network = await startAround(startStandInProcess, options);
  const { liveKit, redisUrl } = network;
  const [, port] = network.standIn.address.split(":");
  let standIn = network.standIn;
  return {
    ...network,
    async replaceStandIn() {
      await standIn.kill();
      standIn = await startStandInProcess({ liveKit, redisUrl, port: Number(port) });
    },
    async stop() {
      await standIn.stop();
      await network.stop();
    },
  };
}

async function startAround<S extends { address: string; stop(): Promise<void> }>(
  start: (options: StandInOptions) => Promise<S>,
  options: NetworkOptions,
): Promise<PhoneNetwork<S>> {
  const [redis, carrier] = await Promise.all([startRedis(), Telephone.open()]);
  const liveKit = await startLiveKit({ redisUrl: redis.url, ...options });
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
