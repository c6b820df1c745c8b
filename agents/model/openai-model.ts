import { type Clock, systemClock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import type { Logger } from "#common/log";
import type { PersistentConnection } from "#common/outbound/persistent-connection";
import type { ModelToolCall } from "../dialogue/input.js";
import { chatRequestBody } from "./chat-request.js";
import { CompletionReader } from "./completion-reader.js";
import { EndpointFailure } from "./endpoint-failure.js";
import { type LanguageModel, ModelError, type ModelRequest } from "./language-model.js";
import type { CompletionClient } from "./openai-client.js";
import { ReplyText } from "./reply-text.js";

/** How long an endpoint may take, in milliseconds. */
export interface ModelTimeouts {
  /** From an attempt's start to its first text or tool call. */
  firstTokenMs: number;
  /** Between two chunks after that. */
  idleMs: number;
  /** For an answer, both attempts together. */
  totalMs: number;
}

export const defaultTimeouts: ModelTimeouts = { firstTokenMs: 10_000, idleMs: 10_000, totalMs: 60_000 };

/** What may come behind an answer's last word: counts of tokens, and the end of the stream. */
const REST_MS = 250;

/** Before the second attempt: an endpoint that is overloaded or starts anew gets a moment. */
const RETRY_DELAY_MS = 250;

export interface OpenAiModelOptions {
  client: CompletionClient;
  /** What the client's requests go over. */
  connection: Pick<PersistentConnection, "warm" | "close">;
  model: string;
  /** Further fields of each request. */
  extraBody: Readonly<Record<string, unknown>> | null;
  timeouts: ModelTimeouts;
  log: Logger;
  clock?: Clock;
}

/** A model behind an endpoint that speaks OpenAI's protocol. */
export function openAiModel(options: OpenAiModelOptions): LanguageModel {
  const { client, connection, model, extraBody, timeouts, log, clock = systemClock } = options;
  return {
    name: model,
    warm: () => connection.warm(),
    close: () => connection.close(),
    async answer(request) {
      const body = chatRequestBody(model, request, extraBody);
      const endsAtMs = clock.nowMs() + timeouts.totalMs;
      const progress = { hasSpoken: false };
      for (let attempt = 1; !request.signal.aborted; attempt++) {
        try {
          await readAnswer({ client, body, request, timeouts, endsAtMs, clock, progress });
          return;
        } catch (error) {
          if (request.signal.aborted) return;
          const failure = error instanceof EndpointFailure ? error : new EndpointFailure("the answer failed", false);
          log.warn({ attempt, reason: failure.message }, "the language model failed");
          const triesAgain = attempt === 1 && failure.isRetryable && !progress.hasSpoken;
          if (!triesAgain || clock.nowMs() + RETRY_DELAY_MS >= endsAtMs) throw new ModelError(failure.message);
          await pause(clock, RETRY_DELAY_MS, request.signal);
        }
      }
    },
  };
}

interface Attempt {
  client: CompletionClient;
  body: object;
  request: ModelRequest;
  timeouts: ModelTimeouts;
  endsAtMs: number;
  clock: Clock;
  /** Set when the first text went out: from then on there is no second attempt. */
  progress: { hasSpoken: boolean };
}

/** One attempt. Throws `EndpointFailure`; calls back no more once the request's signal has fired. */
async function readAnswer(attempt: Attempt): Promise<void> {
  const { client, body, request, timeouts, progress } = attempt;
  const watch = startWatch(attempt);
  const reader = new CompletionReader(idsIn(request), () => newIdentifier().slice(0, 9));
  const text = new ReplyText();
  const say = (words: string): void => {
    if (words === "" || request.signal.aborted) return;
    progress.hasSpoken = true;
    request.onText(words);
  };
  watch.expect(timeouts.firstTokenMs, `no word came within ${timeouts.firstTokenMs / 1000} s`);
  let finish: string | null = null;
  const chunks = client.stream(body, watch.signal)[Symbol.asyncIterator]();
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      const { text: words, hasCall, finishReason } = reader.push(next.value);
      say(text.push(words));
      watch.sawChunk(words !== "" || hasCall);
      finish = finishReason;
      if (finish !== null || text.isOver) break;
    }
  } catch (error) {
    throw watch.expired() ?? error;
  } finally {
    if (finish !== null && !request.signal.aborted) void readRest(chunks, watch);
    else {
      watch.stop();
      chunks.return?.().catch(() => undefined); // it is over, however it ends
    }
  }
  if (request.signal.aborted) return;
  const failure = watch.expired();
  if (failure !== null) throw failure;
  say(text.end());
  const calls = reader.calls();
  if (!progress.hasSpoken && calls.length === 0) {
    if (finish === "content_filter") throw new EndpointFailure("the endpoint withheld the answer", false);
    // Whoever stops may have nothing to say; whoever was cut off, by thoughts that used up all room, has.
    if (finish === null || finish === "length") throw new EndpointFailure("the endpoint ended without an answer", true);
  }
  for (const call of calls.filter(({ name }) => name !== "")) tell(request, call);
}

/** Reads what follows the last word, so that the connection is free for the next request; ends it where that takes long. */
async function readRest(chunks: AsyncIterator<unknown>, watch: Watch): Promise<void> {
  watch.expect(REST_MS, "nothing followed");
  try {
    while ((await chunks.next()).done !== true);
  } catch {
    // The answer is complete: what comes behind it concerns nobody.
  } finally {
    watch.stop();
  }
}

function tell(request: ModelRequest, call: ModelToolCall): void {
  if (!request.signal.aborted) request.onToolCall(call);
}

/** Ids of the calls that the conversation knows already. */
function idsIn(request: ModelRequest): string[] {
  return request.messages.flatMap((message) =>
    message.role === "assistant" ? message.toolCalls.map(({ callId }) => callId) : [],
  );
}

/** Ends an attempt when its caller does, and when what is expected does not come. */
interface Watch {
  readonly signal: AbortSignal;
  /** What must come within `limitMs`, in the words of the failure that it is else. */
  expect(limitMs: number, otherwise: string): void;
  /** `hasContent`: what was expected first has come. */
  sawChunk(hasContent: boolean): void;
  /** The failure, where something did not come. */
  expired(): EndpointFailure | null;
  stop(): void;
}

function startWatch({ request, timeouts, endsAtMs, clock }: Attempt): Watch {
  const controller = new AbortController();
  const cancel = (): void => controller.abort();
  request.signal.addEventListener("abort", cancel, { once: true });
  if (request.signal.aborted) cancel();
  let failure: EndpointFailure | null = null;
  let hasBegun = false;
  let cancelTimer = (): void => undefined;
  const expect = (limitMs: number, otherwise: string): void => {
    cancelTimer();
    const leftMs = Math.max(0, endsAtMs - clock.nowMs());
    const message = leftMs < limitMs ? `the answer took longer than ${timeouts.totalMs / 1000} s` : otherwise;
    cancelTimer = clock.after(Math.min(limitMs, leftMs), () => {
      failure = new EndpointFailure(message, true);
      controller.abort();
    });
  };
  return {
    signal: controller.signal,
    expect,
    sawChunk(hasContent) {
      hasBegun ||= hasContent;
      if (hasBegun) expect(timeouts.idleMs, `nothing came for ${timeouts.idleMs / 1000} s`);
    },
    expired: () => failure,
    stop() {
      cancelTimer();
      request.signal.removeEventListener("abort", cancel);
      controller.abort();
    },
  };
}

function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(delayMs, resolve);
    signal.addEventListener(
      "abort",
      () => {
        cancel();
        resolve();
      },
      { once: true },
    );
  });
}
