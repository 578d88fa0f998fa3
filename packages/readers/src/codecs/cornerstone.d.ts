/** The parts that are used of packages without types of their own. */
declare module '@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs' {
  interface FrameInfo {
    width: number;
    height: number;
    bitsPerSample: number;
    componentCount: number;
    isSigned: boolean;
  }
  interface Decoder {
    /** Memory of the module for `length` encoded bytes. */
    getEncodedBuffer(length: number): Uint8Array;
    decode(): void;
    getFrameInfo(): FrameInfo;
    /** View of the module's memory: copy it before the next call. */
    getDecodedBuffer(): Uint8Array;
    delete(): void;
  }
  interface JpegModule {
    readonly HEAPU8: Uint8Array;
    JPEGDecoder: new () => Decoder;
  }
  export default function create(options: {
    wasmBinary: Uint8Array;
    print(): void;
    printErr(): void;
  }): Promise<JpegModule>;
}

declare module '@cornerstonejs/codec-openjpeg/decodewasmjs' {
  interface FrameInfo {
    width: number;
    height: number;
    bitsPerSample: number;
    componentCount: number;
    isSigned: boolean;
  }
  interface Decoder {
    getEncodedBuffer(length: number): Uint8Array;
    decode(): void;
    getFrameInfo(): FrameInfo;
    getDecodedBuffer(): Uint8Array;
    delete(): void;
  }
  interface J2kModule {
    readonly HEAPU8: Uint8Array;
    J2KDecoder: new () => Decoder;
  }
  export default function create(options: {
    wasmBinary: Uint8Array;
    print(): void;
    printErr(): void;
  }): Promise<J2kModule>;
}
