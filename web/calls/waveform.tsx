import { useQuery } from "@tanstack/react-query";
import { send } from "../api/request.js";
import { peaksOf } from "./peaks.js";

/** Enough for the looks of it, and an hour of it is still 115 MB. */
const DRAWN_RATE_HZ = 8000;
const BARS = 200;
const HEIGHT = 40;
/** Drawn as high as there is room; what is quieter is not blown up further. */
const QUIETEST_PEAK = 0.05;

/** How loud a track is over its time; what was `played` of it (0 to 1) is marked. */
export function Waveform({ url, label, played }: { url: string; label: string; played: number }) {
  const { data: peaks, isError } = useQuery({
    // The signature of an address is renewed; what lies there stays the same.
    queryKey: ["waveform", url.split("?")[0]],
    queryFn: () => readPeaks(url),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  // People speak at some tenth of full scale.
  const loudest = Math.max(QUIETEST_PEAK, ...(peaks ?? []));
  if (isError) return <span className="soft">This browser cannot draw it.</span>;
  return (
    <svg
      className="waveform"
      viewBox={`0 0 ${BARS} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {(peaks ?? []).map((peak, at) => {
        const height = Math.max(0.5, (peak / loudest) * HEIGHT);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
            key={at}
            className={at / BARS < played ? "played" : ""}
            x={at}
            y={(HEIGHT - height) / 2}
            width={0.7}
            height={height}
          />
        );
      })}
    </svg>
  );
}

async function readPeaks(url: string): Promise<number[]> {
  const bytes = await (await send("GET", url)).arrayBuffer();
  const audio = await new OfflineAudioContext(1, 1, DRAWN_RATE_HZ).decodeAudioData(bytes);
  return peaksOf(audio.getChannelData(0), BARS);
}
