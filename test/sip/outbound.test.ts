import { DisconnectReason, dispose } from "@livekit/rtc-node";
import { SipCallError } from "livekit-server-sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { newIdentifier } from "#common/identifier";
import { canRunLiveKit, LIVEKIT_BUILD_MS } from "../harness/livekit.js";
import { exchangeTones } from "./exchange-tones.js";
import { type PhoneNetwork, startPhoneNetwork } from "./phone-network.js";
import { RoomGuest } from "./room-guest.js";
import { type Behaviour, answers, ringsOnly } from "./telephone/behaviour.js";
import type { PhoneCall } from "./telephone/phone-call.js";

const NUMBER = "+4930123456";
const credentials = { username: "museum", password: "termination canary" };

describe.skipIf(!canRunLiveKit)("calls that leave by the stand-in for LiveKit SIP", () => {
  let network: PhoneNetwork;
  let trunkId: string;
  let room: string;

  beforeAll(async () => {
    network = await startPhoneNetwork();
    const { carrier, sip } = network;
    trunkId = (await sip.createSipOutboundTrunk("out", carrier.address, [NUMBER], { transport: 1 })).sipTrunkId;
  }, LIVEKIT_BUILD_MS);
  afterAll(async () => {
    await network?.stop();
    await dispose();
  });
  beforeEach(() => {
    room = newIdentifier();
  });

  const join = async (where = room): Promise<RoomGuest> => {
    const guest = await RoomGuest.join(network.liveKit, where);
    onTestFinished(() => guest.leave());
    return guest;
  };
  const dial = (
    to: string,
    options: { dtmf?: string; ringingTimeout?: number; waitUntilAnswered?: boolean } = {},
    where = room,
  ) => {
    const waiting = { participantIdentity: "callee", waitUntilAnswered: true, timeout: 30, ...options };
    return network.sip.createSipParticipant(trunkId, to, where, waiting);
  };
  const callOf = (number: string): PhoneCall => {
    const call = network.carrier.calls.find(({ to }) => to === number);
    if (call === undefined) throw new Error(`${number} was not called`);
    return call;
  };
  const lastCall = (): PhoneCall => {
    const call = network.carrier.calls.at(-1);
    if (call === undefined) throw new Error("nobody was called");
    return call;
  };
  let numbers = 0;
  /** A number of its own, so that no test hears of another one's calls. */
  const numberThat = (behaviour: Behaviour): string => {
    const number = `+49301000${numbers++}`;
    network.carrier.script(number, behaviour);
    return number;
  };

  it("carry audio both ways, and say who is called and how it goes", async () => {
    const guest = await join();
    await guest.openMicrophone();
    const number = numberThat(answers());
    const info = await dial(number);
    const call = lastCall();
    expect([call.from, call.to]).toEqual([NUMBER, number]);
    await exchangeTones(guest, call);
    await expect.poll(() => guest.statuses).toEqual(["dialing", "ringing", "active"]);
    const [callee] = await network.rooms
      .listParticipants(room)
      .then((all) => all.filter(({ identity }) => identity === "callee"));
    expect([callee?.sid, callee?.kind]).toEqual([info.participantId, 3]);
    expect(guest.others).toMatchObject([
      {
        attributes: {
          ...{ "sip.callID": info.sipCallId, "sip.trunkID": trunkId, "sip.trunkPhoneNumber": NUMBER },
          ...{ "sip.phoneNumber": number, "sip.hostname": network.carrier.address },
        },
      },
    ]);
    await call.hangUp();
    await expect.poll(() => guest.reasons).toEqual([DisconnectReason.CLIENT_INITIATED]);
    expect(guest.statuses.at(-1)).toBe("hangup");
  });

  it("to numbers that do not take them end as LiveKit SIP ends them", async () => {
    const { USER_REJECTED, USER_UNAVAILABLE } = DisconnectReason;
    const cases = [
      { refusal: "486 Busy Here", code: "resource_exhausted", status: 486, reason: USER_REJECTED },
      { refusal: "603 Decline", code: "permission_denied", status: 603, reason: USER_REJECTED },
      { refusal: "404 Not Found", code: "not_found", status: 404, reason: USER_UNAVAILABLE },
      { refusal: null, code: "canceled", status: null, reason: USER_UNAVAILABLE },
    ];
    const outcomes = cases.map(async ({ refusal, code, status, reason }) => {
      const guest = await join(newIdentifier());
      const number = numberThat(ringsOnly());
      const dialing = dial(number, { ringingTimeout: refusal === null ? 1 : 60 }, guest.room);
      const failing = expect(dialing).rejects.toMatchObject({ code });
      await expect.poll(() => guest.statuses).toEqual(["dialing", "ringing"]);
      if (refusal !== null) callOf(number).refuse(Number(refusal.slice(0, 3)), refusal.slice(4));
      await failing;
      const error: unknown = await dialing.catch((caught: unknown) => caught);
      expect(error instanceof SipCallError ? error.sipStatusCode : null).toBe(status);
      // The server tells of those that left before they spoke every three seconds.
      await expect.poll(() => guest.reasons).toEqual([reason]);
      expect(await callOf(number).ended).toBe(refusal === null ? "cancelled" : "refused");
    });
    await Promise.all(outcomes);
  });

  it("are there before they are answered, where nobody waits for that", async () => {
    const guest = await join();
    await dial(numberThat(ringsOnly()), { waitUntilAnswered: false });
    await expect.poll(() => guest.statuses).toEqual(["dialing", "ringing"]);
    lastCall().answer();
    await expect.poll(() => guest.statuses).toEqual(["dialing", "ringing", "active"]);
  });

  it("authenticate where the trunk says with what", async () => {
    network.carrier.credentials = credentials;
    onTestFinished(() => {
      network.carrier.credentials = null;
    });
    await expect(dial(numberThat(answers()))).rejects.toMatchObject({ code: "permission_denied" });
    const trunk = await network.sip.createSipOutboundTrunk("secret", network.carrier.address, [NUMBER], {
      ...{ transport: 1, authUsername: credentials.username, authPassword: credentials.password },
    });
    const number = numberThat(answers());
    await network.sip.createSipParticipant(trunk.sipTrunkId, number, room, { waitUntilAnswered: true });
    expect([lastCall().to, network.carrier.challenges]).toEqual([number, 2]);
  });

  it("carry digits both ways, and those of an extension first", async () => {
    const guest = await join();
    await dial(numberThat(answers()), { dtmf: "12#" });
    const call = lastCall();
    expect(guest.statuses).toContain("automation");
    await guest.press(5, "5");
    await expect.poll(() => call.digits).toBe("12#5");
    await call.sendDigits("0*9");
    await expect.poll(() => guest.digits).toBe("0*9");
  });

  it("are transferred by REFER, and over then", async () => {
    const guest = await join();
    await dial(numberThat(answers()));
    await network.sip.transferSipParticipant(room, "callee", "tel:+493077");
    expect(lastCall().transfers).toEqual(["tel:+493077"]);
    await expect.poll(() => guest.others).toEqual([]);
  });

  it("go on where a transfer fails, and say with which status it did", async () => {
    const guest = await join();
    await dial(numberThat(answers()));
    lastCall().transferOutcome = "486 Busy Here";
    const transfer = network.sip.transferSipParticipant(room, "callee", "tel:+493077");
    await expect(transfer).rejects.toMatchObject({ sipStatusCode: 486 });
    expect(guest.others).toHaveLength(1);
  });

  it("end where their participant is removed, or the room is deleted", async () => {
    await dial(numberThat(answers()));
    await network.rooms.removeParticipant(room, "callee");
    expect(await lastCall().ended).toBe("remote");
    await dial(numberThat(answers()));
    await network.rooms.deleteRoom(room);
    expect(await lastCall().ended).toBe("remote");
  });

  it("are taken back where their participant is removed while it rings", async () => {
    const dialing = dial(numberThat(ringsOnly()), { waitUntilAnswered: false });
    await dialing;
    await expect.poll(() => network.carrier.calls.at(-1)?.to).toBe(`+49301000${numbers - 1}`);
    await network.rooms.removeParticipant(room, "callee");
    expect(await lastCall().ended).toBe("cancelled");
  });
});
