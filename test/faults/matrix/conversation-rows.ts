import type { Row } from "./cell.js";
import { besideClockStep } from "./beside-clock.js";
import { stepClock } from "./fault.js";
import { byTests, onStepped, reasoned } from "./proofs.js";

const HOUR_MS = 3_600_000;
/** How long a clock is wrong. */
const STEP_MS = 4000;
/** A stream does not notice; it is the load beside it that takes the processor. */
const STEPPED_MS = 30_000;

/** What happens to conversations, to what they reach, and to clients. */
export const conversationRows: readonly Row[] = [
  {
    id: "language-model",
    component: "language model",
    fault: "away, slow, garbage, breaks off",
    cells: {
      connect: byTests(
        "the session starts; a fixed first message is spoken",
        ["agents/dialogue/replies.test.ts", "is what is configured"],
        ["agents/model/open-language-model.test.ts", "that is away is asked once more, and then given up"],
      ),
      "first-audio": byTests(
        "one apology",
        ["agents/dialogue/replies.test.ts", "is apologized for once"],
        ["agents/model/open-language-model.test.ts", "has so long in all"],
      ),
      "mid-stream": byTests("what was said stands, and is not asked again", [
        "agents/dialogue/replies.test.ts",
        "in the middle of a reply leaves what was said",
      ]),
      finalising: byTests(
        "the second time in a row ends the call; its analysis says so",
        ["agents/dialogue/replies.test.ts", "ends the conversation the second time in a row"],
        [
          "test/sessions/analysis-queue.test.ts",
          "gives one up over which five runtimes were lost, and begins anew where it is asked for again",
        ],
      ),
    },
  },
  {
    id: "recognizer-kill",
    component: "recognizer",
    fault: "kill -9",
    cells: {
      connect: byTests("no_worker, soon", [
        "transcription/recognition/recognition-stream.test.ts",
        "fail with no_worker when nobody serves the model, soon or after an outage",
      ]),
      "first-audio": byTests("what was not recognized is asked for again every second", [
        "transcription/streaming/segment-recognizer.test.ts",
        "wait for a recognizer that failed, and are asked for again every second",
      ]),
      "mid-stream": byTests(
        "the words of the undisturbed run",
        [
          "test/faults/transcription.test.ts",
          "a file of sixty pieces gives the words of the undisturbed run, whatever dies meanwhile",
        ],
        [
          "test/faults/transcription.test.ts",
          "a live session commits the text of the undisturbed one when a worker dies in the middle",
        ],
      ),
      finalising: byTests("no word is lost or doubled", [
        "transcription/streaming/session.test.ts",
        "the committed utterances are the same, and every sample is in exactly one or silent",
      ]),
    },
  },
  {
    id: "runtime-kill",
    component: "runtime of conversations",
    fault: "kill -9",
    cells: {
      connect: byTests("the session waits for a runtime, and fails where none comes", [
        "test/sessions/takeover.test.ts",
        "waits while no runtime has room",
      ]),
      "first-audio": byTests("another runtime greets a caller whom nobody has greeted", [
        "agents/dialogue/resume.test.ts",
        "greets a caller whom nobody has greeted",
      ]),
      "mid-stream": byTests(
        "another runtime goes on from the word after the last one heard (npm run test:survival)",
        ["test/sessions/takeover.test.ts", "goes over to another one, with all that it needs, and ends there"],
        [
          "agents/dialogue/dialogue.property.test.ts",
          "speaks what was heard never again elsewhere, but for one word at most, and leaves nothing out",
        ],
      ),
      finalising: byTests(
        "call.ended and call.analyzed come, once each",
        ["test/sessions/records.test.ts", "is the same whatever order its records come in, and however often"],
        [
          "test/sessions/analysis.test.ts",
          "is taken over from a runtime that is killed, and at once from one that is stopped",
        ],
      ),
    },
  },
  {
    id: "runtime-stop",
    component: "runtime of conversations",
    fault: "SIGTERM",
    cells: {
      connect: byTests("it takes no session any more", [
        "agents/runtime.test.ts",
        "takes none while it drains, hands over what it holds, and is done when all are gone",
      ]),
      "first-audio": byTests("a question is answered before the conversation goes over", [
        "agents/conversation/conversation.test.ts",
        "is handed over in a pause, not while the agent thinks",
      ]),
      "mid-stream": byTests(
        "what the caller types and says in between is answered by the next runtime, once and in order",
        [
          "test/conversations/conversation.test.ts",
          "answers all that the caller types and says while its runtime is stopped, once and in order",
        ],
        [
          "agents/hand-over/join-events.test.ts",
          "is each event once and in order, whenever the next one comes and the earlier one is asked",
        ],
      ),
      finalising: byTests("call.analyzed comes, once", [
        "test/sessions/analysis.test.ts",
        "is taken over from a runtime that is killed, and at once from one that is stopped",
      ]),
    },
  },
  {
    id: "webhook-receiver",
    component: "webhook receiver",
    fault: "500, silence, redirect, another address",
    cells: {
      connect: byTests("an attempt to a private address is none", [
        "test/webhooks/delivery.test.ts",
        "are not made to a host that has become private since it was saved",
      ]),
      "first-audio": byTests(
        "three attempts: the same body, a fresh signature",
        ["test/webhooks/delivery.test.ts", "are tried again with the same body and a fresh signature"],
        [
          "control-plane/webhooks/dispatcher.test.ts",
          "is attempted three times, one and five seconds after the end of the one before, with the same body, then dropped",
        ],
      ),
      "mid-stream": byTests("a body without end counts by its status; a redirect is a failure", [
        "test/webhooks/delivery.test.ts",
        "succeed with a 2xx whose body never ends, and fail at a redirect, which is not followed",
      ]),
      finalising: byTests(
        "others are unaffected, and order holds for each endpoint",
        ["test/webhooks/delivery.test.ts", "do not wait for a receiver that hangs"],
        [
          "control-plane/webhooks/dispatcher.test.ts",
          "keeps the order of a session at an endpoint, through retries, and holds nobody else up",
        ],
      ),
    },
  },
  {
    id: "dispatcher-kill",
    component: "webhook dispatcher",
    fault: "kill -9",
    cells: {
      connect: byTests("the event is written with its record, or neither is", [
        "test/webhooks/book.test.ts",
        "keeps the event and its deliveries with the transaction, or neither",
      ]),
      "first-audio": byTests("taken up after the lease", [
        "control-plane/webhooks/dispatcher.test.ts",
        "takes up after the lease what another process left behind",
      ]),
      "mid-stream": byTests("sent and not booked: sent again, the same to the byte", [
        "test/webhooks/kill.test.ts",
        "arrives at every endpoint at least once, in order, the same to the byte",
      ]),
      finalising: byTests("nothing acknowledged is lost", [
        "test/faults/control-plane/kill-under-writes.test.ts",
        "loses nothing that it acknowledged, shows nothing half written and misses no webhook",
      ]),
    },
  },
  {
    id: "dns",
    component: "DNS",
    fault: "away, slow, garbage, another answer later",
    cells: {
      connect: byTests("given up in time", [
        "test/outbound/bypass.test.ts",
        "gives up in time on the name server of %s",
      ]),
      "first-audio": byTests("given up in time where an address is only checked", [
        "test/outbound/bypass.test.ts",
        "gives up in time when a URL is only checked",
      ]),
      "mid-stream": byTests("the address that was judged is the one that is used", [
        "test/outbound/request.test.ts",
        "is asked for once and pinned: what DNS says afterwards does not count",
      ]),
      finalising: byTests("a failed attempt, no more", [
        "test/outbound/request.test.ts",
        "that does not answer is a failed connection",
      ]),
    },
  },
  {
    id: "client-leaves",
    component: "client",
    fault: "vanishes",
    cells: {
      connect: byTests("a connection on which nothing comes is closed", [
        "edge/http/uws.test.ts",
        "closes a connection on which nothing arrives",
      ]),
      "first-audio": byTests("its work is cancelled in every role within 2 s", [
        "test/speech/players.test.ts",
        "cancel their work in every role within two seconds by leaving (HTTP)",
      ]),
      "mid-stream": byTests(
        "its work is cancelled in every role within 2 s",
        ["test/speech/players.test.ts", "cancel their work in every role within two seconds by leaving (WebSocket)"],
        ["test/transcription/transcription.test.ts", "drops everything within two seconds when the client leaves"],
      ),
      finalising: byTests("charged for what it was given", [
        "test/attack/with-a-key.test.ts",
        "pays the same for a stream whether it ends with stop or with a malformed byte, for the same audio",
      ]),
    },
  },
  {
    id: "client-stalls",
    component: "client",
    fault: "never reads, reads a byte a second, sends slowly",
    cells: {
      connect: byTests("uploads below the least rate are refused", [
        "test/attack/memory.test.ts",
        "are refused when they are slower than the least rate",
      ]),
      "first-audio": byTests("others are not held up", [
        "test/speech/players.test.ts",
        "that read a byte a second cost little memory, and leave others alone",
      ]),
      "mid-stream": byTests(
        "held back, no frame dropped, then closed",
        ["edge/http/uws.test.ts", "holds back the sender to a slow reader, drops no frame, and closes after the last"],
        [
          "edge/http/hostile-clients.test.ts",
          "is closed with 1013 when its own frames make answers that it does not take",
        ],
      ),
      finalising: byTests("disconnected where it takes nothing for too long", [
        "edge/http/uws.test.ts",
        "disconnects a reader that takes nothing for too long",
      ]),
    },
  },
  {
    id: "udp",
    component: "network of a caller",
    fault: "UDP blocked, loss, jitter, another address",
    cells: {
      connect: reasoned(
        "LiveKit offers TCP on 7881",
        "ICE is LiveKit's and the client's; the launcher opens its TCP port, and no network without UDP can be had in a test without privileges over the kernel",
      ),
      "first-audio": reasoned(
        "silence stands for what does not come",
        "agents/turn/caller-transcription.test.ts takes audio that does not come for silence; loss itself is repaired by Opus and WebRTC below us",
      ),
      "mid-stream": byTests(
        "audio that comes late stays in step; a caller comes back",
        [
          "agents/turn/caller-transcription.test.ts",
          "takes audio that does not come for silence, and goes on in step when it comes again",
        ],
        ["test/agents/room.test.ts", "lets a caller come back whose network was away, and knows a goodbye"],
      ),
      finalising: byTests("a caller who does not come back ends the session", [
        "agents/dialogue/silence.test.ts",
        "ends the conversation",
      ]),
    },
  },
  {
    id: "clock-step",
    component: "clock",
    fault: "set an hour ahead or back, and right again",
    cells: {
      connect: onStepped(
        "every stream gives the bytes of the undisturbed run, and no duration in a bill knows of it; a key is over when the clock says so",
        stepClock(HOUR_MS, STEP_MS),
        { boundMs: STEPPED_MS, beside: besideClockStep(HOUR_MS) },
      ),
      "first-audio": onStepped("as before", stepClock(-HOUR_MS, STEP_MS), {
        ...{ boundMs: STEPPED_MS, beside: besideClockStep(-HOUR_MS) },
      }),
      "mid-stream": onStepped("as before: pacing is unaffected", stepClock(HOUR_MS, STEP_MS), {
        ...{ boundMs: STEPPED_MS, beside: besideClockStep(HOUR_MS) },
      }),
      finalising: onStepped("streams end, and are charged once", stepClock(-HOUR_MS, STEP_MS), {
        ...{ boundMs: STEPPED_MS, beside: besideClockStep(-HOUR_MS) },
      }),
    },
  },
  {
    id: "clock-kept",
    component: "clock",
    fault: "set while something waits for a time that is stored; stands still",
    cells: {
      connect: byTests("leases and what is put off end in time, however far the clock is set back", [
        "test/sessions/analysis-queue.test.ts",
        "takes one over in time although the clock is set back by an hour",
      ]),
      "first-audio": byTests(
        "a webhook's next attempt comes within minutes",
        ["control-plane/webhooks/dispatcher.test.ts", "makes a second attempt at most minutes late"],
        ["test/webhooks/book.test.ts", "makes due what waits for a time after all that may be"],
      ),
      "mid-stream": byTests(
        "a conversation goes on, is as long as it was, and costs that",
        ["control-plane/sessions/due.test.ts", "goes on where the clock is set ahead"],
        ["agents/conversation/open-conversation.test.ts", "stamps its records by one look at the time of day"],
      ),
      finalising: byTests("results are ordered though the clock stands still", [
        "test/sessions/analysis-queue.test.ts",
        "gives every result of a session a later time, though the clock stands still",
      ]),
    },
  },
];
