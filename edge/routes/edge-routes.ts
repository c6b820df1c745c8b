import { join } from "node:path";
import { objectUrl, s3SettingsOf } from "#common/objects/s3-settings";
import { forwardedRoutes } from "../forwarding/forwarder.js";
import type { TranscriptionContext } from "../transcription/context.js";
import type { SpeechContext } from "../speech/context.js";
import { bundlesFolder, readConsole, readReference, readWidget } from "../pages/bundled-files.js";
import { consoleRoutes } from "./console/console-routes.js";
import { signInRoutes } from "./console/sign-in-routes.js";
import { type InterfaceRoutes, interfaceRoutes } from "./interface-routes.js";
import { type OperatorRoutesOptions, operatorRoutes } from "./operator/operator-routes.js";
import { pageRoutes } from "./pages/page-routes.js";
import { recordingRoutes } from "./recordings/routes.js";
import { widgetRoutes } from "./widget/widget-routes.js";

/** Everything that the public port answers: the API, what the control plane answers, operators' routes and pages. */
export function edgeRoutes(
  speech: SpeechContext,
  transcription: TranscriptionContext,
  operator: Omit<OperatorRoutesOptions, "config">,
): InterfaceRoutes {
  const { routes, sockets, shapes } = interfaceRoutes(speech, transcription);
  const hasConsole = speech.config.PARLEY_CONSOLE === "on";
  const s3 = s3SettingsOf(speech.config);
  const otherServers = {
    rooms: speech.config.LIVEKIT_PUBLIC_URL ?? speech.config.LIVEKIT_URL,
    recordings: s3 === null ? null : objectUrl(s3, s3.publicEndpoint, "").href,
  };
  const hasDemo = speech.config.PARLEY_DEMO === "on";
  return {
    routes: [
      ...routes,
      ...forwardedRoutes(speech),
      ...recordingRoutes(speech),
      ...operatorRoutes({ ...operator, config: speech.config }),
      ...pageRoutes({ hasConsole, hasDemo }, readReference(join(bundlesFolder, "reference"))),
      ...widgetRoutes(readWidget(join(bundlesFolder, "widget"))),
      ...(hasConsole
        ? [...consoleRoutes(readConsole(join(bundlesFolder, "console")), otherServers), ...signInRoutes(speech)]
        : []),
    ],
    sockets,
    shapes,
  };
}
