import { z } from "zod";

const timestamp = z.iso.datetime();

/**
 * Answer of `GET /wallet/{user_id}/api-credit` (docs/protocol.md "Wallet"). Credit is a decimal in text: no float ever
 * holds money.
 */
export const apiCredit = z.object({
  _id: z.string(),
  user_id: z.string(),
  credit: z.string(),
  cumulative_top_up: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
  has_phone_sha256: z.boolean(),
  /** Null unless asked for with `check_free_credit`. */
  has_free_credit: z.boolean().nullable(),
});
export type ApiCredit = z.infer<typeof apiCredit>;

/**
 * Answer of `GET /wallet/{user_id}/package`. A self-hosted service sells no packages: the counts are 0 and nothing
 * ends.
 */
export const walletPackage = z.object({
  _id: z.string(),
  user_id: z.string(),
  type: z.string(),
  total: z.int(),
  balance: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
  finished_at: timestamp,
  stripe_subscription_id: z.string().nullable(),
  stripe_price_id: z.string().nullable(),
  billing_period: z.string().nullable(),
  current_period_end: timestamp.nullable(),
  cancel_at_period_end: z.boolean().nullable(),
  cancel_at: timestamp.nullable(),
  scheduled_change: z.record(z.string(), z.unknown()).nullable(),
  last_synced_at: timestamp.nullable(),
  subscription_currency: z.string().nullable(),
  extra_balance: z.int().nullable(),
  has_used_trial: z.boolean(),
});
export type WalletPackage = z.infer<typeof walletPackage>;
