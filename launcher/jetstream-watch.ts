import { setTimeout as pause } from "node:timers/promises";
import { type NatsHealth, type NatsProbe, probeNats } from "#common/bus/nats";
import { freeBytes } from "#common/files/disk-error";

/*
 * nats-server gives JetStream up when the disk is full, runs on without it, and does not take it up again when there is
 * room: until it is started anew, nothing that goes through a stream or an object is stored. So the launcher looks
 * after its own server.
 */

/**
 * With less than this free, nats-server may have given JetStream up; and it is not started anew before there is more.
 */
export const ROOM_BYTES = 16 * 1024 * 1024;

/** Unanswered questions in a row that count as an end, when the disk was full, and when it was not seen to be. */
const SILENT_AFTER_FULL = 2;
const SILENT_FOR_NO_REASON = 15;

const INTERVAL_MS = 1000;
const TIMEOUT_MS = 2000;

/** What was seen of a server in its present life. */
export interface WatchState {
  wasFull: boolean;
  /** Questions in a row that JetStream left open while the server answered. */
  silent: number;
}

export const freshWatch: WatchState = { wasFull: false, silent: 0 };

/** Decides whether a server is to be started anew because its JetStream has ended. */
export function judgeJetStream(
  state: WatchState,
  seen: NatsHealth & { freeBytes: number },
): { state: WatchState; restart: boolean } {
  const hasRoom = seen.freeBytes >= ROOM_BYTES;
  const wasFull = state.wasFull || !hasRoom;
  // A server that does not answer at all is busy, or starts: nothing is known of its JetStream.
  const silent = seen.jetStream ? 0 : seen.server ? state.silent + 1 : state.silent;
  const restart = hasRoom && silent >= (wasFull ? SILENT_AFTER_FULL : SILENT_FOR_NO_REASON);
  if (restart) return { state: freshWatch, restart };
  // Once it answers with room on the disk, what was is over.
  return { state: { wasFull: wasFull && !(seen.jetStream && hasRoom), silent }, restart };
}

/** None where the folder cannot be looked at: a volume that went away. */
function roomIn(folder: string): number {
  try {
    return freeBytes(folder);
  } catch {
    // Whatever the reason, nothing can be stored there.
    return 0;
  }
}

/**
 * Watches the server at `url`, whose store is in `folder`, until `stop` is called; `onEnded` is called to start it
 * anew.
 */
export function watchJetStream(options: { url: string; folder: string; onEnded: () => void }): {
  stop: () => Promise<void>;
} {
  const ending = new AbortController();
  const watch = async (): Promise<void> => {
    let probe: NatsProbe | null = null;
    let state = freshWatch;
    while (!ending.signal.aborted) {
      // No server yet, or none at the moment: it is asked again.
      probe ??= await probeNats({ url: options.url, name: "launcher" }).catch(() => null);
      const health = probe === null ? { server: false, jetStream: false } : await probe.ask(TIMEOUT_MS);
      if (!health.jetStream) {
        await probe?.close();
        probe = null;
      }
      if (ending.signal.aborted) break;
      const judged = judgeJetStream(state, { ...health, freeBytes: roomIn(options.folder) });
      state = judged.state;
      if (judged.restart) options.onEnded();
      await pause(INTERVAL_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
    await probe?.close();
  };
  const watching = watch();
  return {
    async stop() {
      ending.abort();
      await watching;
    },
  };
}
