import { elevenLabsMultiStreamInput, elevenLabsStreamInput } from "#protocol/compat/elevenlabs-socket";
import { elevenLabsMount } from "#protocol/compat/elevenlabs-speech";
import { ServiceError } from "#protocol/errors";
import { limits } from "#protocol/limit-table";
import { frameLimits } from "#protocol/limits";
import { decodeBodyHere } from "#common/http/body-encoding";
import type { HttpRequest, SocketConnection, SocketRoute, SocketSession } from "../../http/exchange.js";
import { closeCodeOf, closeCodes } from "../../http/close-codes.js";
import { FrameDecoder } from "../../http/frame-decoder.js";
import { validate } from "../../http/validation.js";
import { admitSpeaker, admitToModel, type Caller } from "../../speech/caller.js";
import type { SpeechContext } from "../../speech/context.js";
import { errorMessage } from "../error-answer.js";
import { withBearer } from "./credentials.js";
import { elevenLabsHttpStatus } from "./error-status.js";
import { type InputFrame, inputFrame, keyOf } from "./input-frame.js";
import { type OutputFormat, readOutputFormat } from "./output-format.js";
import { SpeechInput } from "./speech-input.js";
import { speechSettings } from "./speech-request.js";

/**
 * `stream-input` (docs/protocol.md "stream-input"), and with `isMulti` its form with several contexts on one socket.
 */
export function inputSocketRoute(context: SpeechContext, isMulti: boolean): SocketRoute {
  return {
    path: `${elevenLabsMount}${(isMulti ? elevenLabsMultiStreamInput : elevenLabsStreamInput).path}`,
    maxFrameBytes: frameLimits.text,
    async upgrade(request) {
      const query = new URLSearchParams(request.query);
      const format = formatOf(query.get("output_format"), isMulti);
      const asked = withBearer(request, query.get("xi_api_key") ?? undefined);
      // A key in the head is checked before the upgrade, so that a wrong one is an HTTP error; without one the first
      // frame must bring it.
      const hasKey = asked.header("authorization") !== undefined;
      if (!hasKey) context.unauthenticatedSockets.check(request.remoteAddress);
      const caller = hasKey ? await callerOf(asked, query, context) : null;
      return (connection) => new InputSocket({ context, request, query, format, caller, connection, isMulti });
    },
  };
}

/**
 * On `stream-input` the 22.05 kHz family is refused within the session, everything else that cannot be given before it.
 * `multi-stream-input` refuses all of it before: its clients wait for frames of a context and overlook one about the
 * socket.
 */
function formatOf(name: string | null, isMulti: boolean): OutputFormat | ServiceError {
  try {
    return readOutputFormat(name);
  } catch (error) {
    if (!isMulti && error instanceof ServiceError && /^(mp3|pcm|wav)_22050/.test(name ?? "")) return error;
    throw error;
  }
}

async function callerOf(request: HttpRequest, query: URLSearchParams, context: SpeechContext): Promise<Caller> {
  const arrivedAtMs = context.clock.nowMs();
  const principal = await admitSpeaker(request, context);
  const { model } = speechSettings({
    voiceId: "",
    modelId: query.get("model_id"),
    settings: null,
    format: readOutputFormat(null),
    config: context.config,
  });
  return admitToModel({ principal, model, trace: request.trace, arrivedAtMs, context });
}

interface InputSocketOptions {
  context: SpeechContext;
  request: HttpRequest;
  query: URLSearchParams;
  format: OutputFormat | ServiceError;
  caller: Caller | null;
  connection: SocketConnection;
  isMulti: boolean;
}

/** A context under way. */
interface OpenContext {
  input: SpeechInput;
  /** Gives back its place among the team's streams, where it holds one of its own. */
  release(): void;
}

/**
 * One socket and its contexts; `stream-input` has one, without a name. A socket of `stream-input` is a stream of its
 * team from its admission on; of `multi-stream-input` each context is one, and the socket is none.
 */
class InputSocket implements SocketSession {
  readonly #options: InputSocketOptions;
  readonly #contexts = new Map<string, OpenContext>();
  readonly #frames: FrameDecoder;
  /** Frames that came before the key was known to be good. */
  readonly #early: Uint8Array[] = [];
  #earlyBytes = 0;
  #isOver = false;
  /** The client asked for the end of the socket: it comes with the last context's. */
  #isClosing = false;
  #caller: Caller | null;
  #release: (() => void) | null = null;
  /** Gives back the place of a socket without a key. */
  #authenticated: (() => void) | null = null;
  #cancelAuthentication: (() => void) | null = null;

  constructor(options: InputSocketOptions) {
    this.#options = options;
    this.#caller = options.caller;
    this.#frames = new FrameDecoder({
      encoding: "json",
      maxFrameBytes: frameLimits.text,
      onFrame: (value) => this.#receive(value),
      onError: (error) => this.#fail(error, null),
    });
    try {
      if (options.format instanceof ServiceError) throw options.format;
      if (options.caller !== null) this.#admit(options.caller);
      else this.#awaitKey();
    } catch (error) {
      this.#fail(error, null);
    }
  }

  #awaitKey(): void {
    const { context, request } = this.#options;
    this.#authenticated = context.unauthenticatedSockets.take(request.remoteAddress);
    this.#cancelAuthentication = context.clock.after(limits.keyMs.most, () =>
      this.#fail(new ServiceError("unauthenticated"), null),
    );
  }

  message(data: Uint8Array, isBinary: boolean): void {
    if (this.#isOver) return;
    if (isBinary)
      return this.#frames.afterFrames(() =>
        this.#fail(new ServiceError("protocol_violation", { parameters: { detail: "Frames are JSON text" } }), null),
      );
    if (this.#caller === null) this.#takeEarly(data);
    else this.#frames.push(data);
  }

  /**
   * Takes a frame from somebody whose key is not known to be good: the first has to bring it, those that follow wait
   * unread.
   */
  #takeEarly(data: Uint8Array): void {
    const limitBytes = this.#early.length === 0 ? limits.keyFrameBytes.most : limits.earlyBytes.most;
    this.#earlyBytes += data.byteLength;
    if (this.#earlyBytes > limitBytes)
      return this.#fail(new ServiceError("payload_too_large", { parameters: { limitBytes } }), null);
    this.#early.push(data);
    if (this.#early.length > 1) return;
    this.#cancelAuthentication?.();
    void this.#authenticate(data);
  }

  async #authenticate(first: Uint8Array): Promise<void> {
    try {
      this.#caller = await this.#callerOf(
        validate(inputFrame, decodeBodyHere({ encoding: "json", bytes: first }), ["frame"]),
      );
    } catch (error) {
      return this.#fail(error, null);
    }
    this.#authenticated?.();
    for (const frame of this.#early.splice(0)) this.#frames.push(frame);
  }

  #receive(value: unknown): void {
    if (this.#isOver) return;
    let contextId: string | null = null;
    try {
      const frame = validate(inputFrame, value, ["frame"]);
      contextId = frame.context_id ?? null;
      if (this.#options.isMulti) this.#takeMulti(frame);
      else this.#takeSingle(frame);
    } catch (error) {
      this.#fail(error, contextId);
    }
  }

  end(): void {
    this.#leave();
    for (const contextId of [...this.#contexts.keys()]) this.#remove(contextId)?.cancel();
  }

  /** The server is stopping: what a client is still writing is spoken, within bounds. */
  drain(): void {
    if (this.#contexts.size === 0) return this.#close(closeCodes.goingAway, "");
    for (const { input } of this.#contexts.values()) input.drain();
  }

  async #callerOf(first: InputFrame): Promise<Caller> {
    const { request, query, context } = this.#options;
    const caller = await callerOf(withBearer(request, keyOf(first)), query, context);
    this.#admit(caller);
    return caller;
  }

  #admit(caller: Caller): void {
    const { context, connection, isMulti } = this.#options;
    if (!isMulti) this.#release = context.teamSlots.take(caller.principal);
    context.watchKey(caller.principal, connection.closed, (error) => this.#fail(error, null));
    // The client may have gone while its key was checked.
    if (this.#isOver) this.#release?.();
  }

  /** The first frame opens the stream, an empty text ends it, whatever else stands beside it. */
  #takeSingle(frame: InputFrame): void {
    const known = this.#contexts.get("")?.input;
    if (frame.text !== "") return this.#speak(known, "", frame);
    if (known !== undefined) return known.end();
    this.#send("", { isFinal: true });
    this.#close(closeCodes.normal, "");
  }

  /** An empty text keeps the socket alive: contexts end by `close_context`. */
  #takeMulti(frame: InputFrame): void {
    const contextId = frame.context_id ?? "default";
    const known = this.#contexts.get(contextId)?.input;
    if (frame.close_socket === true) {
      if (this.#contexts.size === 0) return this.#close(closeCodes.normal, "");
      this.#isClosing = true;
      for (const { input } of this.#contexts.values()) input.end();
      return;
    }
    if (frame.close_context === true) {
      if (known !== undefined) return known.end();
      this.#send(contextId, { isFinal: true });
      return;
    }
    if (known === undefined && (frame.text ?? "") === "") return;
    this.#speak(known, contextId, frame);
  }

  /**
   * Hands a frame's text and wishes on. The blank that opens a context says nothing; a later one stands between words.
   */
  #speak(known: SpeechInput | undefined, contextId: string, frame: InputFrame): void {
    const input = known ?? this.#open(contextId, frame);
    const text = frame.text ?? "";
    if (text !== "" && (known !== undefined || text !== " ")) input.text(text);
    if (frame.flush === true) input.flush();
    else if (frame.try_trigger_generation === true) input.trigger();
  }

  #open(contextId: string, first: InputFrame): SpeechInput {
    const { context, request, query, format, connection, isMulti } = this.#options;
    if (this.#contexts.size >= limits.contexts.most) throw new ServiceError("too_many_requests");
    const voiceId = request.parameters["voice_id"] ?? "";
    // Checked before: a session with a refused format is over, one without a caller takes no frame.
    const settled = { format: format as OutputFormat, caller: this.#caller as Caller };
    const mapped = speechSettings({
      voiceId,
      modelId: query.get("model_id"),
      settings: first.voice_settings,
      format: settled.format,
      config: context.config,
    });
    const release = isMulti ? context.teamSlots.take(settled.caller.principal) : () => undefined;
    const input = new SpeechInput({
      context,
      connection,
      caller: settled.caller,
      request: mapped.request,
      isAligned: query.get("sync_alignment") === "true",
      send: (frame) => this.#send(contextId, frame),
      onOver: (error) => this.#contextOver(contextId, error),
    });
    this.#contexts.set(contextId, { input, release });
    return input;
  }

  #remove(contextId: string): SpeechInput | undefined {
    const known = this.#contexts.get(contextId);
    this.#contexts.delete(contextId);
    known?.release();
    return known?.input;
  }

  #contextOver(contextId: string, error: ServiceError | null): void {
    if (error !== null) return this.#fail(error, contextId);
    this.#remove(contextId);
    if (!this.#options.isMulti || (this.#isClosing && this.#contexts.size === 0)) this.#close(closeCodes.normal, "");
  }

  #send(contextId: string, frame: object): boolean {
    return this.#options.connection.send(JSON.stringify(this.#options.isMulti ? { ...frame, contextId } : frame));
  }

  /**
   * Tells what is wrong. A context of several dies alone; everything else ends the socket, with a code that no library
   * takes for success.
   */
  #fail(error: unknown, contextId: string | null): void {
    if (this.#isOver) return;
    const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
    if (known.code === "internal") this.#options.context.log.error({ err: error }, "a stream-input session failed");
    const frame = { error: errorMessage(known), code: frameCodeOf(known) };
    if (this.#options.isMulti && contextId !== null) {
      this.#remove(contextId)?.cancel();
      this.#send(contextId, frame);
      return;
    }
    this.#options.connection.send(JSON.stringify(frame));
    this.#close(endingCodeOf(known), frame.error);
  }

  #close(code: number, reason: string): void {
    this.#options.connection.close(code, reason.slice(0, 100));
    this.end();
  }

  #leave(): void {
    this.#isOver = true;
    this.#frames.stop();
    this.#early.length = 0;
    this.#cancelAuthentication?.();
    this.#authenticated?.();
    this.#release?.();
  }
}

/** The `code` of an error frame: an HTTP status, but for too much text the close code. */
function frameCodeOf(error: ServiceError): number {
  return error.code === "text_buffer_full" ? closeCodes.tooBig : elevenLabsHttpStatus(error);
}

/** A refused format ends the session as its normal end does. */
function endingCodeOf(error: ServiceError): number {
  return error.code === "unsupported_format" ? closeCodes.normal : closeCodeOf(error);
}
