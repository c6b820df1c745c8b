import { ServiceError } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import { empty, type Route } from "../http/route.js";
import type { PhoneLines } from "./lines.js";

/** Said to one control plane when a call may have come into a room. */
export const lineCameSubject = "parley.events.phone-line-came";

export interface LineCame {
  room: string;
}

/**
 * What a LiveKit server sends to its webhook: that somebody joined a room is how a call that came in is found at once.
 * Only what is signed with the server's own key is read.
 */
export function liveKitEventRoutes({ lines, bus }: { lines: PhoneLines | null; bus: Pick<Bus, "publish"> }): Route[] {
  return [
    {
      method: "POST",
      path: "/livekit/events",
      scope: null,
      async handle({ headers, body }) {
        const { authorization } = headers;
        if (lines === null || authorization === undefined) throw new ServiceError("unauthenticated");
        const event = await lines.readEvent(Buffer.from(await body()).toString(), authorization);
        if (event === null) throw new ServiceError("invalid_token");
        if (event.room !== null) bus.publish(lineCameSubject, { room: event.room } satisfies LineCame);
        return empty(204);
      },
    },
  ];
}
