import { deflateSync } from "node:zlib";
import type { RecognizedWord } from "#protocol/transcription/chunk";
import { renderSrt, renderVtt } from "#protocol/transcription/captions";
import type { FileTranscript } from "../../transcription/transcribe-file.js";
import { phraseSegments, textOf } from "#transcription/transcript";
import type { MappedTranscription } from "./transcription-request.js";

/**
 * What a transcription answers, and as what. Anything but JSON is plain text: the libraries return a string by the
 * content type alone. JSON objects get the fields of `extra` besides their own.
 */
export function transcriptAnswer(
  result: FileTranscript,
  asked: Omit<MappedTranscription, "audio">,
  extra: object = {},
): { contentType: string; body: string } {
  const { words } = result;
  const usage = { type: "duration", seconds: Math.ceil(result.seconds) };
  const plain = (body: string): { contentType: string; body: string } => ({
    contentType: "text/plain; charset=utf-8",
    body,
  });
  switch (asked.format) {
    case "text":
      return plain(`${textOf(words)}\n`);
    case "srt":
      return plain(renderSrt(phraseSegments(words)));
    case "vtt":
      return { contentType: "text/vtt; charset=utf-8", body: renderVtt(phraseSegments(words)) };
    case "verbose_json":
      return { contentType: "application/json", body: JSON.stringify({ ...verbose(result, asked), usage, ...extra }) };
    case "json":
      return { contentType: "application/json", body: JSON.stringify({ text: textOf(words), usage, ...extra }) };
  }
}

function verbose(
  { words, seconds }: FileTranscript,
  asked: Omit<MappedTranscription, "audio">,
): Record<string, unknown> {
  const segments = phraseSegments(words).map(({ text, start, end }, id) => {
    const own = words.filter((word) => word.startMs / 1000 >= start - 0.001 && word.endMs / 1000 <= end + 0.001);
    return {
      id,
      seek: 0,
      start,
      end,
      text,
      tokens: [],
      temperature: 0,
      avg_logprob: meanLogProbability(own),
      compression_ratio: compressionRatio(text),
      no_speech_prob: 0,
    };
  });
  const timed = words.map(({ text, startMs, endMs }) => ({ word: text, start: rounded(startMs), end: rounded(endMs) }));
  return {
    task: "transcribe",
    language: asked.language ?? "",
    duration: rounded(seconds * 1000),
    text: textOf(words),
    segments,
    ...(asked.withWords ? { words: timed } : {}),
  };
}

/** Of the recognizer's confidences, which are probabilities. */
function meanLogProbability(words: readonly RecognizedWord[]): number {
  const sum = words.reduce((total, word) => total + Math.log(Math.max(1e-6, word.confidence)), 0);
  return words.length === 0 ? 0 : Math.round((sum / words.length) * 1e4) / 1e4;
}

/** As Whisper reckons it: bytes of the text over bytes of its zlib form. */
function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return Math.round((bytes.length / deflateSync(bytes).length) * 1e3) / 1e3;
}

const rounded = (ms: number): number => Math.round(ms) / 1000;
