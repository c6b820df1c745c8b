import type { ConversationRecord } from "#protocol/bus/conversation-log";
import { ServiceError } from "#protocol/errors";
import { LogConflict, type SubjectLog } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import type { UnstampedRecord } from "../dialogue/action.js";

/** Between two attempts to store, while JetStream is away. */
const RETRY_MS = 250;

export interface LogWriterOptions {
  log: SubjectLog;
  subject: string;
  /** Sequence of the last record that is known; 0 for none. */
  after: number;
  clock: Clock;
  /** Milliseconds since 1970. */
  epochMs(): number;
  /** Somebody else has written: the conversation is theirs. Called once; nothing is written from then on. */
  onConflict(): void;
}

/** Writes the log of one conversation, record by record, for as long as nobody else does. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #waiting: ConversationRecord[] = [];
  #after: number;
  #isWriting = false;
  #isOver = false;
  #settled: (() => void)[] = [];

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#after = options.after;
  }

  /** Puts a record behind all others. It is stored as soon as the server takes it. */
  write(record: UnstampedRecord): void {
    if (this.#isOver) return;
    this.#waiting.push({ ...record, id: newIdentifier(), atEpochMs: this.#options.epochMs() } as ConversationRecord);
    if (!this.#isWriting) void this.#writeAll();
  }

  /** Resolves when all that was written so far is stored, or never will be. */
  settled(): Promise<void> {
    if (this.#isOver || (this.#waiting.length === 0 && !this.#isWriting)) return Promise.resolve();
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  /** Writes no more. */
  close(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#settle();
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    for (let record = this.#waiting[0]; record !== undefined && !this.#isOver; record = this.#waiting[0]) {
      try {
        this.#after = await this.#options.log.append(this.#options.subject, record, this.#after);
        this.#waiting.shift();
      } catch (error) {
        if (error instanceof LogConflict) await this.#settleConflict(record);
        else if (error instanceof ServiceError) await this.#pause();
        else throw error;
      }
    }
    this.#isWriting = false;
    this.#settle();
  }

  /** A record may have been stored although nobody said so: then the log goes on behind it. */
  async #settleConflict(record: ConversationRecord): Promise<void> {
    const { log, subject, onConflict } = this.#options;
    try {
      const next = (await log.read<ConversationRecord>(subject)).find(({ sequence }) => sequence > this.#after);
      if (next?.message.id === record.id) {
        this.#after = next.sequence;
        this.#waiting.shift();
        return;
      }
    } catch (error) {
      if (error instanceof ServiceError) return await this.#pause();
      throw error;
    }
    if (this.#isOver) return;
    this.close();
    onConflict();
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#options.clock.after(RETRY_MS, resolve));
  }

  #settle(): void {
    for (const resolve of this.#settled.splice(0)) resolve();
  }
}
