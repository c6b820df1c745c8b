import type { Topic } from "./case.js";
import { authorizationCases, contentTypeCases, modelHeaderCases, traceCases } from "./heads.js";
import { jsonBodyCases } from "./json-bodies.js";
import { liveKitEventCases } from "./livekit-events.js";
import { liveEventCases } from "./live-events.js";
import { liveFrameCases } from "./live-frames.js";
import { msgpackBodyCases } from "./msgpack-bodies.js";
import { methodCases, pathCases, queryCases } from "./paths.js";
import { callRequestCases } from "./call-requests.js";
import { phoneRequestCases } from "./phone-requests.js";
import { rawHttpCases } from "./raw-http.js";
import { sessionFieldCases } from "./session-fields.js";
import { sessionRequestCases } from "./session-requests.js";
import { badFieldCases, goodFieldCases, packedFieldCases, wholeBodyCases } from "./speech-fields.js";
import { recordingRequestCases } from "./recording-requests.js";
import { referenceCases, referenceIdCases } from "./speech-references.js";
import { liveTextCases, textCases } from "./speech-text.js";
import { testFieldCases } from "./test-fields.js";
import { testRequestCases } from "./test-requests.js";
import { voiceFieldCases } from "./voice-fields.js";
import { voiceFormCases } from "./voice-forms.js";

/** The whole table. */
export const topics: Topic[] = [
  { name: "speech fields of wrong types and beyond their bounds", cases: [...badFieldCases(), ...wholeBodyCases()] },
  { name: "speech fields that only MessagePack can carry", cases: packedFieldCases() },
  { name: "speech fields at their bounds", cases: goodFieldCases() },
  { name: "texts", cases: textCases() },
  { name: "live texts", cases: liveTextCases() },
  { name: "references", cases: referenceCases() },
  { name: "reference ids", cases: referenceIdCases() },
  { name: "JSON bodies", cases: jsonBodyCases() },
  { name: "MessagePack bodies", cases: msgpackBodyCases() },
  { name: "content types", cases: contentTypeCases() },
  { name: "model headers", cases: modelHeaderCases() },
  { name: "trace headers", cases: traceCases() },
  { name: "authorization", cases: authorizationCases() },
  { name: "paths", cases: pathCases() },
  { name: "methods", cases: methodCases() },
  { name: "queries", cases: queryCases() },
  { name: "voice fields", cases: voiceFieldCases() },
  { name: "voice forms", cases: voiceFormCases() },
  { name: "sessions", cases: sessionFieldCases() },
  { name: "lists, ends and visitors of sessions", cases: sessionRequestCases() },
  { name: "tests of agents", cases: testFieldCases() },
  { name: "lists, runs and changes of tests", cases: testRequestCases() },
  { name: "recordings", cases: recordingRequestCases() },
  { name: "phone numbers", cases: phoneRequestCases() },
  { name: "phone calls", cases: callRequestCases() },
  { name: "LiveKit's events", cases: liveKitEventCases() },
  { name: "HTTP itself", cases: rawHttpCases() },
  { name: "live events", cases: liveEventCases() },
  { name: "live frames", cases: liveFrameCases() },
];
