import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { expect, it } from "vitest";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { embeddedModels } from "../repository/embedded.js";
import type { ModelFolder } from "../repository/folder.js";
import { openRepository } from "../repository/repository.js";
import { loadEngines } from "./load.js";

/** How many threads of this process go after its own priority (proc(5), field 19 of stat). */
function threadsBehind(): number {
  const nice = readdirSync("/proc/self/task").map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  });
  return nice.filter((value) => value > getPriority()).length;
}

it.runIf(process.platform === "linux")(
  "opens models as fast as the process may, and has general work go behind speech from then on",
  async () => {
    const { models } = await openRepository([embeddedModels], ["parley-en"]);
    let whileLoading: number | null = null;
    // Its turn comes when the voice is open and warm.
    const last = {
      manifest: {
        ...{ name: "last", task: "transcribe" },
        get engine() {
          whileLoading ??= threadsBehind();
          return "none";
        },
      },
    } as unknown as ModelFolder;
    const loaded = await loadEngines(
      { models: [...models, last], broken: [] },
      { slots: 2, reservedSlots: 1, providers: ["cpu"], log: createLogger("test", "silent"), clock: systemClock },
    );
    expect([...loaded.engines.keys()]).toEqual(["parley-en"]);
    expect(whileLoading).toBe(0);
    expect(threadsBehind()).toBe(2);
    await loaded.close();
  },
  60_000,
);
