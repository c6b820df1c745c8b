import { ServiceError } from "#protocol/errors";
import type { WatchKey } from "../authenticator.js";

/** Watches of keys that a test ends: `revoke` refuses the keys of every connection that is still open. */
export class KeyWatches {
  readonly #watches = new Set<{ until: AbortSignal; onRefused: (error: ServiceError) => void }>();

  readonly watch: WatchKey = (_principal, until, onRefused) => {
    this.#watches.add({ until, onRefused });
  };

  revoke(): void {
    for (const { until, onRefused } of this.#watches) {
      if (!until.aborted) onRefused(new ServiceError("invalid_token"));
    }
    this.#watches.clear();
  }
}
