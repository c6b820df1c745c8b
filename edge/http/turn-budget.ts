/**
 * Work done in one turn of the event loop before the rest waits for the next: streams of others must not wait longer
 * than this.
 */
const TURN_MS = 10;
/** Most pieces of work in one turn: what a piece starts may go on after it has returned. */
const TURN_TASKS = 64;

/** What runs work in later turns of the event loop; `setImmediate`. */
export type Defer = (callback: () => void) => void;

/**
 * Spreads work that arrives in bursts over turns of the event loop. The engine hands over every request and every frame
 * of one read of up to half a megabyte at once; one client that sends thousands of small ones would keep the loop from
 * everybody else for that long. Work runs in the order in which it came.
 */
export class TurnBudget {
  readonly #nowMs: () => number;
  readonly #defer: Defer;
  readonly #mostTasks: number;
  #waiting: (() => void)[] = [];
  /** Place of the next task in `#waiting`: shifting a long list one by one would copy it each time. */
  #next = 0;
  #tasks = 0;
  #usedMs = 0;
  #isTurnEndPending = false;

  constructor(nowMs: () => number, defer: Defer, mostTasks = TURN_TASKS) {
    this.#nowMs = nowMs;
    this.#defer = defer;
    this.#mostTasks = mostTasks;
  }

  /** Runs `task` now, or in a later turn when this turn's time is used up. `task` must not throw. */
  run(task: () => void): void {
    if (this.#next < this.#waiting.length || this.#isSpent()) this.#waiting.push(task);
    else this.#spend(task);
    this.#watchTurn();
  }

  #isSpent(): boolean {
    return this.#tasks >= this.#mostTasks || this.#usedMs >= TURN_MS;
  }

  #spend(task: () => void): void {
    const startedMs = this.#nowMs();
    this.#tasks++;
    task();
    this.#usedMs += this.#nowMs() - startedMs;
  }

  #watchTurn(): void {
    if (this.#isTurnEndPending) return;
    this.#isTurnEndPending = true;
    this.#defer(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isTurnEndPending = false;
    this.#tasks = 0;
    this.#usedMs = 0;
    for (
      let task = this.#waiting[this.#next];
      task !== undefined && !this.#isSpent();
      task = this.#waiting[this.#next]
    ) {
      this.#next++;
      this.#spend(task);
    }
    if (this.#next < this.#waiting.length) return this.#watchTurn();
    this.#waiting = [];
    this.#next = 0;
  }
}
