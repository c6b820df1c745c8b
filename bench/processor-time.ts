import { readdirSync, readFileSync } from "node:fs";

/** Kernel ticks per second in `/proc` (USER_HZ, 100 on every Linux architecture that Node.js runs on). */
const TICKS_PER_SECOND = 100;

/** Processor seconds of the machine since it started, over all cores. */
export interface MachineTime {
  busy: number;
  /** Taken by the hypervisor for other machines. */
  stolen: number;
}

/** `/proc/stat`, see proc(5): user nice system idle iowait irq softirq steal. */
export function machineTime(): MachineTime {
  const ticks = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "").trim().split(/\s+/).slice(1).map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks;
  return { busy: (user + nice + system + irq + softirq) / TICKS_PER_SECOND, stolen: steal / TICKS_PER_SECOND };
}

/** Processor seconds in a `stat` file of a process or thread. */
interface StatSeconds {
  own: number;
  /** Of the children that ended and were waited for, and of theirs. */
  ended: number;
}

/** Zeros when it is gone. */
function secondsOf(statPath: string): StatSeconds {
  let text: string;
  try {
    text = readFileSync(statPath, "utf8");
  } catch {
    // It ended between being listed and being read.
    return { own: 0, ended: 0 };
  }
  // The name in parentheses may hold spaces: fields are counted from behind it; utime, stime, cutime and cstime are
  // fields 14 to 17.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const seconds = (first: number): number => (Number(fields[first]) + Number(fields[first + 1])) / TICKS_PER_SECOND;
  return { own: seconds(11), ended: seconds(13) };
}

/** Processor seconds that a process, all threads together, has used. */
export function processSeconds(pid: number): number {
  return secondsOf(`/proc/${pid}/stat`).own;
}

/** The same of its first thread, which in Node.js runs the event loop. */
export function mainThreadSeconds(pid: number): number {
  return secondsOf(`/proc/${pid}/task/${pid}/stat`).own;
}

/** Direct children of a process. */
export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid);
}

/** Processor seconds of a process and all its descendants, those that ended included. */
export function treeSeconds(pid: number): number {
  const { own, ended } = secondsOf(`/proc/${pid}/stat`);
  return own + ended + childrenOf(pid).reduce((sum, child) => sum + treeSeconds(child), 0);
}

function parentOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    // It ended between being listed and being read.
    return 0;
  }
}
