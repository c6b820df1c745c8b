import { AccessToken, ParticipantInfo_State, RoomServiceClient, TrackSource } from "livekit-server-sdk";
import { askLiveKit, unlessMissing } from "./livekit-error.js";
import { httpUrl } from "./reachability.js";

/** A LiveKit server or LiveKit Cloud, and what it knows us by. */
export interface LiveKitAccess {
  /** `ws://`, `wss://`, `http://` or `https://`. */
  url: string;
  apiKey: string;
  apiSecret: string;
}

/** Rooms as whoever has the key sees them. Every call rejects with LiveKitError. */
export interface LiveKitServer {
  /** Makes a room, or leaves the one of that name as it is. */
  createRoom(room: RoomSettings): Promise<void>;
  /** Names of all rooms. */
  listRooms(): Promise<string[]>;
  /** Ends a room for everybody in it; nothing happens where there is none. */
  deleteRoom(name: string): Promise<void>;
  /** Puts one participant out; nothing happens where it is not in. Its tokens stay valid: it may join again. */
  removeParticipant(room: string, identity: string): Promise<void>;
  /**
   * Sets these attributes of a participant, which the server writes into the tokens that it sends to it from then on;
   * an empty value removes one. Nothing happens where it is not in.
   */
  updateParticipantAttributes(room: string, identity: string, attributes: Record<string, string>): Promise<void>;
  /** Who is in a room, and connected to it; empty where there is none. */
  listParticipants(room: string): Promise<ListedParticipant[]>;
}

export interface ListedParticipant {
  /** Of one stay in the room. */
  sid: string;
  identity: string;
  attributes: Record<string, string>;
  /** How many it has published. */
  tracks: number;
}

export interface RoomSettings {
  name: string;
  /** How long the room stays while nobody has joined. Agents do not count. */
  emptySeconds: number;
  /** Most participants at once, the agent among them. */
  maxParticipants: number;
  /** How long it stays after the last one left, so that whoever lost the network comes back to it. */
  departureSeconds: number;
}

/** Seconds that the server may take to answer. */
const ANSWER_SECONDS = 5;

/** Calls of the server's room service. Opens no connection: every call is a request of its own. */
export function openLiveKitServer(access: LiveKitAccess): LiveKitServer {
  const client = new RoomServiceClient(httpUrl(access.url), access.apiKey, access.apiSecret, {
    requestTimeout: ANSWER_SECONDS,
  });
  return {
    async createRoom({ name, emptySeconds, departureSeconds, maxParticipants }) {
      await askLiveKit("createRoom", () =>
        client.createRoom({ name, emptyTimeout: emptySeconds, departureTimeout: departureSeconds, maxParticipants }),
      );
    },
    listRooms: () => askLiveKit("listRooms", async () => (await client.listRooms()).map(({ name }) => name)),
    deleteRoom: (name) => unlessMissing("deleteRoom", undefined, () => client.deleteRoom(name)),
    removeParticipant: (room, identity) =>
      unlessMissing("removeParticipant", undefined, () => client.removeParticipant(room, identity)),
    updateParticipantAttributes: (room, identity, attributes) =>
      unlessMissing("updateParticipant", undefined, async () => {
        await client.updateParticipant(room, identity, { attributes });
      }),
    listParticipants: (room) =>
      unlessMissing("listParticipants", [], async () =>
        (await client.listParticipants(room))
          .filter(({ state }) => state === ParticipantInfo_State.ACTIVE)
          .map(({ sid, identity, attributes, tracks }) => ({ sid, identity, attributes, tracks: tracks.length })),
      ),
  };
}

/**
 * A caller's token: it joins this one room, publishes a microphone and data, hears the others, and changes neither its
 * name nor its attributes. The server takes it until `expiresAtEpochMs` (milliseconds since 1970), and sends whoever is
 * in the room newer ones to come back with.
 */
export function callerToken(
  access: LiveKitAccess,
  caller: { room: string; identity: string; expiresAtEpochMs: number },
): Promise<string> {
  const token = new AccessToken(access.apiKey, access.apiSecret, {
    identity: caller.identity,
    ttl: Math.max(1, Math.ceil((caller.expiresAtEpochMs - Date.now()) / 1000)),
  });
  token.addGrant({
    roomJoin: true,
    room: caller.room,
    canPublish: true,
    canPublishSources: [TrackSource.MICROPHONE],
    canSubscribe: true,
    canPublishData: true,
    canUpdateOwnMetadata: false,
  });
  return token.toJwt();
}

/** Long enough to join with; whoever is in the room is sent newer ones. */
const AGENT_TOKEN_SECONDS = 600;

/**
 * An agent's token: it publishes a voice and data, sets its own attributes, and may publish what a caller says in the
 * caller's name, which the server allows to participants of the kind `agent` alone.
 */
export function agentToken(access: LiveKitAccess, agent: { room: string; identity: string }): Promise<string> {
  const token = new AccessToken(access.apiKey, access.apiSecret, {
    identity: agent.identity,
    ttl: AGENT_TOKEN_SECONDS,
  });
  token.kind = "agent";
  token.addGrant({
    roomJoin: true,
    room: agent.room,
    canPublish: true,
    canPublishSources: [TrackSource.MICROPHONE],
    canSubscribe: true,
    canPublishData: true,
    canUpdateOwnMetadata: true,
  });
  return token.toJwt();
}
