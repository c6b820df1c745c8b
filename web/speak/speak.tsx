import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { SwitchField } from "../parts/switch-field.js";
import { TextField } from "../parts/text-field.js";
import { usePageTitle } from "../parts/page-title.js";
import { ScopeGate } from "../session/scope.js";
import { initialSettings, requestOf } from "./settings.js";
import { SettingsForm } from "./settings-form.js";
import { SnippetBlock } from "./snippet-block.js";
import { SpokenCard } from "./spoken-card.js";
import { useSpeechRun } from "./speech-run.js";
import { completeWords } from "./typed-text.js";
import "./speak.css";

/** Turns text into speech, and plays it while it is made. */
export function Speak() {
  usePageTitle("Speak");
  return (
    <>
      <h1>Speak</h1>
      <ScopeGate scope="speech" doing="speak">
        <SpeakForm />
      </ScopeGate>
    </>
  );
}

function SpeakForm() {
  const { voice = "" } = useSearch({ from: "/signed-in/speak" });
  const [settings, setSettings] = useState({ ...initialSettings, voice });
  const [isTyping, setTyping] = useState(false);
  /** What of the text was sent while it was typed; null until the first word is complete. */
  const [sent, setSent] = useState<string | null>(null);
  /** What is, or was, spoken: its file is asked for with the same words. */
  const [asked, setAsked] = useState(settings);
  const run = useSpeechRun();
  const isSpeaking = run.speech?.phase === "speaking";
  const isTypedWhileSpeaking = isTyping && sent !== null && isSpeaking;
  const typed = isTypedWhileSpeaking ? completeWords(sent, settings.text) : null;

  const begin = (text: string): void => {
    run.begin(settings.model, requestOf(settings));
    run.text(text);
    setAsked({ ...settings, text });
  };
  const speak = (): void => {
    setSent(null);
    begin(settings.text);
    run.end();
  };
  const type = (text: string): void => {
    setSettings({ ...settings, text });
    if (!isTyping) return;
    const soFar = isTypedWhileSpeaking ? sent : "";
    const next = completeWords(soFar, text);
    if (next.kind === "changed" || next.text === "") return;
    if (isTypedWhileSpeaking) run.text(next.text);
    else begin(next.text);
    setSent(soFar + next.text);
  };
  const endTyping = (): void => {
    if (typed?.kind !== "more" || sent === null) return;
    run.text(settings.text.slice(sent.length));
    run.end();
    setAsked({ ...asked, text: settings.text });
    clear();
  };
  /** A text that was spoken while it was typed makes room for another one. */
  const clear = (): void => {
    setSent(null);
    if (isTyping) setSettings({ ...settings, text: "" });
  };
  const stop = (): void => {
    run.stop();
    clear();
  };
  const switchTyping = (isOn: boolean): void => {
    run.stop();
    setSent(null);
    setTyping(isOn);
    // Who types waits for each word; who has a whole text waits once.
    setSettings({ ...settings, text: isOn ? "" : initialSettings.text, latency: isOn ? "low" : "" });
  };

  return (
    <div className="speak">
      <section className="card" aria-label="What is spoken">
        <TextField
          label="Text"
          lines={5}
          help={isTyping ? "Each word is sent when the blank after it is typed." : undefined}
          problem={typed?.kind === "changed" ? "What was sent cannot be taken back: put it back to go on." : undefined}
          value={settings.text}
          onChange={type}
        />
        <SwitchField label="Speak while I type" isOn={isTyping} onChange={switchTyping} />
        <SettingsForm settings={settings} onChange={(part) => setSettings({ ...settings, ...part })} />
        <div className="actions">
          {isTyping ? (
            <Button className="button" isDisabled={typed?.kind !== "more"} onPress={endTyping}>
              That was all
            </Button>
          ) : (
            <Button className="button" isDisabled={settings.text.trim() === ""} onPress={speak}>
              Speak
            </Button>
          )}
          <Button className="button quiet" isDisabled={!run.isPlaying} onPress={stop}>
            Stop
          </Button>
        </div>
      </section>
      <div>
        <SpokenCard run={run} asked={asked} />
        <section className="card" aria-labelledby="snippets">
          <h2 id="snippets">The same request in a program</h2>
          <SnippetBlock request={{ baseUrl: location.origin, model: settings.model, body: requestOf(settings) }} />
        </section>
      </div>
    </div>
  );
}
