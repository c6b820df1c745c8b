import {
  controlSubjects,
  type ForwardedRequest,
  type ForwardedResponse,
  forwardedRequestSubject,
} from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import { newIdentifier } from "#common/identifier";

export interface ForwardedAsk {
  bus: Pick<Bus, "request" | "isAnswered">;
  clock: Clock;
}

const DEPENDENCY = "The control plane";

/**
 * From when on an edge asks whether somebody is still at work on what it passed on, and how often. A control plane that
 * works has said so long before; one that is merely stuck for a moment is not taken for one that is gone.
 */
const FIRST_LOOK_MS = 8000;
const LOOK_MS = 2000;

/**
 * Passes a request on to a control plane. Where the one that took it is gone, a read is asked again of another one,
 * once. Throws `dependency_unavailable` where nobody answers within `timeoutMs`, and for anything but a read as soon as
 * it is known that nobody is at work on it any more.
 */
export async function askForwarded(
  ask: ForwardedAsk,
  message: ForwardedRequest,
  timeoutMs: number,
): Promise<ForwardedResponse> {
  const startedMs = ask.clock.nowMs();
  const first = await askOne(ask, message, timeoutMs);
  if (first !== "lost") return first;
  const leftMs = timeoutMs - (ask.clock.nowMs() - startedMs);
  const second = message.method === "GET" && leftMs > 0 ? await askOne(ask, message, leftMs) : "lost";
  if (second === "lost") throw new ServiceError("dependency_unavailable", { parameters: { dependency: DEPENDENCY } });
  return second;
}

async function askOne(
  { bus, clock }: ForwardedAsk,
  message: ForwardedRequest,
  timeoutMs: number,
): Promise<ForwardedResponse | "lost"> {
  const requestId = newIdentifier();
  let cancel: () => void = () => undefined;
  let isOver = false;
  const lost = new Promise<"lost">((resolve) => {
    const look = async (): Promise<void> => {
      const isHeld = await bus.isAnswered(forwardedRequestSubject(requestId));
      if (isOver) return;
      if (isHeld) cancel = clock.after(LOOK_MS, () => void look());
      else resolve("lost");
    };
    cancel = clock.after(FIRST_LOOK_MS, () => void look());
  });
  const options = { timeoutMs, dependency: DEPENDENCY };
  const answer = bus.request<ForwardedResponse>(controlSubjects.http, { ...message, requestId }, options);
  try {
    return await Promise.race([answer, lost]);
  } finally {
    isOver = true;
    cancel();
    // Nobody waits for it any more where it was lost.
    answer.catch(() => undefined);
  }
}
