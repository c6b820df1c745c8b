import type { Row } from "./cell.js";
import { chaos, cut, kill } from "./fault.js";
import { byTests, onOwn, onRemote, reasoned } from "./proofs.js";

const UNAFFECTED = "streams do not notice";
const killTest = "test/faults/kill-any-process.test.ts";
const everyStream = "%s: every stream ends with the bytes of the undisturbed run";

/** What goes on without the server is no later than this, on a machine that others use too. */
const UNAFFECTED_MS = 10_000;
/** A server that is started again, or a connection that is made again. */
const BACK_MS = 20_000;
/** Faults of four seconds: more than the 1.5 s after which silence is a loss. */
const SHORT = 4000;
/** So long that the roles give the connection up by themselves, after two pings of five seconds. */
const LONG = 20_000;
/** The fault, and the 20 s after which a stream that no scheduler takes is given up. */
const LONG_MS = 45_000;

/** What happens to the servers that Parley stands on. */
export const serverRows: readonly Row[] = [
  {
    id: "nats-kill",
    component: "NATS",
    fault: "kill -9",
    cells: {
      connect: onOwn("new streams wait for it, and go on when it is back", kill("nats"), {
        ends: "all-audio-or-error",
        boundMs: BACK_MS,
      }),
      "first-audio": onOwn("chunks are submitted again when it is back", kill("nats"), { boundMs: BACK_MS }),
      "mid-stream": byTests("every stream gives the bytes of the undisturbed run", [killTest, everyStream]),
      finalising: onOwn("usage is charged once", kill("nats"), { boundMs: BACK_MS }),
    },
  },
  {
    id: "nats-partition",
    component: "NATS",
    fault: "black hole, for 4 s and for 20 s; connections reset",
    cells: {
      connect: onRemote("an answer or an error in time, and no hang", chaos("nats", { type: "black-hole" }, SHORT), {
        ends: "all-audio-or-error",
        boundMs: LONG_MS,
      }),
      "first-audio": onRemote(
        "goes on when it is over, or one error after 20 s",
        chaos("nats", { type: "black-hole" }, LONG),
        { ends: "all-audio-or-error", boundMs: LONG_MS },
      ),
      "mid-stream": onRemote(
        "silence of the bus is held against nobody; the bytes of the undisturbed run",
        chaos("nats", { type: "black-hole" }, SHORT),
        { boundMs: BACK_MS },
      ),
      finalising: onRemote("usage waits in the process and is charged once", cut("nats", SHORT), { boundMs: BACK_MS }),
    },
  },
  {
    id: "nats-slow",
    component: "NATS",
    fault: "latency, a drip, reset after reset",
    cells: {
      connect: onRemote("slower, and the same", chaos("nats", { type: "latency", delayMs: 100 }, SHORT), {
        boundMs: BACK_MS,
      }),
      "first-audio": onRemote(
        "frames that were lost are seen by their first sample, and spoken again",
        chaos("nats", { type: "reset-after", bytes: 200_000 }, SHORT),
        { boundMs: LONG_MS },
      ),
      "mid-stream": onRemote(
        "a drip of 200 KB/s: slower, and the same",
        chaos("nats", { type: "drip", bytesPerSecond: 200_000 }, SHORT),
        { boundMs: BACK_MS },
      ),
      finalising: onRemote(
        "a half closed connection is made anew; charged once",
        chaos("nats", { type: "half-close" }, SHORT),
        { boundMs: BACK_MS },
      ),
    },
  },
  {
    id: "redis-kill",
    component: "Redis",
    fault: "kill -9",
    cells: {
      connect: onOwn("keys are asked of the control plane", kill("redis"), { boundMs: UNAFFECTED_MS }),
      "first-audio": onOwn(UNAFFECTED, kill("redis"), { boundMs: UNAFFECTED_MS }),
      "mid-stream": byTests(UNAFFECTED, [killTest, everyStream]),
      finalising: onOwn(UNAFFECTED, kill("redis"), { boundMs: UNAFFECTED_MS }),
    },
  },
  {
    id: "redis-partition",
    component: "Redis",
    fault: "black hole, refused, slow",
    cells: {
      connect: onRemote("a cache that does not answer is a miss", chaos("redis", { type: "black-hole" }, SHORT), {
        boundMs: UNAFFECTED_MS,
      }),
      "first-audio": onRemote(UNAFFECTED, cut("redis", SHORT), { boundMs: UNAFFECTED_MS }),
      "mid-stream": onRemote(UNAFFECTED, chaos("redis", { type: "latency", delayMs: 500 }, SHORT), {
        boundMs: UNAFFECTED_MS,
      }),
      finalising: onRemote(UNAFFECTED, chaos("redis", { type: "half-close" }, SHORT), { boundMs: UNAFFECTED_MS }),
    },
  },
  {
    id: "postgres-loss",
    component: "Postgres",
    fault: "black hole, reset and refused, slow",
    cells: {
      connect: onRemote(
        "keys that the edge knows go on working for 30 s",
        chaos("postgres", { type: "black-hole" }, SHORT),
        { boundMs: UNAFFECTED_MS },
      ),
      "first-audio": onRemote(UNAFFECTED, cut("postgres", SHORT), { boundMs: UNAFFECTED_MS }),
      "mid-stream": onRemote(UNAFFECTED, chaos("postgres", { type: "latency", delayMs: 1000 }, SHORT), {
        boundMs: UNAFFECTED_MS,
      }),
      finalising: onRemote("usage waits on the bus and is charged once", cut("postgres", 8000), {
        boundMs: UNAFFECTED_MS,
      }),
    },
  },
  {
    id: "clickhouse-loss",
    component: "ClickHouse",
    fault: "away all the time, in every way",
    cells: {
      connect: onRemote(UNAFFECTED, chaos("clickhouse", { type: "black-hole" }, SHORT), { boundMs: UNAFFECTED_MS }),
      "first-audio": onRemote(UNAFFECTED, cut("clickhouse", SHORT), { boundMs: UNAFFECTED_MS }),
      "mid-stream": onRemote(UNAFFECTED, chaos("clickhouse", { type: "half-close" }, SHORT), {
        boundMs: UNAFFECTED_MS,
      }),
      finalising: byTests(
        "usage waits on the bus; exact sums after it is back",
        [
          "test/analytics/ingestion.test.ts",
          "keeps usage on the bus while the engine fails, drops what nobody can read, and goes on where it was",
        ],
        [
          "test/analytics/ingestion.test.ts",
          "counts every request exactly once, though each came up to three times and consumers were killed in the middle of it",
        ],
      ),
    },
  },
  {
    id: "object-store-loss",
    component: "object store",
    fault: "away, busy, breaks off",
    cells: {
      connect: byTests("a control plane starts without it", [
        "control-plane/storage/configured-store.test.ts",
        "a control plane starts while its S3 store does not answer",
      ]),
      "first-audio": byTests(
        "a request is tried three times, and no longer",
        ["common/objects/s3-client.test.ts", "gives up after three times"],
        ["common/objects/s3-client.test.ts", "does not wait for ever"],
      ),
      "mid-stream": byTests("a recording waits in the runtime and is stored in order", [
        "agents/recording/conversation-recorder.test.ts",
        "stores what waited when the object store is back, in order, and gives up in time at the end",
      ]),
      finalising: byTests(
        "a recording that cannot be finished says so; the session completes",
        ["control-plane/recordings/entity.test.ts", "says why it failed"],
        [
          "control-plane/recordings/recording-files.test.ts",
          "are not said to be lost while an S3 store does not answer",
        ],
      ),
    },
  },
  {
    id: "livekit-loss",
    component: "LiveKit",
    fault: "away, restarted",
    cells: {
      connect: byTests(
        "502, and everything else works",
        ["test/sessions/livekit.test.ts", "cannot be had from a server that is not there, refuses, or does not answer"],
        ["test/sessions/sessions.test.ts", "leave nothing where the room server is away, or no runtime takes them"],
      ),
      "first-audio": byTests("an agent that cannot join says so", [
        "test/agents/room.test.ts",
        "cannot be opened with a key that the server does not know, or where there is none",
      ]),
      "mid-stream": byTests("agent and caller come back to their room", [
        "test/agents/room.test.ts",
        "finds its room and its caller again after the server was away",
      ]),
      finalising: byTests("the session is over although its room cannot be deleted", [
        "agents/conversation/conversation.test.ts",
        "is over although the room server is away at its end",
      ]),
    },
  },
  {
    id: "jetstream-cut",
    component: "JetStream",
    fault: "files of a stream cut off, or written to the disk in part when power failed",
    cells: {
      connect: byTests("a stream whose description cannot be read is refused in words", [
        "test/launcher/damaged-stores.test.ts",
        "a JetStream whose stream cannot be read",
      ]),
      "first-audio": reasoned(
        "nothing is lost with an index",
        "nats-server 2.9.10 makes the .idx and .fss files of a stream anew from its blocks, and says nothing: tried by hand",
      ),
      "mid-stream": reasoned(
        "what was in the rest of an earlier block is gone, and nobody says so",
        "nats-server 2.9.10 starts with the messages it can read, later blocks included, and neither its log nor the stream's state names the others: tried by hand. A stream from which messages are deleted has such gaps anyway. Usage that is booked already is in the database; an object with a gap fails at its digest",
      ),
      finalising: byTests("a stream that lost its end is said to have, and new messages are dealt with", [
        "test/common/lost-stream-end.test.ts",
        "a stream whose end was cut off is said to be, and what is stored from then on is dealt with",
      ]),
    },
  },
  {
    id: "disk",
    component: "disk, descriptors, memory",
    fault: "full",
    cells: {
      connect: byTests("a first start is refused in words, and leaves nothing half made", [
        "test/launcher/full-disk-start.test.ts",
        "is refused in words, and leaves no half made database",
      ]),
      "first-audio": byTests(
        "what must be stored is refused with 503; speech goes on; without descriptors new connections wait",
        [
          "test/launcher/full-disk-cluster.test.ts",
          "speaks while the control plane, killed on a full disk, cannot start, says why it cannot, and has it back when there is room",
        ],
        ["test/faults/descriptors.test.ts", "an edge without a file descriptor left speaks to its end"],
      ),
      "mid-stream": byTests(
        "memory is bounded whatever comes in",
        ["test/attack/memory.test.ts", "do not fill the memory, however much comes before they slow down"],
        [
          "test/attack/memory.test.ts",
          "take no more than their share of memory, complete or not, while nobody reads them",
        ],
      ),
      finalising: reasoned(
        "usage waits and is charged afterwards",
        "the test of it in test/launcher/full-disk-cluster.test.ts needs a clock that counts processor time, and is left out where there is none",
      ),
    },
  },
];
