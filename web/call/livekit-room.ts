import {
  DisconnectReason,
  type RemoteParticipant,
  Room,
  RoomEvent,
  type TextStreamReader,
  Track,
} from "livekit-client";
import {
  agentEventTopic,
  agentStateAttribute,
  clientEventTopic,
  transcriptAttributes,
  transcriptionTopic,
} from "#protocol/agents/room-topics";
import type { CallRoom, CallRoomCallbacks, JoinRoom } from "./room.js";

/** Joins a LiveKit room. The one file that knows LiveKit's client: it is large, and loaded when a call begins. */
export const joinLiveKitRoom: JoinRoom = async ({ url, token, callbacks }) => {
  const room = new Room();
  const stay = { isOver: false };
  listen(room, callbacks, stay);
  try {
    await room.connect(url, token);
  } catch (error) {
    stay.isOver = true;
    await room.disconnect();
    throw error;
  }
  tellAgentState(room, callbacks);
  return roomOf(room, stay);
};

/** Passes on what happens in the room until the stay is over. */
function listen(room: Room, callbacks: CallRoomCallbacks, stay: { isOver: boolean }): void {
  const whileHere =
    <Values extends unknown[]>(run: (...values: Values) => void) =>
    (...values: Values): void => {
      if (!stay.isOver) run(...values);
    };
  const tell = whileHere(() => tellAgentState(room, callbacks));
  room
    .on(RoomEvent.ParticipantConnected, tell)
    .on(RoomEvent.ParticipantDisconnected, tell)
    .on(RoomEvent.ParticipantAttributesChanged, tell)
    .on(RoomEvent.Reconnected, tell)
    .on(
      RoomEvent.Reconnecting,
      whileHere(() => callbacks.onAgentState(null)),
    )
    .on(RoomEvent.TrackSubscribed, (track) => {
      if (track.kind === Track.Kind.Audio) track.attach();
    })
    .on(RoomEvent.TrackUnsubscribed, (track) => {
      for (const element of track.detach()) element.remove();
    })
    .on(
      RoomEvent.DataReceived,
      whileHere((packet, _participant, _kind, topic) => {
        if (topic === agentEventTopic) callbacks.onAgentPacket(packet);
      }),
    )
    .on(
      RoomEvent.Disconnected,
      whileHere((reason) => {
        stay.isOver = true;
        callbacks.onGone(isEnd(reason) ? "ended" : "lost");
      }),
    );
  playAudio(room, stay);
  room.registerTextStreamHandler(transcriptionTopic, (reader, { identity }) => {
    const isOwn = identity === room.localParticipant.identity;
    const emit = whileHere(callbacks.onCaption);
    (isOwn ? readWhole(reader, emit) : readGrowing(reader, emit)).catch(() => {
      // Whoever wrote it is gone in the middle: what came of it has been shown.
    });
  });
}

/** A click lets a page play audio. Where a call began without one, the next click or key does. */
function playAudio(room: Room, stay: { isOver: boolean }): void {
  const gestures = ["pointerdown", "keydown"] as const;
  const play = (): void => {
    for (const gesture of gestures) window.removeEventListener(gesture, play, true);
    // Refused again, it tells of it again.
    if (!stay.isOver) room.startAudio().catch(() => undefined);
  };
  room.on(RoomEvent.AudioPlaybackStatusChanged, () => {
    if (room.canPlaybackAudio || stay.isOver) return;
    for (const gesture of gestures) window.addEventListener(gesture, play, true);
  });
}

/** The server deletes a room, or puts its last participants out, when the agent's side has ended the session. */
function isEnd(reason: DisconnectReason | undefined): boolean {
  const ends = [DisconnectReason.ROOM_DELETED, DisconnectReason.PARTICIPANT_REMOVED, DisconnectReason.ROOM_CLOSED];
  return reason !== undefined && ends.includes(reason);
}

/** An agent that takes a conversation over joins beside the earlier one: the last that came speaks. */
function tellAgentState(room: Room, callbacks: CallRoomCallbacks): void {
  const stateOf = ({ attributes }: RemoteParticipant): string | undefined => attributes[agentStateAttribute];
  const agents = [...room.remoteParticipants.values()].filter((other) => other.isAgent || stateOf(other) !== undefined);
  const last = agents.at(-1);
  callbacks.onAgentState(last === undefined ? null : (stateOf(last) ?? null));
}

/** Each change of what the caller says is a stream of its own, with the whole text. */
async function readWhole(reader: TextStreamReader, emit: CallRoomCallbacks["onCaption"]): Promise<void> {
  const { id, isFinal } = describe(reader);
  emit({ id, speaker: "user", text: await reader.readAll(), isFinal });
}

/** An utterance of the agent is one stream that grows as it is heard; its end is the last word. */
async function readGrowing(reader: TextStreamReader, emit: CallRoomCallbacks["onCaption"]): Promise<void> {
  const { id } = describe(reader);
  let text = "";
  try {
    for await (const added of reader) {
      text += added;
      emit({ id, speaker: "agent", text, isFinal: false });
    }
  } finally {
    if (text !== "") emit({ id, speaker: "agent", text, isFinal: true });
  }
}

function describe({ info }: TextStreamReader): { id: string; isFinal: boolean } {
  const { [transcriptAttributes.segmentId]: id = info.id, [transcriptAttributes.isFinal]: isFinal } =
    info.attributes ?? {};
  return { id, isFinal: isFinal === "true" };
}

function roomOf(room: Room, stay: { isOver: boolean }): CallRoom {
  const { localParticipant: own } = room;
  return {
    async publishMicrophone(track) {
      await own.publishTrack(track, { source: Track.Source.Microphone });
    },
    async setMuted(isMuted) {
      const { track } = own.getTrackPublication(Track.Source.Microphone) ?? {};
      await (isMuted ? track?.mute() : track?.unmute());
    },
    send: (packet) => own.publishData(packet, { reliable: true, topic: clientEventTopic }),
    async leave() {
      stay.isOver = true;
      await room.disconnect();
    },
  };
}
