import type { Terminal } from "../command.js";
import type { Utterance } from "./caller-room.js";

/** Shows a conversation: what both say on standard output, all else on standard error. */
export class ConversationView {
  readonly #terminal: Pick<Terminal, "stdin" | "stdout" | "stderr">;
  #state = "";

  constructor(terminal: Pick<Terminal, "stdin" | "stdout" | "stderr">) {
    this.#terminal = terminal;
  }

  /** A line was sent as a message. Where somebody typed it here, it stands on the terminal already. */
  typed(line: string): void {
    if (this.#terminal.stdin.isTTY !== true) this.#terminal.stdout.write(`you: ${line}\n`);
  }

  utterance({ speaker, text, isFinal }: Utterance): void {
    const line = text.replaceAll(/\s+/g, " ").trim();
    if (!isFinal || line === "") return;
    this.#terminal.stdout.write(`${speaker === "caller" ? "you" : "agent"}: ${line}\n`);
  }

  state(state: string): void {
    if (state === this.#state) return;
    this.#state = state;
    this.note(state);
  }

  latency(latencyMs: number): void {
    this.note(`first sign of the answer after ${(latencyMs / 1000).toFixed(2)} s`);
  }

  note(text: string): void {
    this.#terminal.stderr.write(`  · ${text}\n`);
  }
}
