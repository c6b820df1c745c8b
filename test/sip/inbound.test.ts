import { dispose } from "@livekit/rtc-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { newIdentifier } from "#common/identifier";
import { type LiveKitSip, openLiveKitSip } from "#common/livekit/livekit-sip";
import { canRunLiveKit, LIVEKIT_BUILD_MS } from "../harness/livekit.js";
import { exchangeTones } from "./exchange-tones.js";
import { type PhoneNetwork, startPhoneNetwork } from "./phone-network.js";
import { RoomGuest } from "./room-guest.js";
import type { PhoneCall } from "./telephone/phone-call.js";

const CALLER = "+493055";

describe.skipIf(!canRunLiveKit)("calls that come to the stand-in for LiveKit SIP", () => {
  let network: PhoneNetwork;
  let trunks: LiveKitSip;
  let number: string;

  beforeAll(async () => {
    network = await startPhoneNetwork();
    trunks = openLiveKitSip(network.liveKit);
  }, LIVEKIT_BUILD_MS);
  afterAll(async () => {
    await network?.stop();
    await dispose();
  });
  let numbers = 0;
  beforeEach(() => {
    number = `+49302000${numbers++}`;
  });

  /** A trunk of the number, with a rule that sends its calls to rooms that begin so. */
  const bind = async ({ username = "", password = "", addresses = ["127.0.0.1/32"], hasRule = true } = {}) => {
    const trunkId = await trunks.saveInboundTrunk(null, {
      ...{ name: number, numbers: [number], allowedAddresses: addresses, metadata: "" },
      ...{ authUsername: username, authPassword: password },
    });
    const roomPrefix = newIdentifier();
    const rule = { name: number, trunkIds: [trunkId], roomPrefix, attributes: { "museum.wing": "east" }, metadata: "" };
    const ruleId = hasRule ? await trunks.saveDispatchRule(null, rule) : null;
    return { trunkId, ruleId, roomPrefix };
  };
  /** The room of a call, once it is there. */
  const roomOf = async (prefix: string): Promise<string> => {
    const find = async () => (await network.rooms.listRooms()).find(({ name }) => name.startsWith(prefix))?.name;
    await expect.poll(find, { interval: 50 }).toBeDefined();
    return (await find()) ?? "";
  };
  const call = (options: { credentials?: { username: string; password: string } } = {}, signal?: AbortSignal) => {
    const statuses: number[] = [];
    const dialing = { address: network.standIn.address, to: number, from: CALLER, ...options };
    const answered: Promise<PhoneCall> = network.carrier.call({
      ...{ ...dialing, onProvisional: (status) => statuses.push(status), ...(signal && { signal }) },
    });
    answered.catch(() => undefined);
    return { answered, statuses };
  };
  const guestIn = async (room: string): Promise<RoomGuest> => {
    const guest = await RoomGuest.join(network.liveKit, room);
    onTestFinished(() => guest.leave());
    return guest;
  };

  it("ring until somebody in the room has a track, then carry audio and digits both ways", async () => {
    const { trunkId, ruleId, roomPrefix } = await bind();
    const { answered, statuses } = call();
    const guest = await guestIn(await roomOf(roomPrefix));
    await expect
      .poll(() => guest.others)
      .toMatchObject([
        {
          identity: `sip_${CALLER}`,
          attributes: {
            ...{ "sip.callStatus": "ringing", "sip.phoneNumber": CALLER, "sip.trunkPhoneNumber": number },
            ...{ "sip.trunkID": trunkId, "sip.ruleID": ruleId, "sip.hostname": "127.0.0.1", "museum.wing": "east" },
            "sip.callID": expect.stringMatching(/^SCL_/),
          },
        },
      ]);
    expect(statuses).toEqual([100, 180]);
    await guest.openMicrophone();
    const phone = await answered;
    await expect.poll(() => guest.statuses.at(-1)).toBe("active");
    await exchangeTones(guest, phone);
    await phone.sendDigits("42");
    await guest.press(11, "#");
    await expect.poll(() => [guest.digits, phone.digits]).toEqual(["42", "#"]);
    await phone.hangUp();
    await expect.poll(() => guest.others).toEqual([]);
  });

  it("are over for the caller when the room is deleted", async () => {
    const { roomPrefix } = await bind();
    const { answered } = call();
    const room = await roomOf(roomPrefix);
    const guest = await guestIn(room);
    await guest.openMicrophone();
    const phone = await answered;
    await network.rooms.deleteRoom(room);
    expect(await phone.ended).toBe("remote");
  });

  it("are refused with 486 when the room is deleted before anybody took them", async () => {
    const { roomPrefix } = await bind();
    const { answered } = call();
    const room = await roomOf(roomPrefix);
    const tracks = async () => (await network.rooms.listParticipants(room)).flatMap((caller) => caller.tracks);
    await expect.poll(tracks, { interval: 50 }).toHaveLength(1);
    await network.rooms.deleteRoom(room);
    await expect(answered).rejects.toMatchObject({ status: 486 });
  });

  it("leave the room when the caller takes them back", async () => {
    const { roomPrefix } = await bind();
    const taken = new AbortController();
    const { answered } = call({}, taken.signal);
    const guest = await guestIn(await roomOf(roomPrefix));
    await expect.poll(() => guest.others).toHaveLength(1);
    taken.abort();
    await expect(answered).rejects.toMatchObject({ status: 487 });
    await expect.poll(() => guest.others).toEqual([]);
  });

  it("authenticate where their trunk asks for it", async () => {
    const right = { username: "in", password: "inbound canary" };
    const { roomPrefix } = await bind(right);
    await expect(call().answered).rejects.toMatchObject({ status: 407 });
    await expect(call({ credentials: { ...right, password: "wrong" } }).answered).rejects.toMatchObject({
      status: 401,
    });
    const { answered } = call({ credentials: right });
    const guest = await guestIn(await roomOf(roomPrefix));
    await guest.openMicrophone();
    await (await answered).hangUp();
  });

  it.each([
    ["of a number that no trunk has", null],
    ["of a number that no rule sends anywhere", { hasRule: false }],
    ["from an address that the trunk does not take", { addresses: ["203.0.113.0/24"] }],
  ])("%s ring and are never answered, as with LiveKit SIP", async (_, trunk) => {
    if (trunk !== null) await bind(trunk);
    const before = network.standIn.abandoned();
    const { statuses } = call();
    await expect.poll(() => network.standIn.abandoned()).toBe(before + 1);
    expect(statuses).toEqual([100, 180]);
  });
});
