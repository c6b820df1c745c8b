/** Roles that are scaled out. */
export const scaledRoles = ["edge", "scheduler", "worker"] as const;
export type ScaledRole = (typeof scaledRoles)[number];

/** Processor time of one process: of its event loop, and of its other threads together. */
export interface ProcessTime {
  role: ScaledRole;
  loopSeconds: number;
  otherSeconds: number;
}

/** What the processes of one role did. */
export interface RoleLoad {
  processes: number;
  /** Processor milliseconds of all of them for each second of audio. */
  msPerSecond: number;
  /** Of the busiest process: its event loop, or its other threads, whichever had more to do. */
  busiestMsPerSecond: number;
  /** Part of the role's work that the busiest process did; 0.5 is an even share of two. */
  busiestPart: number;
  /** Streams that are played as fast as they are heard until one core is not enough for that event loop or thread. */
  fullAtStreams: number;
}

/** The load of each role while so many seconds of audio were spoken. */
export function roleLoads(times: readonly ProcessTime[], audioSeconds: number): Record<ScaledRole, RoleLoad> {
  const of = (role: ScaledRole): RoleLoad => {
    const own = times.filter((time) => time.role === role);
    const busy = ({ loopSeconds, otherSeconds }: ProcessTime): number => loopSeconds + otherSeconds;
    const all = own.reduce((sum, time) => sum + busy(time), 0);
    const narrowest = Math.max(...own.map(({ loopSeconds, otherSeconds }) => Math.max(loopSeconds, otherSeconds)));
    return {
      processes: own.length,
      msPerSecond: (all * 1000) / audioSeconds,
      busiestMsPerSecond: (narrowest * 1000) / audioSeconds,
      busiestPart: Math.max(...own.map(busy)) / all,
      fullAtStreams: audioSeconds / narrowest,
    };
  };
  return { edge: of("edge"), scheduler: of("scheduler"), worker: of("worker") };
}
