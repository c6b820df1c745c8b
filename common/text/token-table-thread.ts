import { parentPort } from "node:worker_threads";
import ranks from "gpt-tokenizer/bpeRanks/o200k_base";
import { buildTokenTable } from "./token-table.js";

// The package's own list takes 40 MB while it is read; they go with this thread.
const table = buildTokenTable(ranks);
parentPort?.postMessage(table, [table.bytes.buffer, table.ends.buffer, table.slots.buffer]);
