/** What the delivering process is told to do. */
export interface HostTask {
  /** Null opens PGlite in the data directory. */
  databaseUrl: string | null;
  dataDirectory: string;
  natsUrl: string;
  /** One list for each agent; its events go to all of them. */
  agents: { endpoints: string[] }[];
  /** Host of the receivers, for the allow-list. */
  allow: string;
  eventsPerSecond: number;
  durationMs: number;
}

/** Sent when every event is written and every healthy delivery has ended. */
export interface HostReport {
  events: number;
  /** How far the writer was behind its own schedule, at worst. */
  writerLateMs: number;
  processorShare: number;
  /** Of all its threads, since the first event was due. */
  processorMs: number;
  /** Deliveries by status, those to receivers that hang included. */
  statuses: Record<string, number>;
}

/** Sent by the receivers once they listen. */
export interface ReceiversReady {
  port: number;
}

/** Asks the receivers for what they got; they answer with one delay for each first arrival. */
export interface ReceiversReport {
  /** From the moment that the event was due to be written, to its arrival at a healthy receiver. */
  delaysMs: number[];
  /** Arrivals beyond the first of the same body at the same endpoint. */
  repeats: number;
  /** Attempts that reached receivers that hang. */
  hanging: number;
}

/** Path of a receiver that answers, and of one that never does. */
export const healthyPath = (agent: number, endpoint: number): string => `/ok/${agent}/${endpoint}`;
export const hangingPath = (agent: number, endpoint: number): string => `/hang/${agent}/${endpoint}`;
