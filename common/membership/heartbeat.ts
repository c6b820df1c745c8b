import { HEARTBEAT_INTERVAL_MS, type Heartbeat, membersSubject } from "#protocol/bus/membership";
import type { Bus } from "../bus/bus.js";
import type { Clock } from "../clock.js";
import { Membership, type MembershipChange } from "./membership.js";

/**
 * Keeps a `Membership` up to date from the bus, and reports changes. Silence during a lost bus connection is not held
 * against anyone.
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
  const subscription = bus.subscribe<Heartbeat>(membersSubject, (heartbeat) => {
    for (const change of members.receive(heartbeat, clock.nowMs())) onChange(change);
  });
  bus.onReconnect(() => members.forgiveSilence(clock.nowMs()));
  const lookAfter = async (suspect: Heartbeat, ask: (member: Heartbeat) => Promise<boolean>): Promise<void> => {
    if (await ask(suspect)) return;
    for (const change of members.dropSuspect(suspect, clock.nowMs())) onChange(change);
  };
  const stopSweep = every(clock, HEARTBEAT_INTERVAL_MS, () => {
    if (!bus.isConnected()) return members.forgiveSilence(clock.nowMs());
    for (const change of members.expire(clock.nowMs())) onChange(change);
    if (isThere !== undefined) for (const suspect of members.suspects(clock.nowMs())) void lookAfter(suspect, isThere);
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
