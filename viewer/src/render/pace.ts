import { type Signal, signal } from '@preact/signals';

/** A change that follows the last picture within this many milliseconds belongs to one movement. */
const MOVEMENT = 150;
/** A picture that takes longer than a frame allows is drawn coarsely while it moves; much longer: more coarsely. */
const SLOW = 12;
const VERY_SLOW = 40;

interface State {
  key: string;
  /** End of the last picture, by `performance.now()`. */
  drawn: number;
  /** Milliseconds of the last picture in full. */
  cost: number;
  coarseness: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  readonly settled: Signal<number>;
}

/**
 * Keeps a movement (panning, zooming, dragging a limit of contrast) fluent where full pictures take too long: the first
 * picture of a movement is always full, those that follow at once may be coarse, and when the movement rests the full
 * one comes.
 */
export class Pace {
  readonly #states = new WeakMap<object, State>();

  /**
   * Screen pixels per drawn pixel, on each side: 1, 2 or 4. Equal keys: nothing changed. Reads a signal that changes when
   * a coarse picture shall be drawn in full: an effect is run again.
   */
  begin(target: object, key: string): number {
    const state = this.#stateOf(target);
    state.settled.value;
    const resting = performance.now() - state.drawn >= MOVEMENT;
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
      }, MOVEMENT + 10);
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
