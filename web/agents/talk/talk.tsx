import { Link, useParams } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { type CallState, isUnderWay } from "../../call/call-state.js";
import type { Caption } from "../../call/caption.js";
import { TextField } from "../../parts/text-field.js";
import { type PreviewCall, usePreviewCall } from "./use-preview-call.js";
import "./talk.css";

const states: Readonly<Record<CallState, string>> = {
  idle: "Nobody is called yet.",
  connecting: "Connecting…",
  listening: "The agent listens.",
  thinking: "The agent thinks.",
  speaking: "The agent speaks.",
  ended: "The call is over.",
  failed: "There is no call.",
};

/** The tab where one talks to the draft, by voice and in writing. */
export function Talk() {
  const { agentId } = useParams({ from: "/signed-in/agents/$agentId/talk" });
  const [call, { begin, write, setMuted, end }] = usePreviewCall(agentId);
  const isOn = isUnderWay(call.state);
  return (
    <div className="narrow">
      <section className="card" aria-labelledby="talk">
        <h2 id="talk">Talk to the draft</h2>
        <p className="help">
          As it is saved, not as it is published. It costs what a call costs; webhooks hear nothing.
        </p>
        {call.failure === null ? null : (
          <p className="note bad" role="alert">
            {call.failure}
          </p>
        )}
        <p role="status">
          <strong>{states[call.state]}</strong>
        </p>
        <div className="actions">
          {isOn ? (
            <>
              <Button className="button danger" onPress={end}>
                Hang up
              </Button>
              {call.hasMicrophone ? (
                <Button className="button quiet" onPress={() => setMuted(!call.isMuted)}>
                  {call.isMuted ? "Unmute" : "Mute"}
                </Button>
              ) : null}
            </>
          ) : (
            <>
              <Button className="button" onPress={() => begin({ microphone: true })}>
                Talk
              </Button>
              <Button className="button quiet" onPress={() => begin({ microphone: false })}>
                Write only
              </Button>
            </>
          )}
        </div>
        <Said captions={call.captions} />
        {isOn ? <WriteForm onWrite={write} /> : null}
        <Tools tools={call.tools} />
        <Record call={call} />
      </section>
    </div>
  );
}

function Said({ captions }: { captions: readonly Caption[] }) {
  const list = useRef<HTMLOListElement>(null);
  const last = captions.at(-1)?.text;
  useEffect(() => {
    // What was said last is seen; `last` is what makes it run again.
    if (last !== undefined) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [last]);
  if (captions.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <ol className="said" ref={list} tabIndex={0} aria-label="What was said" aria-live="polite">
      {captions.map(({ id, speaker, text, isFinal }) => (
        <li key={id} className={isFinal ? "" : "soft"}>
          <strong>{speaker === "agent" ? "Agent" : "You"}</strong> {text}
        </li>
      ))}
    </ol>
  );
}

/** Characters of a typed message. */
const LONGEST_MESSAGE = 4000;

function WriteForm({ onWrite }: { onWrite: (text: string) => void }) {
  const [text, setText] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === "") return;
    onWrite(text);
    setText("");
  };
  return (
    <form className="write" onSubmit={submit}>
      <TextField label="Your message" value={text} onChange={setText} maxLength={LONGEST_MESSAGE} />
      <button type="submit" className="button quiet">
        Send
      </button>
    </form>
  );
}

function Tools({ tools }: { tools: readonly string[] }) {
  if (tools.length === 0) return null;
  return (
    <details>
      <summary>Tools that were used</summary>
      <ul>
        {tools.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever added to
          <li key={at}>{text}</li>
        ))}
      </ul>
    </details>
  );
}

function Record({ call: { sessionId, state } }: { call: PreviewCall }) {
  if (sessionId === null || isUnderWay(state)) return null;
  return (
    <p>
      <Link to="/calls/$sessionId" params={{ sessionId }}>
        Look at the call
      </Link>
    </p>
  );
}
