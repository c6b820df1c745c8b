/** Sends one thing after the other, in order: the room would take them all at once, and then order is lost. */
export class Outbox {
  readonly #onFailed: (error: unknown) => void;
  #waiting: { key: string | null; send: () => Promise<void> }[] = [];
  #working: Promise<void> | null = null;

  constructor(onFailed: (error: unknown) => void) {
    this.#onFailed = onFailed;
  }

  add(send: () => Promise<void>): void {
    this.#waiting.push({ key: null, send });
    this.#start();
  }

  /** Instead of what waits under the same key. */
  replace(key: string, send: () => Promise<void>): void {
    this.#waiting = this.#waiting.filter((entry) => entry.key !== key);
    this.#waiting.push({ key, send });
    this.#start();
  }

  /** Resolves when everything was sent, or could not be. */
  async flush(): Promise<void> {
    await this.#working;
  }

  #start(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await next.send();
      } catch (error) {
        this.#onFailed(error);
      }
    }
  }
}
