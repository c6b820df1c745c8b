import type { Attack } from "./attack.js";
import { audioBombs, longAnswers } from "./attacks/audio.js";
import { explodingBodies } from "./attacks/bodies.js";
import { randomKeys } from "./attacks/credentials.js";
import { commits, framesBeforeKey, largeFrames, pings, socketsWithoutKey } from "./attacks/frames.js";
import { inventedMethods, malformedHeads, pipelinedRequests, slowBodies, unwantedBodies } from "./attacks/requests.js";
import { combiningMarks, hostileKnowledge } from "./attacks/texts.js";

/** Every attack that goes on for as long as one lets it. */
export const attacks: readonly Attack[] = [
  pipelinedRequests,
  pings,
  unwantedBodies,
  framesBeforeKey,
  socketsWithoutKey,
  randomKeys,
  inventedMethods,
  malformedHeads,
  explodingBodies,
  largeFrames,
  commits,
  slowBodies,
  audioBombs,
  longAnswers,
  hostileKnowledge,
  combiningMarks,
];
