import { openAiChat } from "#protocol/compat/openai-chat";
import { openAiMounts } from "#protocol/compat/openai-speech";
import type { ServiceError } from "#protocol/errors";
import { bodyLimits } from "#protocol/limits";
import { audioFields } from "#protocol/speech/request";
import { requireScope } from "../../authentication/authenticator.js";
import { answerJson } from "../../http/answers.js";
import { readBody } from "../../http/body.js";
import type { HttpRequest, HttpResponder, HttpRoute } from "../../http/exchange.js";
import { type HttpSpeechWriter, speakOverHttp } from "../../speech/http-speech.js";
import { AUDIO_TOKENS_PER_SECOND } from "../../speech/plan.js";
import { admitToModel } from "../../speech/caller.js";
import type { SpeechContext } from "../../speech/context.js";
import { Base64Decoder } from "../base64-pieces.js";
import { renderOpenAiError } from "../error-answer.js";
import { type HeldAnswer, holdAnswer } from "../held-answer.js";
import type { TranscribeFile } from "../transcribe-audio.js";
import { type MappedChat, mapOpenAiChat } from "./chat-request.js";
import { groqFields } from "./groq.js";
import { SpokenUsage } from "./spoken-usage.js";

/**
 * How long an answer's audio can be referred to later: not at all, since nothing is kept; the field must hold a time.
 */
const EXPIRES_AFTER_SECONDS = 3600;

/** What the route needs: the speech path, and a way to a transcript for one caller. */
export interface ChatContext {
  speech: SpeechContext;
  transcriberFor(request: HttpRequest): TranscribeFile;
}

/** `POST /chat/completions` on every mount (docs/protocol.md "Chat"). */
export function openAiChatRoutes({ speech: context, transcriberFor }: ChatContext): HttpRoute[] {
  return openAiMounts.map((mount) => ({
    method: "POST",
    path: `${mount}${openAiChat.path}`,
    maxBodyBytes: bodyLimits.speech,
    async handle(request, responder) {
      const arrivedAtMs = context.clock.nowMs();
      const principal = await context.authenticate(request);
      const chat = mapOpenAiChat(
        await readBody(request, ["json"], audioFields),
        (name) => request.header(name),
        context.config,
      );
      const identity = { mount, id: request.trace.traceId, createdSeconds: Math.floor(Date.now() / 1000) };
      if (chat.kind === "transcribe") {
        const recognized = await transcriberFor(request)({
          audio: { bytes: chat.audio.byteLength, file: async () => chat.audio },
          language: null,
          signal: responder.closed,
        });
        return answerTranscript(responder, { ...identity, chat }, recognized);
      }
      requireScope(principal, "speech");
      const caller = admitToModel({ principal, model: chat.speech.model, trace: request.trace, arrivedAtMs, context });
      const head = { ...identity, chat };
      const speak = (writer: HttpSpeechWriter): Promise<void> =>
        speakOverHttp({
          context,
          route: "/compat/chat/completions",
          caller,
          request: chat.speech.request,
          responder,
          writer,
        });
      if (chat.isStreamed) return await speak(writeChunks(responder, head));
      const { heldAnswers } = context;
      const { teamId } = principal;
      const instead = "set stream, or split the text";
      await holdAnswer(
        { heldAnswers, teamId, request: chat.speech.request, responder, textField: "messages", instead },
        (answer) => speak(writeCompletion(answer, head)),
      );
    },
  }));
}

/** The words of a message with audio, as the answer's content. */
function answerTranscript(
  responder: HttpResponder,
  head: CompletionHead<MappedChat>,
  recognized: { text: string; seconds: number },
): void {
  if (responder.closed.aborted) return;
  const [prompt_tokens, completion_tokens] = [
    Math.round(recognized.seconds * AUDIO_TOKENS_PER_SECOND),
    recognized.text.length,
  ];
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  if (!head.chat.isStreamed) {
    const message = { role: "assistant", content: recognized.text, refusal: null };
    return answerJson(responder, 200, {
      ...common(head),
      object: "chat.completion",
      choices: [{ index: 0, finish_reason: "stop", logprobs: null, message }],
      usage,
      ...groqFields(head.mount, head.id),
    });
  }
  const events = new ChunkEvents(responder, head);
  events.send({ role: "assistant", content: recognized.text });
  events.finish(usage);
}

type SpeakingChat = Extract<MappedChat, { kind: "speak" }>;

interface CompletionHead<Chat extends MappedChat = SpeakingChat> {
  mount: string;
  id: string;
  createdSeconds: number;
  chat: Chat;
}

function common({ id, createdSeconds, chat }: CompletionHead<MappedChat>) {
  return { id: `chatcmpl-${id}`, created: createdSeconds, model: chat.model, system_fingerprint: null };
}

/** A use of the service in the words of chat completions. */
function chatCounts({ inputTokens, outputTokens }: SpokenUsage): {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
} {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
}

const expiresAt = (head: CompletionHead): number => head.createdSeconds + EXPIRES_AFTER_SECONDS;

/** One object at the end. */
function writeCompletion(answer: HeldAnswer, head: CompletionHead): HttpSpeechWriter {
  const usage = new SpokenUsage(head.chat.speech.request);
  return {
    isWhole: true,
    bytes: (bytes) => answer.audio(bytes),
    chunk: (event, sampleRate) => usage.take(event, sampleRate),
    async ended() {
      const audio = {
        id: `audio-${head.id}`,
        expires_at: expiresAt(head),
        transcript: head.chat.speech.request.text,
        data: "",
      };
      const message = { role: "assistant", content: null, refusal: null, audio };
      const choices = [{ index: 0, finish_reason: "stop", logprobs: null, message }];
      const json = JSON.stringify({
        ...common(head),
        object: "chat.completion",
        usage: chatCounts(usage),
        ...groqFields(head.mount, head.id),
        choices,
      });
      // `data` is the last of all values: only brackets follow.
      const at = json.lastIndexOf('""') + 1;
      await answer.send(json.slice(0, at), [json.slice(at)]);
    },
    failed: () => false,
  };
}

/** Server-sent events of one completion. */
class ChunkEvents {
  readonly #responder: HttpResponder;
  readonly #head: CompletionHead<MappedChat>;

  constructor(responder: HttpResponder, head: CompletionHead<MappedChat>) {
    this.#responder = responder;
    this.#head = head;
  }

  /** False when the client is behind. Groq's service names the request in the first and the last piece alone. */
  send(delta: object): boolean {
    const extra = this.#responder.begun ? {} : groqFields(this.#head.mount, this.#head.id);
    return this.#data(this.#chunk({ choices: [{ index: 0, delta, finish_reason: null, logprobs: null }], ...extra }));
  }

  finish(usage: object): void {
    const { mount, id } = this.#head;
    this.#data(
      this.#chunk({
        choices: [{ index: 0, delta: {}, finish_reason: "stop", logprobs: null }],
        ...groqFields(mount, id, { usage }),
      }),
    );
    if (this.#head.chat.withUsage) this.#data(this.#chunk({ choices: [], usage }));
    this.#data("[DONE]");
    this.#responder.end();
  }

  fail(error: ServiceError): void {
    this.#data(Buffer.from(renderOpenAiError(error).body).toString());
    this.#responder.end();
  }

  #chunk(fields: object): string {
    return JSON.stringify({ ...common(this.#head), object: "chat.completion.chunk", ...fields });
  }

  #data(data: string): boolean {
    if (!this.#responder.begun)
      this.#responder.begin(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    return this.#responder.write(Buffer.from(`data: ${data}\n\n`));
  }
}

/**
 * Role and transcript, audio, expiry, finish, usage, `[DONE]`: the order that both strict and lenient libraries read.
 */
function writeChunks(responder: HttpResponder, head: CompletionHead): HttpSpeechWriter {
  const base64 = new Base64Decoder();
  const usage = new SpokenUsage(head.chat.speech.request);
  const events = new ChunkEvents(responder, head);
  return {
    async bytes(bytes) {
      if (!responder.begun)
        events.send({
          role: "assistant",
          audio: { id: `audio-${head.id}`, transcript: head.chat.speech.request.text },
        });
      const data = base64.add(bytes);
      if (data !== "" && !events.send({ audio: { data } })) await responder.writable();
    },
    chunk: (event, sampleRate) => usage.take(event, sampleRate),
    async ended() {
      const data = base64.end();
      if (data !== "") events.send({ audio: { data } });
      events.send({ audio: { expires_at: expiresAt(head) } });
      events.finish(chatCounts(usage));
    },
    failed(error: ServiceError) {
      if (!responder.begun) return false;
      events.fail(error);
      return true;
    },
  };
}
