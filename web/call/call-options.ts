/** What a call needs to know. */
export interface CallOptions {
  agentId: string;
  /** Where Parley answers, such as `https://voice.example.com`. */
  serverUrl: string;
  /** Values for `{{name}}` in the agent's prompts and first message. */
  dynamicVariables?: Readonly<Record<string, string | number | boolean>>;
  /** Who calls, in words of your own. It comes back in webhooks, as `metadata` does. */
  endUserId?: string;
  metadata?: Readonly<Record<string, unknown>>;
  /**
   * Begins the session in another way than without a key: your own server asks with its key, and passes the answer of
   * `POST /v1/agent/sessions` on.
   */
  startSession?: StartSession;
}

/** How to join a session that was begun. */
export interface StartedSession {
  sessionId: string;
  /** Of the room, as `livekit_url` says. */
  url: string;
  token: string;
}

/** Begins a session. Rejects with a `CallFailure` where it is refused; `signal` aborts when the caller hangs up. */
export type StartSession = (signal: AbortSignal) => Promise<StartedSession>;
