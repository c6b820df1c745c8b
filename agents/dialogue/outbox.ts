import type { DialogueAction, UnstampedRecord } from "./action.js";
import type { Memory } from "./memory.js";

/** Collects what a dialogue wants done, in order, and remembers what it records. */
export class Outbox {
  readonly memory: Memory;
  #actions: DialogueAction[] = [];

  constructor(memory: Memory) {
    this.memory = memory;
  }

  add(action: DialogueAction): void {
    this.#actions.push(action);
  }

  record(record: UnstampedRecord): void {
    this.memory.apply(record);
    this.add({ type: "record", record });
  }

  take(): DialogueAction[] {
    return this.#actions.splice(0);
  }
}
