import type { Clock } from "#common/clock";
import { conversationRoom } from "#common/livekit/conversation-room";
import type { LiveKitServer } from "#common/livekit/livekit-server";
import type { Logger } from "#common/log";

/** How long a room that was made anew waits for its caller. */
const RETURN_SECONDS = 30;
const AGAIN_MS = 500;

/**
 * Makes a conversation's room anew where the server has lost it: one that was started again has none, and lets nobody
 * make one by joining.
 */
export class RoomMaker {
  readonly #options: { server: LiveKitServer; name: string; clock: Clock; log: Logger };

  constructor(options: { server: LiveKitServer; name: string; clock: Clock; log: Logger }) {
    this.#options = options;
  }

  /** Leaves a room that is there as it is. Rejects with LiveKitError. */
  make(): Promise<void> {
    const { server, name } = this.#options;
    return server.createRoom(conversationRoom(name, RETURN_SECONDS));
  }

  /** Tries again and again for as long as `isWanted`: nobody tells when the server is back. */
  async makeWhile(isWanted: () => boolean): Promise<void> {
    const { clock, log } = this.#options;
    while (isWanted()) {
      await this.make().catch((error: unknown) => log.debug({ err: error }, "a room could not be made again"));
      await new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve));
    }
  }
}
