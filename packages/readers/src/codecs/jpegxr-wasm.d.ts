/** The parts that are used of a package without types of its own. */
declare module 'jpegxr' {
  interface JxrImage {
    width: number;
    height: number;
    pixelInfo: { channels: number; bitDepth: string; bitsPerPixel: number; bgr: boolean };
    /** Rows without padding; the caller's own. */
    bytes: Uint8Array;
  }
  interface JxrOptions {
    print(): void;
    printErr(): void;
    /** Set by the library: the memory of the instance. */
    HEAPU8?: Uint8Array;
  }
  export default function create(module: JxrOptions): Promise<{ decode(data: Uint8Array): JxrImage }>;
}
