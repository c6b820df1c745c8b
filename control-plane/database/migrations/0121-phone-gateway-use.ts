import type { Migration } from "./migration.js";

/** Whether a number was ever placed at the LiveKit server; numbers that are there were. */
export const phoneGatewayUse: Migration = {
  name: "0121-phone-gateway-use",
  statements: [
    "ALTER TABLE phone_gateway ADD COLUMN in_use boolean NOT NULL DEFAULT false",
    "UPDATE phone_gateway SET in_use = EXISTS (SELECT 1 FROM phone_numbers)",
  ],
};
