import type { LiveKitAccess } from "#common/livekit/livekit-server";
import { newIdentifier } from "#common/identifier";
import { deferred } from "#common/deferred";
import { PsrpcBus } from "../psrpc/bus.js";
import { CallLegs } from "../signalling/call-legs.js";
import { keepOpen, type StandInContext } from "./call.js";
import { InboundCalls } from "./inbound-call.js";
import { serveCreateParticipant } from "./internal-calls.js";
import { OutboundCall } from "./outbound-call.js";

/** Beside which server, and at which port; 0 is any. */
export interface StandInOptions {
  liveKit: LiveKitAccess;
  redisUrl: string;
  port?: number;
}

/** The stand-in for LiveKit SIP. */
export interface StandIn {
  /** Where it takes calls: `127.0.0.1:port`. */
  address: string;
  /** Calls that rang and were never answered, since no rule of the server fits them. */
  abandoned(): number;
  /** Ends all calls first. */
  stop(): Promise<void>;
}

/**
 * Takes the place of LiveKit SIP beside a LiveKit server with Redis: calls that the server asks for leave from it, and
 * calls that come to it go where the server's dispatch rules say. It does what LiveKit SIP 1.11 does, seen from the
 * room and from the line, over UDP on loopback.
 */
export async function startStandIn({ liveKit, redisUrl, port = 0 }: StandInOptions): Promise<StandIn> {
  const bus = new PsrpcBus(redisUrl);
  const legs = await CallLegs.open({ port, newTag: () => `SCL_${newIdentifier().slice(0, 12)}` });
  const closing = deferred<void>();
  const context: StandInContext = { liveKit, bus, legs, closing: closing.promise, ongoing: new Set() };
  const inbound = new InboundCalls(context);
  legs.onInvite = (invite) => inbound.take(invite);
  await serveCreateParticipant(bus, async (request) => {
    const call = await OutboundCall.join(context, request);
    const answered = call.dial();
    keepOpen(context, answered);
    if (request.waitsForAnswer) await answered;
    return call.participantId;
  });
  return {
    address: legs.endpoint.address,
    abandoned: () => inbound.abandoned,
    async stop() {
      closing.resolve();
      // Calls that were answered while it ends are among them a moment later.
      while (context.ongoing.size > 0) await Promise.all(context.ongoing);
      legs.close();
      bus.close();
    },
  };
}
