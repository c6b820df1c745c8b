import { z } from "zod";
import type { Principal } from "#protocol/bus/control";
import type { OpenAiRealtimeServerEvent } from "#protocol/compat/openai-realtime";
import { ServiceError } from "#protocol/errors";
import { limits } from "#protocol/limit-table";
import { frameLimits } from "#protocol/limits";
import { audioFields } from "#protocol/speech/request";
import { newIdentifier } from "#common/identifier";
import { closeCodes } from "../../../http/close-codes.js";
import type { SocketConnection, SocketSession } from "../../../http/exchange.js";
import { FrameDecoder } from "../../../http/frame-decoder.js";
import type { Caller } from "../../../speech/caller.js";
import type { SpeechContext } from "../../../speech/context.js";
import type { SocketAudioBudget } from "../../../transcription/socket-audio-budget.js";
import type { AudioCommit } from "../../commit-buffer.js";
import type { TurnSettings } from "../../socket-transcription.js";
import { errorMessage } from "../../error-answer.js";
import { openAiVoice } from "../../voice-alias.js";
import { Conversation, type ConversationItem, describeItem, newItemId } from "./conversation.js";
import { InputBuffer } from "./input-buffer.js";
import { realtimeError, realtimeErrorBody } from "./realtime-error.js";
import { RealtimeResponse } from "./response.js";
import { describeSession, initialSettings, type SessionSettings, updateSettings } from "./session-settings.js";
import type { AudioTranscript, TranscribeTurn } from "../../transcribe-audio.js";

const clientEvent = z.looseObject({ type: z.string().max(200), event_id: z.string().max(512).nullish() });
type ClientEvent = z.infer<typeof clientEvent>;

/** Who speaks on a session, with the model as the client named it. */
export interface RealtimeSpeaker {
  caller: Caller;
  model: string;
}

export interface RealtimeSessionOptions {
  context: SpeechContext;
  principal: Principal;
  /** Null on a session that only transcribes. */
  speaker: RealtimeSpeaker | null;
  connection: SocketConnection;
  /** Native fields from the upgrade's headers and the like. */
  native: Record<string, unknown>;
  transcribe: TranscribeTurn;
  audioBudget: SocketAudioBudget;
}

/**
 * One realtime socket (docs/protocol.md "Realtime"): items of text are spoken by `response.create`, committed audio is
 * written down. No language model answers: what is spoken is what the client wrote. A client's mistake is an `error`
 * event, and the session goes on.
 */
export class RealtimeSession implements SocketSession {
  readonly #options: RealtimeSessionOptions;
  readonly #id = `sess_${newIdentifier()}`;
  readonly #frames: FrameDecoder;
  readonly #conversation = new Conversation();
  readonly #input: InputBuffer;
  readonly #gone = new AbortController();
  readonly #cancelLimit: () => void;
  #settings: SessionSettings;
  #response: RealtimeResponse | null = null;
  #release: (() => void) | null = null;

  constructor(options: RealtimeSessionOptions) {
    this.#options = options;
    this.#input = new InputBuffer({
      budget: options.audioBudget,
      transcribe: options.transcribe,
      // What cannot be committed is not recognized early.
      settings: () => (this.#isForSpeechOnly() ? null : this.#turnSettings()),
    });
    this.#settings = initialSettings(options.speaker === null ? "transcription" : "realtime");
    this.#frames = new FrameDecoder({
      encoding: "json",
      fileFields: audioFields,
      maxFrameBytes: frameLimits.audio,
      onFrame: (value) => this.#receive(value),
      onError: (error) =>
        this.#refuse(
          error.code === "malformed_json" ? realtimeError("invalid_event", "The event is not JSON") : error,
          null,
        ),
    });
    this.#cancelLimit = options.context.clock.after(limits.sessionSeconds.most * 1000, () =>
      options.connection.close(closeCodes.normal, "The session has lasted for an hour"),
    );
    try {
      this.#release = options.context.teamSlots.take(options.principal);
    } catch (error) {
      this.#refuse(error, null);
      options.connection.close(closeCodes.policy, "Too many requests at once");
      return;
    }
    options.context.watchKey(options.principal, options.connection.closed, (error) => {
      this.#refuse(error, null);
      options.connection.close(closeCodes.policy, errorMessage(error));
    });
    // Clients of a transcription session wait for one name or the other.
    if (options.speaker === null) this.#send("transcription_session.created", { session: this.#session() });
    this.#send("session.created", { session: this.#session() });
  }

  message(data: Uint8Array, isBinary: boolean): void {
    if (isBinary)
      this.#frames.afterFrames(() => this.#refuse(realtimeError("invalid_event", "Events are JSON text"), null));
    else this.#frames.push(data);
  }

  #receive(value: unknown): void {
    const event = clientEvent.safeParse(value).data;
    try {
      if (event === undefined) throw realtimeError("invalid_event", "An event is an object with a type", "type");
      this.#handle(event);
    } catch (error) {
      this.#refuse(error, event?.event_id ?? null);
    }
  }

  end(): void {
    this.#frames.stop();
    this.#cancelLimit();
    this.#release?.();
    this.#gone.abort();
    this.#response?.drop();
    this.#input.close();
  }

  #handle(event: ClientEvent): void {
    switch (event.type) {
      case "session.update":
        return this.#update(event["session"], "session.updated");
      case "transcription_session.update":
        return this.#update(
          { ...(event["session"] as object), type: "transcription" },
          "transcription_session.updated",
        );
      case "conversation.item.create":
        return this.#createItem(event["item"]);
      case "conversation.item.delete":
        return this.#deleteItem(event["item_id"]);
      case "conversation.item.truncate":
        return;
      case "response.create":
        return this.#respond(event["response"]);
      case "response.cancel":
        return this.#cancelResponse();
      case "input_audio_buffer.append":
        return this.#input.append(event["audio"]);
      case "input_audio_buffer.clear":
        this.#input.clear();
        this.#send("input_audio_buffer.cleared", {});
        return;
      case "input_audio_buffer.commit":
        return this.#commit();
      default:
        throw realtimeError("unknown_event_type", "This type of event is not known here", "type");
    }
  }

  #update(session: unknown, answer: OpenAiRealtimeServerEvent): void {
    const settings = updateSettings(this.#settings, session);
    if (settings.type === "realtime") this.#speaker("session.type");
    this.#settings = settings;
    this.#send(answer, { session: this.#session() });
  }

  #createItem(value: unknown): void {
    const previous = this.#conversation.lastId;
    this.#announce(describeItem(this.#conversation.create(value)), previous);
  }

  #announce(item: Record<string, unknown>, previous: string | null): void {
    for (const type of ["conversation.item.added", "conversation.item.done"] as const)
      this.#send(type, { previous_item_id: previous, item });
  }

  #deleteItem(id: unknown): void {
    if (typeof id !== "string" || !this.#conversation.delete(id))
      throw realtimeError("item_not_found", "There is no such item", "item_id");
    this.#send("conversation.item.deleted", { item_id: id });
  }

  /** Throws on a session that only transcribes: its key need not be one that may speak. */
  #speaker(parameter: string): RealtimeSpeaker {
    const { speaker } = this.#options;
    if (speaker === null)
      throw realtimeError(
        "invalid_session_type",
        "A session with intent=transcription does not speak: open another one without it",
        parameter,
      );
    return speaker;
  }

  #respond(asked: unknown): void {
    const { caller } = this.#speaker("type");
    if (this.#response !== null)
      throw realtimeError("response_already_active", "A response is being spoken; wait for it or cancel it");
    const settings = updateSettings(this.#settings, asked ?? {});
    const text = inputOf(asked) ?? this.#conversation.takeUnspoken();
    const { context, native } = this.#options;
    const voice = openAiVoice(context.config, settings.voice ?? undefined);
    const request = {
      ...native,
      text,
      latency: "low" as const,
      format: settings.output.format,
      sample_rate: settings.output.rate,
      prosody: { speed: settings.speed },
      ...(voice === undefined ? {} : { reference_id: voice }),
    };
    const response: RealtimeResponse = new RealtimeResponse({
      context,
      caller,
      request,
      send: (type, fields) => this.#sendHeld(type, fields),
      onOver: () => {
        this.#response = null;
      },
    });
    this.#response = response;
    void response.run();
  }

  #cancelResponse(): void {
    if (this.#response === null) throw realtimeError("response_cancel_not_active", "Nothing is being spoken");
    this.#response.cancel();
  }

  /** The audio so far becomes an item; its words follow in the order of the commits. */
  #commit(): void {
    if (this.#isForSpeechOnly()) {
      throw realtimeError(
        "unsupported_native_options",
        "Native options apply to speech only: open another socket for transcription",
      );
    }
    const settings = this.#turnSettings();
    const commit = this.#input.commit(this.#settings.input);
    const previous = this.#conversation.lastId;
    const item: ConversationItem = { id: newItemId(), role: "user", text: "", isSpoken: true };
    try {
      this.#conversation.add(item);
    } catch (error) {
      commit.requeue();
      throw error;
    }
    this.#send("input_audio_buffer.committed", { item_id: item.id, previous_item_id: previous });
    this.#announce(describeItem(item, { content: [{ type: "input_audio", transcript: null }] }), previous);
    this.#transcribe(item.id, commit, settings);
  }

  /** A session that was opened with options of speech. */
  #isForSpeechOnly(): boolean {
    return Object.keys(this.#options.native).length > 0;
  }

  #turnSettings(): TurnSettings {
    const { input, language, keyterms } = this.#settings;
    return { sampleRate: input.format === "pcm" ? input.rate : null, language, keyterms };
  }

  /**
   * Sends the transcript as it becomes final. When it fails, the audio stands in the buffer again, before what has been
   * appended since, and the client may commit once more.
   */
  #transcribe(itemId: string, commit: AudioCommit, settings: TurnSettings): void {
    const place = { item_id: itemId, content_index: 0 };
    const type = "conversation.item.input_audio_transcription";
    const answer = async (transcript: Promise<AudioTranscript>): Promise<void> => {
      try {
        const { text, seconds } = await transcript;
        commit.done();
        this.#send(`${type}.completed`, { ...place, transcript: text, usage: { type: "duration", seconds } });
      } catch (error) {
        commit.requeue();
        const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
        this.#send(`${type}.failed`, { ...place, error: realtimeErrorBody(known) });
      }
    };
    this.#input.transcribe(commit, settings, {
      answer,
      onText: (delta) => this.#send(`${type}.delta`, { ...place, delta }),
    });
  }

  #session(): Record<string, unknown> {
    return describeSession(this.#settings, { id: this.#id, model: this.#options.speaker?.model ?? "" });
  }

  #refuse(error: unknown, eventId: string | null): void {
    const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
    if (known.code === "internal") this.#options.context.log.error({ err: error }, "a realtime session failed");
    this.#send("error", { error: { ...realtimeErrorBody(known), event_id: eventId } });
  }

  #send(type: OpenAiRealtimeServerEvent, fields: Record<string, unknown>): boolean {
    if (this.#gone.signal.aborted) return true;
    return this.#options.connection.send(JSON.stringify({ type, event_id: `event_${newIdentifier()}`, ...fields }));
  }

  async #sendHeld(type: OpenAiRealtimeServerEvent, fields: Record<string, unknown>): Promise<void> {
    if (!this.#send(type, fields)) await this.#options.connection.writable();
  }
}

const responseInput = z.object({
  input: z.array(z.object({ content: z.array(z.object({ text: z.string().nullish() })).nullish() })).nullish(),
});

/** The text that a `response.create` brings along, which goes before the conversation's; null when it brings none. */
function inputOf(asked: unknown): string | null {
  const parsed = responseInput.safeParse(asked);
  const items = parsed.success ? (parsed.data.input ?? null) : null;
  return items === null
    ? null
    : items
        .flatMap((item) => item.content ?? [])
        .map((part) => part.text ?? "")
        .join("");
}
