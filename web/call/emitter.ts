/** Calls listeners by the name of an event. `Events` says what each event carries. */
export class Emitter<Events extends object> {
  readonly #listeners: { [Name in keyof Events]?: Set<(value: Events[Name]) => void> } = {};

  /** Calls `listener` at every event of this name, until the function that this gives is called. */
  on<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): () => void {
    const listeners: Set<(value: Events[Name]) => void> = this.#listeners[name] ?? new Set();
    this.#listeners[name] = listeners;
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Calls every listener. What one of them throws reaches the page's console, and neither the others nor the caller. */
  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    for (const listener of this.#listeners[name] ?? []) {
      try {
        listener(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
