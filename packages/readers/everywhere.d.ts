/**
 * What Node, Deno, Bun and the workers of pages all have. Readers run in each of them: they are checked with these declarations,
 * in place of those of Node and of the DOM. Add to them only what all of these platforms have.
 */

declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes: Uint8Array): string;
}

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}

interface AbortSignal {
  readonly aborted: boolean;
  throwIfAborted(): void;
}

declare const performance: { now(): number };

declare function structuredClone<T>(value: T): T;
