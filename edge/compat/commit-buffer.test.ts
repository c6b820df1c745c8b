import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { SocketAudioBudget, socketAudioLimits } from "../transcription/socket-audio-budget.js";
import { type AudioCommit, CommitBuffer } from "./commit-buffer.js";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const limits = { bytesPerSocket: 10, commitsPerSocket: 2, totalBytes: 15, totalCommits: 3 };

function commitOf(buffer: CommitBuffer): AudioCommit {
  const commit = buffer.commit();
  if (typeof commit === "string") throw new Error(commit);
  return commit;
}
const never = new AbortController().signal;
const textOf = async (commit: AudioCommit): Promise<string> => Buffer.from(await commit.audio.file(never)).toString();

describe("what a socket holds", () => {
  it("is a file in the order in which it came", async () => {
    const buffer = new CommitBuffer(new SocketAudioBudget());
    for (const text of ["one ", "", "two"]) expect(buffer.append(base64(text))).toBeNull();
    expect(buffer.bytes).toBe(7);
    const commit = commitOf(buffer);
    expect(buffer.bytes).toBe(0);
    expect(await textOf(commit)).toBe("one two");
  });

  it("is copied in many turns of the event loop, and no further once nobody wants it", async () => {
    const buffer = new CommitBuffer(new SocketAudioBudget());
    const part = Buffer.alloc(1024 * 1024, 7).toString("base64");
    for (let count = 0; count < 20; count++) expect(buffer.append(part)).toBeNull();
    let turns = 0;
    const count = (): void => {
      turns++;
      if (turns < 1000) setImmediate(count);
    };
    const commit = commitOf(buffer);
    setImmediate(count);
    const file = await commit.audio.file(never);
    expect([file.length, file.every((byte) => byte === 7)]).toEqual([20 * 1024 * 1024, true]);
    expect(turns).toBeGreaterThanOrEqual(19);
    const gone = new AbortController();
    const building = commit.audio.file(gone.signal);
    gone.abort(new Error("gone"));
    await expect(building).rejects.toThrow("gone");
  });

  it("is read as it comes in, to the end of the turn, in the order in which it came however it was cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 80_000 }), fc.boolean()), { minLength: 1, maxLength: 8 }),
        async (parts) => {
          const buffer = new CommitBuffer(new SocketAudioBudget());
          const read: Uint8Array[] = [];
          const { held } = buffer;
          const reading = (async () => {
            for await (const bytes of held.read(never)) read.push(Buffer.from(bytes));
          })();
          const sent: Uint8Array[] = [];
          for (const [index, [bytes, waits]] of parts.entries()) {
            sent.push(Buffer.alloc(bytes, index + 1));
            buffer.append(sent.at(-1));
            if (!waits) continue;
            const readBytes = (): number => read.reduce((sum, { length }) => sum + length, 0);
            await expect.poll(readBytes, { interval: 1 }).toBe(held.bytes);
          }
          const commit = commitOf(buffer);
          expect(commit.audio).toBe(held);
          await reading;
          expect(Buffer.concat(read).equals(Buffer.concat(sent))).toBe(true);
          expect(Buffer.from(await held.file(never)).equals(Buffer.concat(sent))).toBe(true);
        },
      ),
      { numRuns: howMany(30), seed: 2 },
    );
  });

  it("is not read on when nobody wants it any more", async () => {
    const buffer = new CommitBuffer(new SocketAudioBudget());
    const gone = new AbortController();
    const reading = buffer.held.read(gone.signal).next();
    gone.abort(new Error("gone"));
    await expect(reading).rejects.toThrow("gone");
  });

  it.each(["%%%", "A", "AAAAA", 5, null, undefined, "AA=A"])("is no %j", (value) => {
    const buffer = new CommitBuffer(new SocketAudioBudget());
    expect([buffer.append(value), buffer.bytes]).toEqual(["malformed", 0]);
  });

  it("is bounded together with what is under way, so that there is room to put it back", async () => {
    const budget = new SocketAudioBudget(limits);
    const buffer = new CommitBuffer(budget);
    expect(buffer.append(base64("123456"))).toBeNull();
    const commit = commitOf(buffer);
    expect(buffer.append(base64("78901"))).toBe("socket full");
    expect(buffer.append(base64("7890"))).toBeNull();
    commit.requeue();
    expect(buffer.bytes).toBe(10);
    expect(buffer.append(base64("1"))).toBe("socket full");
    const again = commitOf(buffer);
    expect(await textOf(again)).toBe("1234567890");
    again.done();
    expect([budget.bytes, budget.commits]).toEqual([0, 0]);
    expect(buffer.append(base64("1234567890"))).toBeNull();
  });

  it("keeps its audio when no further commit may wait", async () => {
    const buffer = new CommitBuffer(new SocketAudioBudget(limits));
    const commits = ["a", "b"].map((text) => {
      buffer.append(base64(text));
      return commitOf(buffer);
    });
    buffer.append(base64("c"));
    expect([buffer.commit(), buffer.bytes]).toEqual(["commits waiting", 1]);
    commits[0]?.done();
    expect(await textOf(commitOf(buffer))).toBe("c");
  });

  it("is bounded together with what the other sockets of the process hold", async () => {
    const budget = new SocketAudioBudget(limits);
    const [one, other] = [new CommitBuffer(budget), new CommitBuffer(budget)];
    expect(one.append(base64("1234567890"))).toBeNull();
    expect(other.append(base64("123456"))).toBe("process full");
    expect(other.append(base64("12345"))).toBeNull();
    one.clear();
    expect(other.append(base64("12345"))).toBeNull();
    const commits = [commitOf(one), commitOf(one), commitOf(other)];
    expect(other.commit()).toBe("process full");
    for (const commit of commits) commit.done();
    expect(typeof other.commit()).toBe("object");
  });

  it("gets back several commits in their order, before what was appended since", async () => {
    const buffer = new CommitBuffer(new SocketAudioBudget());
    const commits = ["a", "b", "c"].map((text) => {
      buffer.append(base64(text));
      return commitOf(buffer);
    });
    buffer.append(base64("d"));
    commits[0]?.requeue();
    commits[1]?.done();
    commits[2]?.requeue();
    expect(await textOf(commitOf(buffer))).toBe("acd");
  });

  it("gets back nothing that the client has forgotten since", async () => {
    const budget = new SocketAudioBudget();
    const buffer = new CommitBuffer(budget);
    buffer.append(base64("old"));
    const commit = commitOf(buffer);
    buffer.clear();
    buffer.append(base64("new"));
    commit.requeue();
    expect([await textOf(commitOf(buffer)), budget.bytes]).toEqual(["new", 3]);
  });

  it("gives all its room back, whatever happens in whatever order", async () => {
    const step = fc.oneof(
      fc.integer({ min: 0, max: 6 }).map((bytes) => ({ append: bytes })),
      fc.constantFrom("commit", "clear", "done", "requeue"),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new SocketAudioBudget(limits);
        const buffer = new CommitBuffer(budget);
        const inFlight: AudioCommit[] = [];
        for (const one of steps) {
          if (typeof one === "object") buffer.append(base64("x".repeat(one.append)));
          else if (one === "clear") buffer.clear();
          else if (one === "done" || one === "requeue") inFlight.shift()?.[one]();
          else {
            const commit = buffer.commit();
            if (typeof commit !== "string") inFlight.push(commit);
          }
          expect(budget.bytes).toBeLessThanOrEqual(limits.bytesPerSocket);
          expect(budget.commits).toBe(inFlight.length);
        }
        for (const commit of inFlight) {
          commit.requeue();
          commit.done();
        }
        expect(budget.bytes).toBe(buffer.bytes);
        buffer.clear();
        expect([budget.bytes, budget.commits]).toEqual([0, 0]);
      }),
      { numRuns: howMany(500) },
    );
  });

  it("is whole however small its parts were", async () => {
    const buffer = new CommitBuffer(new SocketAudioBudget());
    const parts = Array.from({ length: 50_000 }, (_, index) => String.fromCharCode(97 + (index % 26)).repeat(4));
    for (const part of parts) buffer.append(base64(part));
    expect(await textOf(commitOf(buffer))).toBe(parts.join(""));
  });

  it("is a hundred mebibytes a socket, and more in all", async () => {
    expect(socketAudioLimits.bytesPerSocket).toBe(100 * 1024 * 1024);
    expect(socketAudioLimits.totalBytes).toBeGreaterThan(socketAudioLimits.bytesPerSocket);
  });
});
