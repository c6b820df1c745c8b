import { sha256Hex } from "#common/identifier";
import type { Case, Topic } from "./case.js";
import { documentedError } from "./documented.js";
import { judgeHttp, judgeLive, judgeRaw } from "./judge.js";
import { type HttpAnswer, type LiveAnswer, sendHttp, sendLive, sendRaw, type Target } from "./send.js";

const CONCURRENCY = 16;

/**
 * How often a case is sent again while the service says that all its capacity is in use: this is about input, not about
 * load.
 */
const MAX_RETRIES = 20;

export interface TopicResult {
  /** One line for each case that was not answered as documented. */
  failures: string[];
  /** SHA-256 of every HTTP answer's body, of server-sent events of their audio alone, by the case's name. */
  digests: Map<string, string>;
}

/** Runs all cases of a topic, several at once. */
export async function runTopic(topic: Topic, target: Target): Promise<TopicResult> {
  const result: TopicResult = { failures: [], digests: new Map() };
  const waiting = [...topic.cases];
  const worker = async (): Promise<void> => {
    for (let asked = waiting.shift(); asked !== undefined; asked = waiting.shift()) {
      const failure = await runCase(asked, target, result.digests).catch(
        (cause: unknown) => `no answer: ${String(cause)}`,
      );
      if (failure !== null) result.failures.push(`${asked.name}: ${failure}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return result;
}

async function runCase(asked: Case, target: Target, digests: Map<string, string>): Promise<string | null> {
  switch (asked.kind) {
    case "http": {
      const answer = await patiently(() => sendHttp(asked, target), retrySeconds);
      digests.set(asked.name, sha256Hex(contentOf(answer)));
      return judgeHttp(asked, answer);
    }
    case "raw":
      return judgeRaw(asked, await sendRaw(asked, target));
    case "live":
      return judgeLive(asked, await patiently(() => sendLive(asked, target), liveRetrySeconds));
  }
}

/** As docs/errors.md says of retryable errors: the same request may succeed after the time of `Retry-After`. */
async function patiently<T>(send: () => Promise<T>, retryAfterSeconds: (answer: T) => number | null): Promise<T> {
  for (let retries = 0; ; retries++) {
    const answer = await send();
    const waitSeconds = retries < MAX_RETRIES ? retryAfterSeconds(answer) : null;
    if (waitSeconds === null) return answer;
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
  }
}

const overloaded = documentedError("overloaded");

function retrySeconds({ status, headers, body }: HttpAnswer): number | null {
  if (
    status !== overloaded.status ||
    !overloaded.message.test((JSON.parse(body.toString()) as { message: string }).message)
  )
    return null;
  const seconds = Number(headers["retry-after"]);
  return seconds >= 1 ? seconds : null;
}

function liveRetrySeconds({ finishes: [finish] }: LiveAnswer): number | null {
  return typeof finish?.message === "string" && overloaded.message.test(finish.message) ? 1 : null;
}

/** How the audio is cut into events depends on the moment. */
function contentOf({ headers, body }: HttpAnswer): Buffer {
  if (headers["content-type"] !== "text/event-stream") return body;
  const events = body
    .toString()
    .split("\n\n")
    .filter((event) => event.startsWith("data: "));
  return Buffer.concat(
    events.map((event) => Buffer.from((JSON.parse(event.slice(6)) as { audio_base64: string }).audio_base64, "base64")),
  );
}
