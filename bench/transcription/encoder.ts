import { spawnSync } from "node:child_process";

/** Says in one line that `program` cannot be run to encode the recordings; null when it can. */
export function missingEncoder(program = "ffmpeg"): string | null {
  const { error } = spawnSync(program, ["-version"], { stdio: "ignore" });
  return error === undefined ? null : `${program} is missing, which makes the recordings: apt-get install ffmpeg`;
}
