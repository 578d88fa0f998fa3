/**
 * Follows a wanted place that changes faster than planes can be read. The newest place wins, but a request that runs is
 * finished and shown, so that the picture moves along; neighbors in the direction of movement are read ahead.
 */
import type { Place } from './place.ts';
import { samePlace } from './place.ts';

export interface ScrubberWork {
  /** True when everything that is shown at the place has been read. */
  isLoaded(place: Place): boolean;
  load(place: Place, signal: AbortSignal): Promise<void>;
  show(place: Place): void;
  /** The place that is wanted could not be read. */
  fail(place: Place, error: unknown): void;
  /** Returns the places to read ahead, the most useful first. */
  neighbors(place: Place): readonly Place[];
}

export interface Scrubber {
  /** Shows a place now if it has been read, else as soon as possible. */
  want(place: Place): void;
  /** Reads the wanted place again after a failure. */
  retry(): void;
  /** Aborts all requests. */
  stop(): void;
}

/** Requests at the same time before another one is read ahead. */
const MAX_RUNS = 3;
/** Requests for places that were wanted: one that is finished in any case, and one that may be given up. */
const MAX_WANTED_RUNS = 2;
/**
 * Milliseconds after which a request is aborted for a newer place, unless it is the only one. A server that decodes a
 * plane must end a thread for that, which takes longer than most planes.
 */
const PATIENCE = 1500;

interface Run {
  readonly place: Place;
  readonly started: number;
  readonly controller: AbortController;
  /** Number of the request by the user that this answers; 0 while it is only read ahead. */
  order: number;
}

export function createScrubber(work: ScrubberWork): Scrubber {
  let runs: Run[] = [];
  let wanted: Place | null = null;
  let order = 0;
  let shownOrder = 0;
  let failed = false;
  /** True when the slider went on before the plane that it was at had come. */
  let outrun = false;
  /** Neighbors that could not be read; they are not tried again before the next movement. */
  let refused: Place[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const ageOf = (run: Run) => performance.now() - run.started;
  const answers = () => runs.filter((run) => run.order > 0);
  const runOf = (place: Place) => runs.find((run) => samePlace(run.place, place));

  function abort(run: Run): void {
    runs = runs.filter((other) => other !== run);
    run.controller.abort();
  }

  function start(place: Place, runOrder: number): void {
    const run: Run = { place, started: performance.now(), controller: new AbortController(), order: runOrder };
    runs.push(run);
    const finish = (act: () => void) => {
      if (!runs.includes(run)) return;
      runs = runs.filter((other) => other !== run);
      act();
      pump();
    };
    work.load(place, run.controller.signal).then(
      () => finish(() => arrive(run)),
      (error: unknown) => finish(() => refuse(run, error)),
    );
  }

  function arrive({ place, order: runOrder }: Run): void {
    if (runOrder === 0 || runOrder < shownOrder || !work.isLoaded(place)) return;
    shownOrder = runOrder;
    work.show(place);
  }

  function refuse({ place }: Run, error: unknown): void {
    refused.push(place);
    if (wanted === null || !samePlace(place, wanted)) return;
    failed = true;
    work.fail(place, error);
  }

  /** Starts requests: first for the wanted place, then for its neighbors. */
  function pump(): void {
    clearTimeout(timer);
    if (wanted === null || failed) return;
    if (!work.isLoaded(wanted) && !runOf(wanted)) readWanted(wanted);
    if (!work.isLoaded(wanted) && !runOf(wanted)) return;
    // A slider that moves faster than planes come does not stop at the neighbors, and they would delay what it stops at.
    if (answers().length >= MAX_WANTED_RUNS || (outrun && !work.isLoaded(wanted))) return;
    for (const place of work.neighbors(wanted)) {
      if (runs.length >= MAX_RUNS) return;
      const known = work.isLoaded(place) || runOf(place) || refused.some((other) => samePlace(other, place));
      if (!known) start(place, 0);
    }
  }

  function readWanted(place: Place): void {
    const running = answers();
    const newest = running.at(-1);
    if (newest && running.length >= MAX_WANTED_RUNS) {
      const age = ageOf(newest);
      if (age < PATIENCE) {
        timer = setTimeout(pump, PATIENCE - age);
        return;
      }
      abort(newest);
    }
    for (const run of runs) if (run.order === 0 && ageOf(run) >= PATIENCE) abort(run);
    start(place, order);
  }

  return {
    want(place) {
      if (wanted !== null && !samePlace(wanted, place)) outrun = !work.isLoaded(wanted);
      wanted = place;
      failed = false;
      refused = [];
      order += 1;
      const run = runOf(place);
      if (run) run.order = order;
      if (work.isLoaded(place)) {
        shownOrder = order;
        work.show(place);
      }
      pump();
    },
    retry() {
      failed = false;
      refused = [];
      pump();
    },
    stop() {
      clearTimeout(timer);
      wanted = null;
      outrun = false;
      const ending = runs;
      runs = [];
      for (const { controller } of ending) controller.abort();
    },
  };
}
