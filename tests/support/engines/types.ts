/** What the tests need of a browser, whatever its engine and the protocol that drives it. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Keys by the names of `KeyboardEvent.key`; a single character is that character. `Control+` before it holds that key. */
export type Key = string;

/** Takes the modifier off a key. */
export function splitKeys(keys: Key): [held: 'Control' | null, key: string] {
  return keys.startsWith('Control+') ? ['Control', keys.slice('Control+'.length)] : [null, keys];
}

export interface EnginePage {
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Value of a JavaScript expression in the page, which may be a promise. */
  evaluate<T>(expression: string): Promise<T>;
  /** Moves the pointer to a place of the viewport in CSS pixels. */
  move(to: Point): Promise<void>;
  click(at: Point): Promise<void>;
  drag(from: Point, to: Point): Promise<void>;
  press(key: Key): Promise<void>;
  /** Types text into the focused element. */
  type(text: string): Promise<void>;
  screenshot(): Promise<Uint8Array>;
}

export interface Engine {
  readonly page: EnginePage;
  /** Folder that downloads are saved in. */
  readonly downloads: string;
  close(): Promise<void>;
}

/** A browser that the tests run in when its programs are installed. */
export interface EngineKind {
  readonly name: string;
  /** Names of the programs that are not installed. */
  missing(): string[];
  start(): Promise<Engine>;
}

export const VIEWPORT = { width: 1440, height: 900 };
