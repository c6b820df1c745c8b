import type { Bus } from "#common/bus/bus";
import type { MinuteWindows } from "#common/cache/minute-windows";
import type { Logger } from "#common/log";
import type { Sealer } from "#common/secrets/sealer";
import type { Attachables } from "../agents/attachables.js";
import type { Db } from "../database/database.js";
import type { AgentRuntimes } from "./agent-runtimes.js";
import type { RoomServer } from "./rooms.js";
import type { ModelFolders, Served } from "./speech-capacity.js";

/** What the operator sets. */
export interface SessionSettings {
  /** How long a caller may take to join. */
  joinMs: number;
  /** Sessions that callers without a key may begin in a minute; 0 is no limit. */
  visitorsPerAgent: number;
  visitorsPerAddress: number;
}

/** What the parts of this folder work with. */
export interface SessionContext {
  db: Db;
  bus: Pick<Bus, "publish" | "subjectLog">;
  log: Logger;
  sealer: Sealer;
  attachables: Attachables;
  /** Null where no room server is configured. */
  rooms: RoomServer | null;
  runtimes: AgentRuntimes;
  /** What recognizes and speaks in this cluster. */
  served: Served;
  modelFolders: ModelFolders;
  windows: MinuteWindows;
  settings: SessionSettings;
  /** Wall-clock time. */
  now: () => Date;
}
