/** What the uploading process is to do, until it is told to stop. */
export interface UploadTask {
  baseUrl: string;
  apiKey: string;
  /** Uploads at once. */
  uploads: number;
  files: { name: string; bytes: Uint8Array; seconds: number }[];
}

/** What it has done. */
export interface UploadReport {
  /** Audio that has been transcribed. */
  audioSeconds: number;
  wallSeconds: number;
  processorSeconds: number;
  /** Answers other than 200. */
  problems: string[];
}
