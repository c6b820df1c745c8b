import type { z } from "zod";
import { agentEvent, clientEvent } from "#protocol/agents/events";
import { agentEventTopic, clientEventTopic } from "#protocol/agents/room-topics";
import {
  elevenLabsMultiStreamInput,
  elevenLabsStreamInput,
  multiSpeechInputFrames,
  speechInputFrames,
} from "#protocol/compat/elevenlabs-socket";
import { elevenLabsMount } from "#protocol/compat/elevenlabs-speech";
import {
  elevenLabsRealtimeTranscription,
  realtimeTranscriptionEvents,
} from "#protocol/compat/elevenlabs-transcription";
import { openAiRealtime, openAiRealtimeServerEvents } from "#protocol/compat/openai-realtime";
import { openAiMounts } from "#protocol/compat/openai-speech";
import type { CompatOperation } from "#protocol/compat/parameter";
import { liveSpeech } from "#protocol/operations/speech";
import { liveClientEvent, liveServerEvents } from "#protocol/speech/live";
import { speechRequest } from "#protocol/speech/request";
import { webhookPayload } from "#protocol/webhooks";
import { type JsonSchema, requestSchema, responseSchema } from "./schemas.js";

/** One kind of message of a channel. */
export interface ChannelMessage {
  name: string;
  summary: string;
  contentType: string;
  payload: JsonSchema;
}

/** Where messages go to and fro: a socket, a topic of a room, or the address of a webhook. */
export interface EventChannel {
  id: string;
  title: string;
  /** Null where the receiver says it. */
  address: string | null;
  description: string;
  /** Of the upgrade; null for what is no socket. */
  query: JsonSchema | null;
  /** What clients send. */
  toService: ChannelMessage[];
  /** What clients are sent. */
  fromService: ChannelMessage[];
}

/** Everything that is no answer to a request, from the declarations that check and make the messages. */
export function eventChannels(): EventChannel[] {
  return [liveChannel(), ...compatChannels(), roomChannel(), webhookChannel()];
}

const msgpack = "application/msgpack";
const json = "application/json";

function liveChannel(): EventChannel {
  const events = messagesOf(liveClientEvent, "event", msgpack, requestSchema);
  for (const { name, payload } of events)
    if (name === "start") (payload["properties"] as JsonSchema)["request"] = requestSchema(speechRequest);
  return {
    id: "liveSpeech",
    title: "Live speech",
    address: liveSpeech.path,
    description: liveSpeech.description,
    query: requestSchema(liveSpeech.query),
    toService: events,
    fromService: schemaMessages(liveServerEvents, msgpack),
  };
}

function compatChannels(): EventChannel[] {
  const input = (
    id: string,
    title: string,
    operation: CompatOperation,
    frames: Readonly<Record<string, z.ZodType>>,
  ): EventChannel =>
    compatChannel(id, title, `${elevenLabsMount}${operation.path}`, operation, {
      toService: [frameOf(operation)],
      fromService: schemaMessages(frames, json),
    });
  return [
    compatChannel("openAiRealtime", "Realtime (OpenAI)", `${openAiMounts[0]}${openAiRealtime.path}`, openAiRealtime, {
      toService: openAiRealtime.parameters
        .filter(({ place, treatment }) => place === "frame" && treatment !== "refused")
        .map(({ name, note }) => typedMessage("type", name, note)),
      fromService: namedEvents("type", openAiRealtimeServerEvents),
    }),
    input("elevenLabsStreamInput", "Stream input (ElevenLabs)", elevenLabsStreamInput, speechInputFrames),
    input(
      "elevenLabsMultiStreamInput",
      "Several texts (ElevenLabs)",
      elevenLabsMultiStreamInput,
      multiSpeechInputFrames,
    ),
    compatChannel(
      "elevenLabsRealtimeTranscription",
      "Realtime transcription (ElevenLabs)",
      `${elevenLabsMount}${elevenLabsRealtimeTranscription.path}`,
      elevenLabsRealtimeTranscription,
      {
        toService: [frameOf(elevenLabsRealtimeTranscription)],
        fromService: namedEvents("message_type", realtimeTranscriptionEvents),
      },
    ),
  ];
}

function compatChannel(
  id: string,
  title: string,
  address: string,
  operation: CompatOperation,
  messages: Pick<EventChannel, "toService" | "fromService">,
): EventChannel {
  return { id, title, address, description: operation.summary, query: rowsSchema(operation, "query"), ...messages };
}

function roomChannel(): EventChannel {
  return {
    id: "room",
    title: "Events of a call",
    address: null,
    description:
      `Data packets of the call's room, one JSON object each: from the agent under the topic ${agentEventTopic}, to it ` +
      `under ${clientEventTopic}.`,
    query: null,
    toService: messagesOf(clientEvent, "type", json, requestSchema),
    fromService: messagesOf(agentEvent, "type", json, responseSchema),
  };
}

function webhookChannel(): EventChannel {
  return {
    id: "webhooks",
    title: "Webhooks",
    address: null,
    description:
      "A POST to each address in an agent's webhooks.post_call, in this order, at least once. Answer 2xx within ten seconds.",
    query: null,
    toService: [],
    fromService: messagesOf(webhookPayload, "event", json, responseSchema),
  };
}

/** One message for each member of a union that a field tells apart. */
function messagesOf(
  union: z.ZodType,
  field: string,
  contentType: string,
  schemaOf: (schema: z.ZodType) => JsonSchema,
): ChannelMessage[] {
  const members = (schemaOf(union)["oneOf"] ?? []) as { properties: Record<string, JsonSchema> }[];
  return members.map((payload) => ({
    name: String(payload.properties[field]?.["const"]),
    summary: "",
    contentType,
    payload: payload as unknown as JsonSchema,
  }));
}

/** One message of the service for each schema. */
const schemaMessages = (schemas: Readonly<Record<string, z.ZodType>>, contentType: string): ChannelMessage[] =>
  Object.entries(schemas).map(([name, schema]) => ({
    name,
    summary: "",
    contentType,
    payload: responseSchema(schema),
  }));

const namedEvents = (field: string, events: Readonly<Record<string, string>>): ChannelMessage[] =>
  Object.entries(events).map(([name, summary]) => typedMessage(field, name, summary));

/** A message that its type alone describes; what else is in it is the other vendor's. */
function typedMessage(field: string, name: string, summary: string): ChannelMessage {
  const payload = { type: "object", properties: { [field]: { const: name } }, required: [field] };
  return { name, summary, contentType: json, payload };
}

/** The one kind of frame of a socket whose frames have no type. */
function frameOf(operation: CompatOperation): ChannelMessage {
  return { name: "frame", summary: "", contentType: json, payload: rowsSchema(operation, "frame") };
}

function rowsSchema({ parameters }: CompatOperation, place: "query" | "frame"): JsonSchema {
  const rows = parameters.filter((row) => row.place === place);
  const properties = rows.map(({ name, note, treatment, example }) => [
    name,
    {
      description: treatment === "mapped" ? note : `${treatment === "ignored" ? "Ignored" : "Refused"}: ${note}`,
      examples: [example],
    },
  ]);
  return { type: "object", properties: Object.fromEntries(properties) };
}
