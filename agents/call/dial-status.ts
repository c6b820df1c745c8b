import type { DialStatus } from "#protocol/webhooks";
import type { LineLoss } from "../room/room.js";

const busy: readonly number[] = [486, 600, 603];
const notThere: readonly number[] = [408, 480, 487];

/** What a SIP status means for a call that was not answered (RFC 3261 section 21). Pure. */
export function dialStatusOf(sipStatus: number): DialStatus {
  if (busy.includes(sipStatus)) return "busy";
  return notThere.includes(sipStatus) ? "no_answer" : "failed";
}

/** The same from the way in which the line left the room: what a runtime sees that has not dialed itself. Pure. */
export function dialStatusOfLoss(loss: LineLoss): DialStatus {
  if (loss === "rejected") return "busy";
  return loss === "unavailable" ? "no_answer" : "failed";
}
