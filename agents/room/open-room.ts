import { type AgentEvent, encodeAgentEvent } from "#protocol/agents/events";
import { agentEventTopic, agentStateAttribute } from "#protocol/agents/room-topics";
import type { ConversationRoom } from "#protocol/bus/conversation";
import type { Clock } from "#common/clock";
import {
  agentToken,
  type ListedParticipant,
  type LiveKitAccess,
  type LiveKitServer,
  openLiveKitServer,
} from "#common/livekit/livekit-server";
import type { Logger } from "#common/log";
import type { AgentState } from "../dialogue/action.js";
import { Absence } from "./absence.js";
import { CallerSeat, joinedAttribute } from "./caller-seat.js";
import { ClientEventGate } from "./client-events.js";
import { EarlyPackets } from "./early-packets.js";
import {
  type Departure,
  joinLiveKitRoom,
  LiveKitVoice,
  type Participant,
  type RoomConnection,
  type RoomLoss,
} from "./livekit-room.js";
import { Outbox } from "./outbox.js";
import { LineCheck } from "./line-check.js";
import type { LineLoss, Room, RoomCallbacks } from "./room.js";
import { TranscriptPublisher, type TranscriptSegment } from "./transcript-publisher.js";
import { VoiceQueue } from "./voice-queue.js";

export interface OpenRoomOptions extends LiveKitAccess {
  room: ConversationRoom;
  /**
   * Counts the runtimes of the conversation from 1. Each joins under an identity of its own and then puts the earlier
   * ones out, so that a caller's program, which may take a room without an agent for the end, is never alone in it.
   */
  attempt?: number;
  /** The earlier ones are put out when this resolves; at once where it is absent. */
  earlierDone?: Promise<void>;
  /** Whether the caller has been in the room before: its first token is spent. */
  hasCallerJoined?: boolean;
  /** Whether the caller is a participant of LiveKit SIP, who joins by answering, or by being answered. */
  isPhoneCall?: boolean;
  /** Of the agent's voice; a multiple of 100. */
  sampleRate: number;
  callbacks: RoomCallbacks;
  log: Logger;
  clock: Clock;
}

/**
 * How often the server is asked for the caller while the library knows of none in its seat. The server tells of
 * participants without a microphone every 3 s only, and whoever comes under the same identity meanwhile would be taken
 * for the caller.
 */
const LOOK_FOR_CALLER_MS = 500;

/** Where LiveKit SIP says how far a call is: `dialing`, `ringing`, `active`, `hangup`. */
const callStatusAttribute = "sip.callStatus";

/** A lost room is looked for so long before the conversation is told. */
const REJOIN_MS = 10_000;
const REJOIN_PAUSE_MS = 500;

/** What was said and told last may take so long to leave before the room is left. */
const FAREWELL_MS = 1000;
/** Before a room is deleted, the server passes on to the caller what has just left: it says of nothing when it did. */
const DELIVERY_MS = 300;

/**
 * Joins a conversation's room as its agent. Rejects where the server cannot be reached or does not let it in. What is
 * in the room already is told after this has resolved.
 */
export async function openRoom(options: OpenRoomOptions): Promise<Room> {
  const room = new LiveKitRoom(options);
  await room.open();
  return room;
}

class LiveKitRoom implements Room {
  readonly voice: VoiceQueue;
  readonly #options: OpenRoomOptions;
  readonly #server: LiveKitServer;
  readonly #native: LiveKitVoice;
  readonly #seat: CallerSeat;
  readonly #gate: ClientEventGate;
  readonly #early = new EarlyPackets();
  readonly #transcripts: TranscriptPublisher;
  /** Events wait for no change of state: the server confirms each of those before the next one. */
  readonly #events: Outbox;
  readonly #attributes: Outbox;
  readonly #identity: string;
  #connection: RoomConnection | null = null;
  #state: AgentState = "initializing";
  /** The phone line that rings, by its stay. */
  #ringing: string | null = null;
  /** A line or a caller may come and go without being told of; what is told says more, and may come late. */
  readonly #lineAbsence = new Absence();
  readonly #callerAbsence = new Absence();
  #isClosed = false;
  #isLooking = false;
  readonly #lineCheck: LineCheck;

  constructor(options: OpenRoomOptions) {
    const { room, log, clock, attempt = 1 } = options;
    this.#lineCheck = new LineCheck({ clock, isThere: () => this.#isLineThere(), onGone: () => this.#loseCaller() });
    this.#options = options;
    this.#server = openLiveKitServer(options);
    this.#native = new LiveKitVoice(options.sampleRate);
    this.voice = new VoiceQueue(this.#native, clock);
    this.#seat = new CallerSeat(options.hasCallerJoined ?? false);
    this.#gate = new ClientEventGate(clock);
    this.#identity = attempt === 1 ? room.agentIdentity : `${room.agentIdentity}.${attempt}`;
    this.#events = new Outbox((error) => log.warn({ err: error }, "an event did not reach the room"));
    this.#attributes = new Outbox((error) => {
      // Leaving gives up what is under way.
      if (!this.#isClosed) log.warn({ err: error }, "a state was not shown in the room");
    });
    this.#transcripts = new TranscriptPublisher({
      open: (speaker, attributes) =>
        this.#connected().openTranscript({
          senderIdentity: speaker === "caller" ? room.callerIdentity : this.#identity,
          toIdentity: room.callerIdentity,
          attributes,
        }),
      trackId: (speaker) =>
        (speaker === "caller" ? this.#connection?.microphoneTrackId() : this.#connection?.voiceTrackId()) ?? null,
      onFailed: (error) => log.warn({ err: error }, "a transcript did not reach the room"),
    });
  }

  async open(): Promise<void> {
    try {
      await this.#join();
    } catch (error) {
      await this.#native.close();
      throw error;
    }
  }

  setState(state: AgentState): void {
    this.#state = state;
    // Of several that wait, the last one is what is sent.
    this.#attributes.replace("state", () => this.#connected().setAttributes({ [agentStateAttribute]: this.#state }));
  }

  publishTranscript(segment: TranscriptSegment): void {
    if (!this.#isClosed) this.#transcripts.publish(segment);
  }

  sendEvent(event: AgentEvent): void {
    const packet = encodeAgentEvent(event);
    this.#events.add(() => this.#connected().sendData(agentEventTopic, packet, this.#options.room.callerIdentity));
  }

  async close({ deletesRoom }: { deletesRoom: boolean }): Promise<void> {
    if (this.#isClosed) return;
    const said = Promise.all([this.#transcripts.flush(), this.#events.flush()]);
    await Promise.race([said, this.#pause(FAREWELL_MS)]);
    if (deletesRoom) await this.#pause(DELIVERY_MS);
    this.#isClosed = true;
    this.#lineCheck.stop();
    this.voice.clear();
    await this.#connection?.leave();
    this.#connection = null;
    await this.#native.close();
    if (deletesRoom) await this.#server.deleteRoom(this.#options.room.name);
  }

  #connected(): RoomConnection {
    if (this.#connection === null) throw new Error("out of the room at the moment");
    return this.#connection;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(ms, resolve));
  }

  async #join(): Promise<void> {
    const { room, url } = this.#options;
    const token = await agentToken(this.#options, { room: room.name, identity: this.#identity });
    const connection = await joinLiveKitRoom({
      url,
      token,
      voice: this.#native,
      events: {
        onParticipantJoined: (participant) => this.#meet(participant),
        onParticipantChanged: (participant) => void this.#greet(participant),
        onParticipantLeft: (participant, departure) => this.#seeOff(participant, departure),
        onKey: ({ sid }, key) => {
          if (!this.#isClosed && this.#seat.isHeldBy(sid)) this.#options.callbacks.onLine?.({ type: "key", key });
        },
        onData: (participant, topic, payload) => this.#readPacket(participant, topic, payload),
        onAudio: (samples) => {
          if (!this.#isClosed && this.#seat.isTaken) this.#options.callbacks.onAudio(samples);
        },
        onReturned: () => this.#lineCheck.begin(),
        onLost: (loss) => this.#lose(loss),
      },
    });
    if (this.#isClosed) return await connection.leave();
    this.#connection = connection;
    this.#transcripts.reset();
    // Who called this has the room by then.
    setImmediate(() => {
      for (const participant of connection.participants()) this.#greet(participant);
      void this.#lookForCaller();
    });
    // A change of attributes is told to everybody at once, a participant that joined within seconds. So that there is
    // one, the token names no state.
    this.#attributes.add(async () => {
      await connection.setAttributes({ [agentStateAttribute]: this.#state });
      void this.#succeedAll(connection);
    });
  }

  async #succeedAll(connection: RoomConnection): Promise<void> {
    await this.#options.earlierDone;
    if (connection !== this.#connection) return;
    for (const participant of connection.participants()) this.#succeed(participant);
  }

  /** Puts an earlier runtime of this conversation out. */
  #succeed({ isAgent, identity }: Participant): void {
    if (isAgent && identity.startsWith(this.#options.room.agentIdentity)) this.#putOut(identity);
  }

  async #lookForCaller(): Promise<void> {
    const { room, log } = this.#options;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (!this.#isClosed && this.#connection !== null && !this.#isCallerKnown(this.#connection)) {
      try {
        const present = await this.#server.listParticipants(room.name);
        if (this.#lineAbsence.isGone(this.#ringing, present)) this.#loseLine("other");
        if (this.#callerAbsence.isGone(this.#seat.sid, present)) this.#leaveCaller();
        // Of a server that was killed, the next one lists who was there as long as there is a room: a stay that is over
        // goes on only where the library says so.
        for (const participant of present.filter(({ sid }) => !this.#seat.isOver(sid)))
          if (this.#greet(participant) === "refused") this.#putOut(participant.identity);
      } catch (error) {
        log.debug({ err: error }, "the server was not asked for the caller");
      }
      await this.#pause(LOOK_FOR_CALLER_MS);
    }
    this.#isLooking = false;
  }

  /** Whether the library has told of who sits in the seat: of one that leaves before, it tells nothing. */
  #isCallerKnown(connection: RoomConnection): boolean {
    return connection.participants().some(({ sid }) => this.#seat.isHeldBy(sid));
  }

  /** What is no phone line is always there as far as this knows: a caller may have no microphone. */
  async #isLineThere(): Promise<boolean> {
    const { room, isPhoneCall = false } = this.#options;
    if (!isPhoneCall || !this.#seat.isTaken) return true;
    const present = await this.#server.listParticipants(room.name);
    return present.some(({ sid, tracks }) => this.#seat.isHeldBy(sid) && tracks > 0);
  }

  /** Nobody says so, but the caller is gone. */
  #loseCaller(): void {
    if (this.#isClosed) return;
    this.#options.log.warn("a phone line did not come back to its room with its audio");
    this.#leaveCaller();
  }

  #loseLine(loss: LineLoss): void {
    if (this.#ringing === null) return;
    this.#ringing = null;
    this.#options.callbacks.onLine?.({ type: "lost", loss });
  }

  #meet(participant: Participant): void {
    this.#greet(participant);
    if (participant.isAgent) return;
    for (const { topic, payload } of this.#early.take(this.#options.clock.nowMs()))
      this.#readPacket(participant, topic, payload);
  }

  /** Whoever is refused here is put out once it has joined wholly: its library hangs where it is before. */
  #greet({ identity, sid, attributes }: Omit<ListedParticipant, "tracks">): "refused" | "known" {
    const { room, log, callbacks } = this.#options;
    if (this.#isClosed || this.#connection === null || identity !== room.callerIdentity) return "known";
    if (this.#seat.isHeldBy(sid)) {
      this.#connection.listenTo(sid);
      return "known";
    }
    if (this.#options.isPhoneCall === true && attributes[callStatusAttribute] !== "active") {
      // LiveKit SIP answers a call that comes in once somebody listens to it.
      this.#connection.listenTo(sid);
      this.#ringing = sid;
      callbacks.onLine?.({ type: "seen" });
      return "known";
    }
    const { isAdmitted, mark } = this.#seat.arrive({ sid, attributes });
    if (!isAdmitted) {
      void this.#lookForCaller();
      return "refused";
    }
    if (mark)
      this.#spendToken(identity, sid).catch((error: unknown) =>
        log.warn({ err: error }, "a caller's token could not be marked as spent"),
      );
    this.#connection.listenTo(sid);
    this.#ringing = null;
    if (this.#options.isPhoneCall === true) callbacks.onLine?.({ type: "answered" });
    callbacks.onCallerJoined();
    return "known";
  }

  /** The server marks an identity: whoever has it by then must be the one that was let in. */
  async #spendToken(identity: string, sid: string): Promise<void> {
    const { name } = this.#options.room;
    await this.#server.updateParticipantAttributes(name, identity, { [joinedAttribute]: "1" });
    const marked = (await this.#server.listParticipants(name)).find((participant) => participant.identity === identity);
    if (marked === undefined || marked.sid === sid) return;
    this.#seat.refuse(marked.sid);
    this.#putOut(identity);
  }

  #seeOff({ identity, sid }: Participant, departure: Departure): void {
    const { callbacks, room } = this.#options;
    if (this.#isClosed || identity !== room.callerIdentity) return;
    if (!this.#seat.leave(sid)) {
      if (this.#ringing === sid) this.#loseLine(departure === "own-wish" ? "other" : departure);
      return;
    }
    this.#connection?.listenTo(null);
    callbacks.onCallerLeft(departure === "own-wish");
    void this.#lookForCaller();
  }

  #readPacket(sender: Participant | null, topic: string, payload: Uint8Array): void {
    if (sender === null) {
      this.#early.hold({ topic, payload }, this.#options.clock.nowMs());
      return;
    }
    const { identity, sid } = sender;
    if (this.#isClosed || !this.#seat.isHeldBy(sid)) return;
    const verdict = this.#gate.judge(topic, payload);
    if (verdict.type === "event") this.#options.callbacks.onClientEvent(verdict.event);
    if (verdict.type !== "flood") return;
    this.#options.log.warn("a caller that floods the room with packets is put out");
    this.#putOut(identity);
  }

  #putOut(identity: string): void {
    this.#server
      .removeParticipant(this.#options.room.name, identity)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, "a participant could not be put out"));
  }

  #lose(loss: RoomLoss): void {
    if (this.#isClosed) return;
    this.#connection
      ?.leave()
      .catch((error: unknown) => this.#options.log.warn({ err: error }, "a room that was lost could not be left"));
    this.#connection = null;
    if (loss !== "broken") {
      this.#giveUp(loss === "ended" ? "closed" : "replaced");
      return;
    }
    this.#options.log.warn("the room is lost; looking for it");
    this.#leaveCaller();
    void this.#rejoin(this.#options.clock.nowMs() + REJOIN_MS);
  }

  /** A room that this side is not in: the caller is told as away, and as back once it is seen again. */
  #leaveCaller(): void {
    if (this.#seat.vacate()) this.#options.callbacks.onCallerLeft(false);
  }

  async #rejoin(untilMs: number): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#join();
        this.#lineCheck.begin();
        return;
      } catch (error) {
        if (this.#options.clock.nowMs() + REJOIN_PAUSE_MS >= untilMs) {
          this.#options.log.warn({ err: error }, "the room was not found again");
          this.#giveUp("closed");
          return;
        }
        await this.#pause(REJOIN_PAUSE_MS);
      }
    }
  }

  #giveUp(reason: "closed" | "replaced"): void {
    if (this.#isClosed) return;
    this.#leaveCaller();
    this.#options.callbacks.onLost(reason);
  }
}
