import type { LiveKitSip } from "#common/livekit/livekit-sip";
import { GATEWAY_LABEL, type GatewayContext, placeNumber, removeNumber } from "../gateway/place-number.js";
import type { NumberProvider } from "./provider.js";

/** Numbers that teams bring by trunks of their own: nothing is bought, and LiveKit SIP is told of the trunk. */
export function sipProvider(context: GatewayContext, sip: LiveKitSip): NumberProvider {
  return {
    label: GATEWAY_LABEL,
    dayMicros: 0,
    async acquire(row) {
      await placeNumber(context, sip, row);
      return null;
    },
    release: (row) => removeNumber(context, sip, row),
  };
}
