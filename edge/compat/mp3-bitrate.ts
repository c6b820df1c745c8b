const mp3Bitrates = [64, 128, 192];

/**
 * The next bitrate that there is, in kbit/s; a value beyond the last, or none at all, stays for the native check to
 * refuse.
 */
export function snapMp3Bitrate(value: unknown): unknown {
  return typeof value === "number" ? (mp3Bitrates.find((bitrate) => bitrate >= value) ?? value) : value;
}
