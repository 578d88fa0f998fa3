/** Encoders of the codec packages, which only the fixtures need. */
declare module '@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs' {
  interface Encoder {
    getDecodedBuffer(frame: {
      width: number;
      height: number;
      bitsPerSample: number;
      componentCount: number;
      isSigned: boolean;
    }): Uint8Array;
    encode(): void;
    getEncodedBuffer(): Uint8Array;
    setQuality(quality: number): void;
    delete(): void;
  }
  export default function create(options: object): Promise<{ JPEGEncoder: new () => Encoder }>;
}

declare module '@cornerstonejs/codec-openjpeg/wasmjs' {
  interface Encoder {
    getDecodedBuffer(frame: {
      width: number;
      height: number;
      bitsPerSample: number;
      componentCount: number;
      isSigned: boolean;
    }): Uint8Array;
    encode(): void;
    getEncodedBuffer(): Uint8Array;
    setQuality(lossless: boolean, quality: number): void;
    delete(): void;
  }
  export default function create(options: object): Promise<{ J2KEncoder: new () => Encoder }>;
}
