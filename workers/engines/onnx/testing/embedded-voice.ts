import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { readModelFolder } from "../../../repository/folder.js";
import { Phonemizer } from "../../espeak/phonemizer.js";
import { ModelThreads } from "../../model-threads.js";
import { OnnxEngine } from "../engine.js";
import { SessionPool } from "../session-pool.js";

// From dist/workers/engines/onnx/testing.
const shipped = fileURLToPath(new URL("../../../../../models/parley-en", import.meta.url));
const log = createLogger("test", "fatal");

/** The embedded English voice, as it is shipped and with other manifests, on two threads of its own. */
export class EmbeddedVoice {
  readonly #threads = new ModelThreads(2);
  readonly #copies: string[] = [];

  /** The voice as it is shipped. */
  load(): Promise<OnnxEngine> {
    return this.#load(shipped);
  }

  /** A copy whose manifest `change` has rewritten. */
  loadChanged(change: (manifest: string) => string): Promise<OnnxEngine> {
    const copy = mkdtempSync(join(tmpdir(), "parley-embedded-voice-"));
    this.#copies.push(copy);
    cpSync(shipped, copy, { recursive: true });
    const manifest = join(copy, "model.yaml");
    writeFileSync(manifest, change(readFileSync(manifest, "utf8")));
    return this.#load(copy);
  }

  /** Ends the threads and removes the copies. */
  async close(): Promise<void> {
    await this.#threads.close();
    for (const copy of this.#copies) rmSync(copy, { recursive: true });
  }

  async #load(folder: string): Promise<OnnxEngine> {
    return await OnnxEngine.load({
      model: await readModelFolder(folder),
      pool: new SessionPool(this.#threads),
      phonemizer: new Phonemizer({ log, clock: systemClock }),
      providers: ["cpu"],
      log,
    });
  }
}
