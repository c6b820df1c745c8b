/* What `/widget.js` runs in a stranger's page: one script, classic or module, that leaves one element behind. */
import type { JoinRoom } from "../call/room.js";
import { AgentElement } from "./agent-element.js";
import { scriptAddress } from "./script-address.js";

/** Where LiveKit's client lies, from `/widget.js`; the bundler puts the name in. */
declare const LIVEKIT_FILE: string;

const NAME = "parley-agent";

const address = scriptAddress(document);
const serverUrl = address === null ? null : new URL(".", address).href;

const joinRoom: JoinRoom = async (room) => {
  // A classic script of another origin has no address of its own that an import could start from.
  const file = new URL(LIVEKIT_FILE, serverUrl ?? document.baseURI).href;
  const { joinLiveKitRoom } = (await import(/* @vite-ignore */ file)) as { joinLiveKitRoom: JoinRoom };
  return await joinLiveKitRoom(room);
};

if (customElements.get(NAME) === undefined)
  customElements.define(
    NAME,
    class extends AgentElement {
      constructor() {
        super({ serverUrl, joinRoom });
      }
    },
  );
