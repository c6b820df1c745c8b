import { execFileSync } from "node:child_process";

/** A GPU as its driver describes it. */
export interface Gpu {
  name: string;
  memory: string;
  driver: string;
}

/** The first NVIDIA GPU of this machine, or why there is none. `program` is the driver's own command. */
export function findGpu(program = "nvidia-smi"): Gpu | { missing: string } {
  try {
    const text = execFileSync(program, ["--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [name = "", memory = "", driver = ""] = (text.trim().split("\n")[0] ?? "").split(", ");
    return name === "" ? { missing: `${program} lists no GPU` } : { name, memory, driver };
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: string };
    const reason = code === "ENOENT" ? "it is not there" : `it failed: ${(stderr ?? String(error)).trim()}`;
    return { missing: `no NVIDIA GPU was found by ${program}: ${reason}` };
  }
}
