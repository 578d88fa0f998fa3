/** Shows the rows of a plane that have come while the others are on their way. */
import type { ChannelView, Shape } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';

/** Milliseconds before the first rows are shown: a plane that comes faster is shown as a whole. */
export const COMING_MS = 100;
/** Each time this factor more rows are drawn, so that all of that takes at most half as long again as drawing the plane. */
const GROWTH = 3;

export class ComingRows {
  readonly #channel: ChannelView;
  readonly #shape: Shape;
  readonly #onFirst: (samples: Samples) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #samples: Samples | null = null;
  #received = 0;
  #patient = true;

  /** @param onFirst gets the first rows that are shown */
  constructor(channel: ChannelView, shape: Shape, onFirst: (samples: Samples) => void) {
    this.#channel = channel;
    this.#shape = shape;
    this.#onFirst = onFirst;
  }

  /** Takes the array that fills from its start; again when the file had to be opened again. */
  readonly start = (samples: Samples): void => {
    this.stop();
    const [rows, columns] = this.#shape;
    if (samples.length !== rows * columns) return;
    this.#samples = samples;
    this.#received = 0;
    this.#patient = true;
    this.#timer = setTimeout(() => {
      this.#patient = false;
      this.#show();
    }, COMING_MS);
  };

  /** Takes the number of bytes that have come. */
  arrived(received: number): void {
    this.#received = received;
    if (!this.#patient) this.#show();
  }

  /** Ends it, and takes back what is shown. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#samples = null;
    this.#channel.coming.value = null;
  }

  #show(): void {
    const samples = this.#samples;
    if (samples === null) return;
    const [rows, columns] = this.#shape;
    const complete = Math.min(rows, Math.floor(this.#received / (columns * samples.BYTES_PER_ELEMENT)));
    const before = this.#channel.coming.value?.shape[0] ?? 0;
    if (complete === 0 || complete < GROWTH * before) return;
    const data = samples.subarray(0, complete * columns);
    if (before === 0) this.#onFirst(data);
    this.#channel.coming.value = { rows: [0, complete], columns: [0, columns], shape: [complete, columns], data };
  }
}
