declare module '@bokuweb/zstd-wasm' {
  export function init(): Promise<void>;
  export function decompress(data: Uint8Array, options?: { defaultHeapSize?: number }): Uint8Array;
  export function compress(data: Uint8Array, level?: number): Uint8Array;
}
