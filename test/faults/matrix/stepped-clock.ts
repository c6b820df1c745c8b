import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../harness/temporary-directory.js";

/** The time of day of some processes, which is set while they run; their monotonic clocks go on as they are. */
export interface SteppedClock {
  /** Variables of the processes whose clock it is. */
  environment: Readonly<Record<string, string>>;
  /** Sets the clock so much ahead of the machine's, or behind it; it holds from the next look at the clock on. */
  set(aheadMs: number): void;
  remove(): void;
}

export const STEPPED_CLOCK_MISSING = "needs libfaketime: apt-get install -y faketime";

/** A clock through libfaketime; it shows the machine's time until it is set. Throws where that is not installed. */
export function startSteppedClock(): SteppedClock {
  const library = findLibrary();
  if (library === null) throw new Error(STEPPED_CLOCK_MISSING);
  const directory = temporaryDirectory("clock");
  const file = join(directory.path, "ahead");
  const set = (aheadMs: number): void => {
    const next = `${file}.next`;
    writeFileSync(next, `${aheadMs < 0 ? "-" : "+"}${Math.abs(aheadMs) / 1000}\n`);
    renameSync(next, file);
  };
  set(0);
  return {
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      // It is read at every look at the clock: otherwise processes would be set seconds apart.
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
    set,
    remove: directory.remove,
  };
}

export const canStepClock = (): boolean => findLibrary() !== null;

/** The library for programs with threads, where Debian has it; null where it is not installed. */
function findLibrary(): string | null {
  const name = "faketime/libfaketimeMT.so.1";
  const folders = ["/usr/lib", ...readdirSync("/usr/lib").map((folder) => join("/usr/lib", folder))];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}
