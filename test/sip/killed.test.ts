import { DisconnectReason } from "@livekit/rtc-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { newIdentifier } from "#common/identifier";
import { canRunLiveKit, LIVEKIT_BUILD_MS } from "../harness/livekit.js";
import { exchangeTones } from "./exchange-tones.js";
import { type SeparatePhoneNetwork, startSeparatePhoneNetwork } from "./phone-network.js";
import { RoomGuest } from "./room-guest.js";

describe.skipIf(!canRunLiveKit)("a stand-in for LiveKit SIP that is killed", () => {
  let network: SeparatePhoneNetwork;
  beforeAll(async () => {
    network = await startSeparatePhoneNetwork();
  }, LIVEKIT_BUILD_MS);
  afterAll(() => network?.stop());

  it("cuts its calls, whose participants leave without a goodbye, and another one takes calls at its port", async () => {
    const { carrier, sip, liveKit } = network;
    const trunk = await sip.createSipOutboundTrunk("out", carrier.address, ["+4930123456"], { transport: 1 });
    const room = newIdentifier();
    const guest = await RoomGuest.join(liveKit, room);
    onTestFinished(() => guest.leave());
    await guest.openMicrophone();
    const dial = (number: string) =>
      sip.createSipParticipant(trunk.sipTrunkId, number, room, { waitUntilAnswered: true, timeout: 30 });
    await dial("+493099");
    const [cut] = carrier.calls;
    if (cut === undefined) throw new Error("nobody was called");
    await exchangeTones(guest, cut);
    await network.replaceStandIn();
    await dial("+493098");
    const call = carrier.calls[1];
    if (call === undefined) throw new Error("nobody was called again");
    await exchangeTones(guest, call);
    await expect.poll(() => guest.reasons, { timeout: 25_000, interval: 100 }).toHaveLength(1);
    expect(guest.reasons).not.toContain(DisconnectReason.CLIENT_INITIATED);
  }, 60_000);
});
