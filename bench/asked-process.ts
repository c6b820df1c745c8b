import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Asks a child process that answers each message with one; one question at a time. Rejects when it ends without. */
export function ask<Question extends object, Answer>(child: ChildProcess, question: Question): Promise<Answer> {
  child.send(question);
  return answerOf<Answer>(child);
}

/** The next message of a child. Rejects when it ends without one. */
export async function answerOf<T>(child: ChildProcess): Promise<T> {
  const settled = new AbortController();
  const ended = once(child, "exit", { signal: settled.signal }).then(([code]) =>
    Promise.reject(new Error(`a process of the benchmark ended with ${String(code)}`)),
  );
  ended.catch(() => undefined);
  const [message] = (await Promise.race([once(child, "message"), ended])) as [T];
  settled.abort();
  return message;
}
