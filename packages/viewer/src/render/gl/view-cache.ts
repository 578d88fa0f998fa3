import { DrawTarget } from './device.ts';
import type { GlPlane } from './gl-plane.ts';

/** Max cached pictures: the last one of a few cards. A picture with more layers keeps all of them. */
const MAX_CACHED = 12;

interface CacheEntry {
  plane: GlPlane | null;
  key: string;
  used: number;
  readonly values: DrawTarget;
}

/** Caches the shown values of the last pictures, so that a change of contrast does not read the samples again. */
export class ViewCache {
  readonly #gl: WebGL2RenderingContext;
  readonly #entries: CacheEntry[] = [];
  #clock = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
  }

  /** Starts a picture, whose layers do not replace each other. */
  beginPicture(): void {
    this.#clock++;
  }

  /** Returns a target for a key. `fresh` is true when it already has the values of that key. */
  get(plane: GlPlane, key: string): { values: DrawTarget; fresh: boolean } {
    const match = this.#entries.find((entry) => entry.plane === plane && entry.key === key);
    const entry = match ?? this.#oldest();
    Object.assign(entry, { plane, key, used: this.#clock });
    return { values: entry.values, fresh: match !== undefined };
  }

  #oldest(): CacheEntry {
    const idle = this.#entries.filter((entry) => entry.used < this.#clock);
    const free = idle.find((entry) => entry.plane === null);
    if (free) return free;
    if (this.#entries.length >= MAX_CACHED && idle.length > 0) return idle.reduce((a, b) => (a.used < b.used ? a : b));
    const created = { plane: null, key: '', used: 0, values: new DrawTarget(this.#gl, this.#gl.R32UI) };
    this.#entries.push(created);
    return created;
  }

  forget(plane: GlPlane): void {
    for (const entry of this.#entries) if (entry.plane === plane) entry.plane = null;
  }
}
