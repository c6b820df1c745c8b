import { accounts } from "./0001-accounts.js";
import { voices } from "./0002-voices.js";
import { ledger } from "./0050-ledger.js";
import type { Migration } from "./migration.js";

/** Every step, oldest first. */
export const migrations: readonly Migration[] = [accounts, voices, ledger];
