import { HEARTBEAT_INTERVAL_MS, type Heartbeat, membersSubject } from "#protocol/bus/membership";
import type { Bus } from "../bus/bus.js";
import type { Clock } from "../clock.js";
import { AttendedTime } from "./attended-time.js";
import { Membership, type MembershipChange } from "./membership.js";

/** A sweep that comes later than this comes from a process that stood still, not from a timer that is late. */
const LONGEST_SWEEP_MS = 2 * HEARTBEAT_INTERVAL_MS;

/**
 * Keeps a `Membership` up to date from the bus, and reports changes. Silence during a lost bus connection, or while this
 * process stood still, is not held against anyone: of what came meanwhile nothing is read yet when the sweep's timer
 * fires, and all workers would be gone for as long as it takes to read it.
 */
export function followMembers(options: {
  bus: Bus;
  clock: Clock;
  onChange: (change: MembershipChange) => void;
  /**
   * Says of a member that has missed heartbeats whether it is there; where it is not, it is lost at once. All are
   * waited for when absent.
   */
  isThere?: (member: Heartbeat) => Promise<boolean>;
}): { members: Membership; stop: () => void } {
  const { bus, clock, onChange, isThere } = options;
  const members = new Membership();
  const attended = new AttendedTime(clock, LONGEST_SWEEP_MS);
  const subscription = bus.subscribe<Heartbeat>(membersSubject, (heartbeat) => {
    for (const change of members.receive(heartbeat, attended.nowMs())) onChange(change);
  });
  bus.onReconnect(() => members.forgiveSilence(attended.nowMs()));
  const lookAfter = async (suspect: Heartbeat, ask: (member: Heartbeat) => Promise<boolean>): Promise<void> => {
    if (await ask(suspect)) return;
    for (const change of members.dropSuspect(suspect, attended.nowMs())) onChange(change);
  };
  const stopSweep = every(clock, HEARTBEAT_INTERVAL_MS, () => {
    const nowMs = attended.tick();
    if (!bus.isConnected()) return members.forgiveSilence(nowMs);
    for (const change of members.expire(nowMs)) onChange(change);
    if (isThere !== undefined) for (const suspect of members.suspects(nowMs)) void lookAfter(suspect, isThere);
  });
  return {
    members,
    stop: () => {
      subscription.unsubscribe();
      stopSweep();
    },
  };
}

/**
 * Says at once, then at every interval, that this process lives. `say` sends an extra heartbeat now, for a change worth
 * knowing early.
 */
export function sendHeartbeats(options: { bus: Bus; clock: Clock; describe: () => Heartbeat }): {
  say: () => void;
  stop: () => void;
} {
  const say = (): void => options.bus.publish(membersSubject, options.describe());
  say();
  return { say, stop: every(options.clock, HEARTBEAT_INTERVAL_MS, say) };
}

function every(clock: Clock, intervalMs: number, action: () => void): () => void {
  let cancel = clock.after(intervalMs, tick);
  function tick(): void {
    cancel = clock.after(intervalMs, tick);
    action();
  }
  return () => cancel();
}
