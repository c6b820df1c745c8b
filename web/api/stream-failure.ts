/** What ended a socket before its time, in words for people. */
export class StreamFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StreamFailure";
  }
}
