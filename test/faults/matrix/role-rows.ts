import type { Row } from "./cell.js";
import { besideRestarts } from "./beside-restarts.js";
import { kill, pause, stop, stopEach } from "./fault.js";
import { byTests, underLoad, onOwn, reasoned } from "./proofs.js";

const SAME = "every stream gives the bytes of the undisturbed run";
const killTest = "test/faults/kill-any-process.test.ts";
const everyStream = "%s: every stream ends with the bytes of the undisturbed run";

/** How long a process may take to be back, and what waits for it with it: a worker loads its models. */
const RESTART_MS = 20_000;
/**
 * Silence of a member for 1.5 s is its loss; then its chunks are spoken again. The bound is where a stream would be given
 * up: that much a machine which others use may take.
 */
const REPAIR_MS = 20_000;
/** A pause of five seconds, and what it held up. */
const PAUSE = 5000;
const PAUSED_MS = 20_000;

/** What four loads without a pause take from the streams. */
const LOADED_MS = 60_000;
const both = (role: string): string[] => [`${role}-1`, `${role}-2`];

/** What happens to the processes of Parley. */
export const roleRows: readonly Row[] = [
  {
    id: "edge-kill",
    component: "edge",
    fault: "kill -9",
    cells: {
      connect: onOwn(
        "connections are refused, not left hanging; the next try finds the edge that is started again",
        kill("edge"),
        { ends: "all-audio-or-error", boundMs: RESTART_MS },
      ),
      "first-audio": onOwn("sockets and bodies break off at once, and say so", kill("edge"), {
        ends: "all-audio-or-error",
        boundMs: RESTART_MS,
      }),
      "mid-stream": onOwn(
        "what was given is the beginning of the audio; code 1006, or a body without its end",
        kill("edge"),
        { ends: "all-audio-or-error", boundMs: RESTART_MS },
      ),
      finalising: byTests(
        "what was given is charged once, as partial",
        ["test/attack/with-a-key.test.ts", "pays once for what a stream gave whose edge was killed, marked partial"],
        ["test/control-plane/open-usage.test.ts", "leaves out requests whose end is booked already"],
      ),
    },
  },
  {
    id: "edge-pause",
    component: "edge",
    fault: "SIGSTOP for 5 s",
    cells: {
      connect: onOwn("connections wait, and are served when it goes on", pause("edge", PAUSE), { boundMs: PAUSED_MS }),
      "first-audio": onOwn(SAME, pause("edge", PAUSE), { boundMs: PAUSED_MS }),
      "mid-stream": onOwn("the stream goes on where it was, in order", pause("edge", PAUSE), { boundMs: PAUSED_MS }),
      finalising: onOwn("streams end, and are charged once", pause("edge", PAUSE), { boundMs: PAUSED_MS }),
    },
  },
  {
    id: "scheduler-kill",
    component: "scheduler",
    fault: "kill -9",
    cells: {
      connect: onOwn("new streams go to the other scheduler", kill("scheduler-1"), { boundMs: REPAIR_MS }),
      "first-audio": onOwn("chunks are submitted again", kill("scheduler-1"), { boundMs: REPAIR_MS }),
      "mid-stream": byTests(SAME, [killTest, everyStream]),
      finalising: onOwn("streams end, and are charged once", kill("scheduler-2"), { boundMs: REPAIR_MS }),
    },
  },
  {
    id: "scheduler-pause",
    component: "scheduler",
    fault: "SIGSTOP for 5 s",
    cells: {
      connect: onOwn("who is silent is avoided", pause("scheduler-1", PAUSE), { boundMs: PAUSED_MS }),
      "first-audio": onOwn(SAME, pause("scheduler-1", PAUSE), { boundMs: PAUSED_MS }),
      "mid-stream": onOwn(
        "chunks of the silent one are submitted to the other; what it still does is ignored",
        pause("scheduler-2", PAUSE),
        { boundMs: PAUSED_MS },
      ),
      finalising: onOwn("streams end, and are charged once", pause("scheduler-2", PAUSE), { boundMs: PAUSED_MS }),
    },
  },
  {
    id: "worker-kill",
    component: "worker",
    fault: "kill -9",
    cells: {
      connect: onOwn("not chosen once it is known to be gone", kill("worker-1"), { boundMs: REPAIR_MS }),
      "first-audio": onOwn("spoken by another worker", kill("worker-2"), { boundMs: REPAIR_MS }),
      "mid-stream": byTests(
        SAME,
        [killTest, everyStream],
        ["speech/stream/speech-stream.test.ts", "whatever the faults, up to two per chunk"],
      ),
      finalising: onOwn("the last chunk is spoken again: no short success", kill("worker-1"), { boundMs: REPAIR_MS }),
    },
  },
  {
    id: "worker-pause",
    component: "worker",
    fault: "SIGSTOP for 5 s",
    cells: {
      connect: onOwn("not chosen after 1.5 s of silence", pause("worker-1", PAUSE), { boundMs: PAUSED_MS }),
      "first-audio": onOwn("spoken by another worker; late frames are dropped", pause("worker-1", PAUSE), {
        boundMs: PAUSED_MS,
      }),
      "mid-stream": onOwn("as where it is killed; no sample comes twice when it goes on", pause("worker-2", PAUSE), {
        boundMs: PAUSED_MS,
      }),
      finalising: onOwn("streams end, and are charged once", pause("worker-2", PAUSE), { boundMs: PAUSED_MS }),
    },
  },
  {
    id: "engine-failure",
    component: "engine of a worker",
    fault: "out of memory, CUDA fault",
    cells: {
      connect: reasoned(
        "other streams are admitted",
        "an engine fails at a batch; nothing is asked of it before there is one",
      ),
      "first-audio": byTests(
        "tried again elsewhere where another try is worth it",
        ["test/workers/worker.test.ts", "fails what it cannot speak, and says whether another try is worth it"],
        ["speech/stream/speech-stream.test.ts", "ends at once when the engine says that no attempt can succeed"],
      ),
      "mid-stream": byTests(
        "three attempts, then one error",
        ["speech/stream/speech-stream.test.ts", "ends with synthesis_failed after three of them"],
        [
          "scheduler/core/losses.test.ts",
          "gives up a batch that is long overdue, and trusts its slot again only later",
        ],
      ),
      finalising: byTests("a body that cannot be completed breaks off", [
        "edge/routes/speech/speech-file.test.ts",
        "breaks off when the sound cannot be completed or encoded",
      ]),
    },
  },
  {
    id: "model-failure",
    component: "model",
    fault: "cannot be loaded",
    cells: {
      connect: byTests(
        "others are served; the model answers no_worker",
        [
          "edge/routes/speech/speech-file.test.ts",
          "passes a refusal of the first chunk on, and no_worker when nobody serves the model",
        ],
        ["workers/repository/repository.test.ts", "serves the first of two models with one name"],
      ),
      "first-audio": byTests("soon an error, not a wait without end", [
        "speech/stream/speech-stream.test.ts",
        "fails with no_worker when nobody serves the model, soon or after an outage",
      ]),
      "mid-stream": byTests("running streams are handed back where no worker returns", [
        "scheduler/core/losses.test.ts",
        "refuses new streams of a model that nobody serves, and hands running ones back when no worker returns",
      ]),
      finalising: reasoned("nothing", "a stream that has its last chunk needs no model any more"),
    },
  },
  {
    id: "control-plane-kill",
    component: "control plane",
    fault: "kill -9",
    cells: {
      connect: onOwn("keys that the edge knows go on working", kill("control-plane"), { boundMs: REPAIR_MS }),
      "first-audio": onOwn(SAME, kill("control-plane"), { boundMs: REPAIR_MS }),
      "mid-stream": byTests(SAME, [killTest, everyStream]),
      finalising: onOwn("usage waits on the bus and is charged once", kill("control-plane"), { boundMs: REPAIR_MS }),
    },
  },
  {
    id: "rolling-deployment",
    component: "every role",
    fault: "SIGTERM, one after the other",
    cells: {
      connect: onOwn("a scheduler that drains takes nothing new; the other does", stop("scheduler-1"), {
        boundMs: REPAIR_MS,
      }),
      "first-audio": onOwn("a worker finishes what it speaks", stop("worker-1"), { boundMs: REPAIR_MS }),
      "mid-stream": onOwn(
        "an edge lets running streams finish within PARLEY_DRAIN_MS, and then ends them with one error",
        stop("edge"),
        { ends: "all-audio-or-error", boundMs: RESTART_MS },
      ),
      finalising: onOwn(
        "a control plane answers what it has, and settles usage before it goes",
        stop("control-plane"),
        { boundMs: REPAIR_MS },
      ),
    },
  },
  {
    id: "rolling-restart",
    component: "every role",
    fault: "SIGTERM, one after the other, under constant load",
    cells: {
      connect: underLoad(
        "no request fails or changes while both schedulers are replaced",
        stopEach(both("scheduler")),
        { ...{ boundMs: LOADED_MS, beside: besideRestarts({ records: true }) } },
      ),
      "first-audio": underLoad("nor while both workers are", stopEach(both("worker")), {
        ...{ boundMs: LOADED_MS, beside: besideRestarts({ records: true }) },
      }),
      "mid-stream": underLoad(
        "no speech and no transcription fails while the only control plane is replaced",
        stopEach(["control-plane"]),
        { boundMs: LOADED_MS, beside: besideRestarts({ records: false }) },
      ),
      finalising: byTests(
        "an edge answers on connections that clients kept, and has them go to another one; two of each role: npm run test:chart:local",
        ["edge/http/uws.test.ts", "answers in full on connections that clients kept while it drains"],
        ["edge/http/dispatcher.test.ts", "serves on for a while once it drains"],
      ),
    },
  },
  {
    id: "bad-configuration",
    component: "every role",
    fault: "wrong setting, newer or damaged data, half a migration",
    cells: {
      connect: byTests(
        "the start ends with a message that names it",
        ["test/launcher/up.test.ts", "names a wrong setting"],
        ["common/config/config.test.ts", "names every offending variable in one error"],
      ),
      "first-audio": byTests(
        "data of a newer release and data that was cut off are refused, and nothing is made in their place",
        ["test/launcher/data-directory.test.ts", "a newer release's database"],
        ["test/launcher/damaged-stores.test.ts", "is refused in words that say what to do"],
        ["test/launcher/damaged-stores.test.ts", "a JetStream whose stream cannot be read"],
      ),
      "mid-stream": byTests("a migration is one transaction, of one instance at a time", [
        "test/control-plane/database.test.ts",
        "runs a new step, and leaves nothing of one that fails",
      ]),
      finalising: reasoned(
        "what runs goes on",
        "configuration is read at the start of a process and frozen; a process that cannot start leaves the running ones alone",
      ),
    },
  },
];
