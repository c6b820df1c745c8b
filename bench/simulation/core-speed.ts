import type { Batch } from "#protocol/bus/scheduling";
import { SchedulerCore } from "#scheduler/core/scheduler-core";
import { schedulingPolicy } from "#scheduler/policy";
import { done, submit, workerHeartbeat } from "#scheduler/testing/fixtures";

/**
 * `node dist/bench/simulation/core-speed.js`: events per second of one core with 2,000 busy workers and a standing
 * queue of 20,000 streams.
 */
const WORKERS = 2000;
const QUEUED = 20_000;
const ROUNDS = 200_000;

const policy = schedulingPolicy({ PARLEY_QUEUE_CHUNKS: 1_000_000, PARLEY_ADMISSION_WAIT_MS: 600_000 });
const core = new SchedulerCore({ schedulerId: "scheduler-1", epoch: "a", policy });
const running: { workerId: string; batch: Batch }[] = [];
let nowMs = 0;

function send(event: Parameters<SchedulerCore["handle"]>[0]): void {
  for (const effect of core.handle(event, nowMs).effects) {
    if (effect.to === "worker" && effect.message.type === "batch")
      running.push({ workerId: effect.workerId, batch: effect.message });
  }
}

const tiers = ["live", "live", "live", "free", "bulk"] as const;
const submission = (index: number): ReturnType<typeof submit> =>
  submit({
    stream: `t${index}`,
    index: index % 3,
    tier: tiers[index % tiers.length],
    slackMs: (index * 7919) % 5000,
    size: 20 + (index % 80),
  });

for (let index = 0; index < WORKERS; index += 1)
  send({ type: "worker-seen", heartbeat: workerHeartbeat({ id: `w${index}` }) });
for (let index = 0; index < WORKERS + QUEUED; index += 1) send(submission(index));

// Messages are made before the measurement: it is the core that is measured.
const submissions = Array.from({ length: ROUNDS }, (_, round) => submission(WORKERS + QUEUED + round));
const before = process.cpuUsage();
for (let round = 0; round < ROUNDS; round += 1) {
  const finished = running[round];
  if (finished === undefined) throw new RangeError("nothing runs: the core has stopped dispatching");
  nowMs += 0.1;
  send(done(finished.workerId, finished.batch));
  send(submissions[round] ?? submission(0));
}
// Processor time, collection of garbage included: what one core of an idle machine would take.
const used = process.cpuUsage(before);
const tookMs = (used.user + used.system) / 1000;
const eventsPerSecond = Math.round((2 * ROUNDS * 1000) / tookMs);
const eachUs = ((tookMs * 1000) / (2 * ROUNDS)).toFixed(2);
process.stdout.write(`${WORKERS} workers, ${QUEUED} streams queued: ${eventsPerSecond} events/s, ${eachUs} us each\n`);
