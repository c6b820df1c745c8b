import { AccessToken } from "livekit-server-sdk";
import { type DisconnectReason, RoomEvent } from "@livekit/rtc-node";
import type { LiveKitAccess } from "#common/livekit/livekit-server";
import { RtcCaller } from "../agents/rtc-caller.js";
import { hasTone } from "./tones.js";

const RATE = 16_000;

/** Somebody in the room of a call, as an agent is, and what it received of the call. */
export class RoomGuest {
  readonly #caller: RtcCaller;
  /** `sip.callStatus` of the call, in order. */
  readonly statuses: string[] = [];
  /** Why calls left. */
  readonly reasons: (DisconnectReason | undefined)[] = [];
  digits = "";

  private constructor(
    caller: RtcCaller,
    readonly room: string,
  ) {
    this.#caller = caller;
    const note = (attributes: Record<string, string>): void => {
      const status = attributes["sip.callStatus"];
      if (status !== undefined && status !== this.statuses.at(-1)) this.statuses.push(status);
    };
    caller.room.on(RoomEvent.ParticipantConnected, ({ attributes }) => note(attributes));
    caller.room.on(RoomEvent.ParticipantAttributesChanged, (changed) => note(changed));
    caller.room.on(RoomEvent.ParticipantDisconnected, ({ disconnectReason }) => this.reasons.push(disconnectReason));
    caller.room.on(RoomEvent.DtmfReceived, (_code, digit) => {
      this.digits += digit;
    });
  }

  static async join(access: LiveKitAccess, room: string): Promise<RoomGuest> {
    const token = new AccessToken(access.apiKey, access.apiSecret, { identity: "guest" });
    token.addGrant({ roomJoin: true, room, canPublish: true, canSubscribe: true, canPublishData: true });
    return new RoomGuest(await RtcCaller.join(access.url, await token.toJwt()), room);
  }

  /** Everybody else. */
  get others(): { identity: string; attributes: Record<string, string> }[] {
    return [...this.#caller.room.remoteParticipants.values()].map(({ identity, attributes }) => ({
      identity,
      attributes,
    }));
  }

  async openMicrophone(): Promise<void> {
    await this.#caller.openMicrophone();
  }

  /** Says samples at 16 kHz. */
  async speak(samples: Int16Array): Promise<void> {
    await this.#caller.speak(samples);
  }

  async press(code: number, digit: string): Promise<void> {
    await this.#caller.room.localParticipant?.publishDtmf(code, digit);
  }

  hasReceived(frequencyHz: number): boolean {
    return hasTone(Int16Array.from(this.#caller.received.flatMap(({ samples }) => [...samples])), frequencyHz, RATE);
  }

  async leave(): Promise<void> {
    await this.#caller.leave();
  }
}
