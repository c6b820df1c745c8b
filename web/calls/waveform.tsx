import { useQuery } from "@tanstack/react-query";
import { PeakMeter } from "../audio/peaks.js";
import { Waveform } from "../parts/waveform.js";

/** Enough for the looks of it, and an hour of it is still 115 MB. */
const DRAWN_RATE_HZ = 8000;

interface TrackWaveformProps {
  url: string;
  label: string;
  lengthSeconds: number;
  positionOf: () => number;
  isPlaying: boolean;
}

/** How loud a track of a recording is over its time. */
export function TrackWaveform({ url, ...waveform }: TrackWaveformProps) {
  const { data: peaks = [], isError } = useQuery({
    // The signature of an address is renewed; what lies there stays the same.
    queryKey: ["waveform", url.split("?")[0]],
    queryFn: () => readPeaks(url),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return isError ? (
    <span className="soft">This browser cannot draw it.</span>
  ) : (
    <Waveform peaks={peaks} {...waveform} />
  );
}

async function readPeaks(url: string): Promise<readonly number[]> {
  // Nothing but the address: it may lead to another store, which takes no further headers.
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`the recording was answered with ${answer.status}`);
  const bytes = await answer.arrayBuffer();
  const audio = await new OfflineAudioContext(1, 1, DRAWN_RATE_HZ).decodeAudioData(bytes);
  const meter = new PeakMeter(DRAWN_RATE_HZ);
  meter.add(audio.getChannelData(0));
  return meter.peaks;
}
