import { useEffect, useRef, useState } from "react";
import { Call } from "../../call/call.js";
import type { ToolActivity } from "../../call/agent-event.js";
import type { CallState } from "../../call/call-state.js";
import type { Caption } from "../../call/caption.js";
import { startPreview } from "./preview-session.js";

/** A call with the draft as the page shows it. */
export interface PreviewCall {
  state: CallState;
  captions: readonly Caption[];
  /** Tools that the agent used, and what became of each, in order. */
  tools: readonly string[];
  isMuted: boolean;
  hasMicrophone: boolean;
  /** Why there is no call, or no more. */
  failure: string | null;
  sessionId: string | null;
}

const noCall: PreviewCall = {
  ...{ state: "idle", captions: [], tools: [], isMuted: false, hasMicrophone: false, failure: null, sessionId: null },
};

interface PreviewCallActions {
  begin(options: { microphone: boolean }): void;
  write(text: string): void;
  setMuted(isMuted: boolean): void;
  end(): void;
}

/** Holds at most one call with the agent's draft; it ends when its page is left. */
export function usePreviewCall(agentId: string): [PreviewCall, PreviewCallActions] {
  const [shown, setShown] = useState(noCall);
  const current = useRef<Call | null>(null);
  useEffect(() => () => current.current?.end(), []);

  const begin: PreviewCallActions["begin"] = ({ microphone }) => {
    current.current?.end();
    setShown(noCall);
    const call = new Call({
      agentId,
      serverUrl: window.location.origin,
      startSession: async (signal) => {
        const session = await startPreview(agentId, signal);
        if (current.current === call) show({ sessionId: session.sessionId });
        return session;
      },
    });
    const show = (change: Partial<PreviewCall>): void => {
      // What a former call still tells is of no interest.
      if (current.current === call) setShown((before) => ({ ...before, ...change }));
    };
    current.current = call;
    call.on("state", ({ state }) => show({ state }));
    call.on("caption", () => show({ captions: call.captions }));
    call.on("microphone", ({ isOpen, isMuted }) => show({ hasMicrophone: isOpen, isMuted }));
    call.on("failed", ({ message }) => show({ failure: message }));
    call.on("tool", (activity) => {
      if (current.current === call) setShown((before) => ({ ...before, tools: [...before.tools, toolText(activity)] }));
    });
    void call.start({ microphone });
  };
  return [
    shown,
    {
      begin,
      write: (text) => current.current?.sendMessage(text),
      setMuted: (isMuted) => void current.current?.setMuted(isMuted),
      end: () => current.current?.end(),
    },
  ];
}

function toolText({ toolName, status, text }: ToolActivity): string {
  return `${toolName} ${status}${text === "" ? "" : `: ${text}`}`;
}
