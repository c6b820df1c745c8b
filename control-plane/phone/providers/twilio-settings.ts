/** What messages call it. */
export const TWILIO_LABEL = "Twilio";

/** What the operator sets for numbers of Twilio. */
export interface TwilioSettings {
  accountSid: string;
  authToken: string;
  /** Where its REST API is. */
  baseUrl: string;
  /** The Elastic SIP trunk that bought numbers are put on; null leaves that to the operator. */
  trunkSid: string | null;
  /** Where calls come from. */
  signalingAddresses: readonly string[];
  /** Where calls leave to, `hostname[:port]`; empty where none do. */
  terminationUri: string;
  terminationUsername: string;
  terminationPassword: string;
}
