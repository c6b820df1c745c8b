import type { CallFailureCode } from "../call/call-failure.js";
import { type CallState, isUnderWay } from "../call/call-state.js";
import type { WidgetSettings } from "./settings.js";

/** What the widget knows. */
export interface WidgetModel {
  settings: WidgetSettings;
  /** As the agent says it; null until it has, or where it does not. */
  agentName: string | null;
  isOpen: boolean;
  state: CallState;
  failure: CallFailureCode | null;
  microphone: { isOpen: boolean; isMuted: boolean };
}

/** What the widget shows. */
export interface WidgetView {
  isOpen: boolean;
  /** Whether it can be opened and closed: one that stands in the page is always open. */
  isFloating: boolean;
  title: string;
  state: CallState;
  /** What goes on, in words. */
  status: string;
  /** What went wrong, in words; empty where nothing did. */
  alert: string;
  isUnderWay: boolean;
  /** `open`: a microphone is there, and can be muted; `closed`: one can be opened. */
  microphone: "none" | "open" | "closed";
  isMuted: boolean;
}

/** What the widget shows of what it knows. */
export function viewOf({ settings, agentName, isOpen, state, failure, microphone }: WidgetModel): WidgetView {
  const { words, position } = settings;
  const underWay = isUnderWay(state);
  const isMuted = microphone.isOpen && microphone.isMuted;
  const isFloating = position !== "inline";
  return {
    isOpen: isOpen || !isFloating,
    isFloating,
    title: settings.agentName ?? agentName ?? words.title,
    state,
    status: state === "failed" ? "" : state === "listening" && isMuted ? words.muted : words[state],
    alert: failure === null ? "" : words.failures[failure],
    isUnderWay: underWay,
    microphone: !underWay ? "none" : microphone.isOpen ? "open" : "closed",
    isMuted,
  };
}

/**
 * What a screen reader says when the state changes; null for nothing. The turns of a conversation are heard, and are
 * not told besides.
 */
export function announcementOf(previous: CallState, state: CallState, { words }: WidgetSettings): string | null {
  if (state === "connecting" || state === "ended") return words[state];
  return previous === "connecting" && state === "listening" ? words.listening : null;
}
