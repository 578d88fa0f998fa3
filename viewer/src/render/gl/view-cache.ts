import { Target } from './device.ts';
import type { GlPlane } from './gl-plane.ts';

/** Pictures that are kept: a few cards, each as it was last seen. One picture with more layers keeps all of them. */
const KEPT = 12;

interface Kept {
  plane: GlPlane | null;
  key: string;
  used: number;
  readonly values: Target;
}

/** The shown values of the last pictures: a change of contrast does not look at the samples again. */
export class ViewCache {
  readonly #gl: WebGL2RenderingContext;
  readonly #kept: Kept[] = [];
  #clock = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
  }

  /** Before the layers of a picture are asked for: none of them takes the place of another. */
  beginPicture(): void {
    this.#clock++;
  }

  /** `fresh`: the target already holds what `key` stands for. */
  get(plane: GlPlane, key: string): { values: Target; fresh: boolean } {
    const found = this.#kept.find((one) => one.plane === plane && one.key === key);
    const entry = found ?? this.#oldest();
    Object.assign(entry, { plane, key, used: this.#clock });
    return { values: entry.values, fresh: found !== undefined };
  }

  #oldest(): Kept {
    const idle = this.#kept.filter((one) => one.used < this.#clock);
    const free = idle.find((one) => one.plane === null);
    if (free) return free;
    if (this.#kept.length >= KEPT && idle.length > 0) return idle.reduce((a, b) => (a.used < b.used ? a : b));
    const made = { plane: null, key: '', used: 0, values: new Target(this.#gl, this.#gl.R32UI) };
    this.#kept.push(made);
    return made;
  }

  forget(plane: GlPlane): void {
    for (const one of this.#kept) if (one.plane === plane) one.plane = null;
  }
}
