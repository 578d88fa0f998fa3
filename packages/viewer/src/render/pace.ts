import { type Signal, signal } from '@preact/signals';

/** Max milliseconds between two pictures of one movement. */
const MOVEMENT = 150;
/** On a slow machine pictures come later: then a movement ends after the time of this many full pictures. */
const BUSY = 3;
/** Milliseconds from which pictures are drawn coarsely, or very coarsely, during a movement. */
const SLOW = 12;
const VERY_SLOW = 40;

interface State {
  key: string;
  /** End of the last picture, as `performance.now()`. */
  drawn: number;
  /** Milliseconds of the last full picture. */
  cost: number;
  coarseness: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  readonly settled: Signal<number>;
}

/**
 * Keeps a movement (panning, zooming, changing the contrast) smooth when full pictures take too long. The first picture
 * of a movement is always full, the next ones may be coarse, and a full one follows when the movement ends.
 */
export class Pace {
  readonly #states = new WeakMap<object, State>();

  /**
   * Returns screen pixels per drawn pixel on each side: 1, 2 or 4. An equal key means that nothing changed. Reads a
   * signal, so that an effect runs again when a coarse picture must be replaced by a full one.
   */
  begin(target: object, key: string): number {
    const state = this.#stateOf(target);
    state.settled.value;
    const resting = performance.now() - state.drawn >= lull(state);
    if (resting) state.coarseness = 1;
    else if (key !== state.key) state.coarseness = state.cost <= SLOW ? 1 : state.cost <= VERY_SLOW ? 2 : 4;
    state.key = key;
    return state.coarseness;
  }

  end(target: object, milliseconds: number): void {
    const state = this.#stateOf(target);
    state.drawn = performance.now();
    clearTimeout(state.timer);
    if (state.coarseness === 1) state.cost = milliseconds;
    else
      state.timer = setTimeout(() => {
        state.settled.value++;
      }, lull(state) + 10);
  }

  #stateOf(target: object): State {
    let state = this.#states.get(target);
    if (!state) {
      state = { key: '', drawn: -Infinity, cost: 0, coarseness: 1, timer: undefined, settled: signal(0) };
      this.#states.set(target, state);
    }
    return state;
  }
}

/** Returns the milliseconds without a picture after which a movement has ended. */
function lull({ cost }: State): number {
  return Math.max(MOVEMENT, BUSY * cost);
}
