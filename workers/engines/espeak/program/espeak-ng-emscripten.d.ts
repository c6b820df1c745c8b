declare module "@echogarden/espeak-ng-emscripten" {
  interface EspeakEvent {
    type: string;
    text_position: number;
    word_length: number;
    audio_position: number;
    id?: string | number;
  }
  interface EspeakWorker {
    samplerate: number;
    /** 0 when the voice exists. */
    set_voice(name: string): number;
    set_rate(wordsPerMinute: number): void;
    set_pitch(pitch: number): void;
    set_range(range: number): void;
    list_voices(): { identifier: string; languages: { priority: number; name: string }[] }[];
    /** The callback gets samples as they are made; returning true stops. */
    synthesize(
      text: string,
      callback: (audio: Int16Array | ArrayBuffer | null, events: EspeakEvent[]) => boolean,
    ): void;
  }
  interface EspeakModule {
    eSpeakNGWorker: new () => EspeakWorker | Promise<EspeakWorker>;
    /** Replaced by a longer view when the memory grows. */
    HEAPU8: Uint8Array;
    FS: {
      /** Every file is opened through this property; `contents` is a part of the package where the file is. */
      open(...given: unknown[]): { node: { contents?: Uint8Array } };
    };
  }
  export default function initialize(options: {
    print: (line: string) => void;
    printErr: (line: string) => void;
    /** Gives the package of all files, which is read from the disk otherwise. */
    getPreloadedPackage: (name: string, bytes: number) => ArrayBuffer;
  }): Promise<EspeakModule>;
}
