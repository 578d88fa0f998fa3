/** Fetches parts of a plane that is too large for the page: an overview first, and samples where they are looked at. */
import { signal } from '@preact/signals';
import { type Along, type Profile, profileOver } from '../analysis/profile.ts';
import { clipRegion, moveRegion, type PlaneRegion } from '../analysis/region.ts';
import { type RegionStats, regionStats } from '../analysis/region-stats.ts';
import type { OpenedAcquisition } from '../model/client.ts';
import type { Shape } from '../model/document.ts';
import { covers, type FarPlane, type FarRegion } from '../model/far-plane.ts';
import type { Samples } from '../model/samples.ts';
import { isCells } from '../render/cells.ts';
import { toChannelStats, toRegionStats, wholeBins } from './far-stats.ts';
import { fetchOverview, fetchWindow, type PlaneRequest, sampleBytes } from './fetch-plane.ts';
import { isAbort } from './notices.ts';
import { planeLimit } from './plane-limit.ts';

/** Samples of a part that is fetched as it is: 8 MB of 16-bit integers. */
const MAX_SAMPLES = 1 << 22;
/** Samples around a shape that are fetched to measure it: 256 MB. */
const MAX_SHAPE = 1 << 26;
/** Cells of an overview along an axis, and in all: 12 MB. */
const MAX_CELLS_ALONG = 2048;
const MAX_CELLS = 1 << 20;
/** Parts that are kept beside the overview of the whole plane. */
const MAX_PARTS = 4;
/** Cells per pixel from which a part is sharp enough. */
const SHARP = 0.75;
/** Around a region, this share of it is fetched at each side, so that small movements need nothing. */
const MARGIN = 0.5;
/** Parts start and end at multiples of this, so that cells of a picture stay the same while it moves. */
const GRID = 64;

/** Fetches the overview, and returns the plane. @throws AcqClientError, or the reason of the signal */
export async function openFarPlane(
  acquisition: OpenedAcquisition,
  request: PlaneRequest,
  shape: Shape,
  stop: AbortSignal,
): Promise<FarPlane> {
  const whole: PlaneRegion = { rows: [0, shape[0]], columns: [0, shape[1]] };
  const base = await fetchOverview(acquisition, request, whole, overviewSize(whole), stop);
  // A part is small beside a plane that is too large.
  return new ServerPlane(acquisition, request, shape, base, Math.min(MAX_SAMPLES, planeLimit() / 8));
}

/** Bytes of the overview of a whole plane: three float32 a cell. */
export function overviewBytes([rows, columns]: Shape): number {
  const [height, width] = overviewSize({ rows: [0, rows], columns: [0, columns] });
  return 12 * height * width;
}

/** Returns the cells of an overview: no more than samples, than `MAX_CELLS` and, along an axis, than `MAX_CELLS_ALONG`. */
function overviewSize({ rows, columns }: PlaneRegion): Shape {
  const height = Math.min(rows[1] - rows[0], MAX_CELLS_ALONG);
  const width = Math.min(columns[1] - columns[0], MAX_CELLS_ALONG);
  const scale = Math.min(1, Math.sqrt(MAX_CELLS / (height * width)));
  return [Math.max(1, Math.floor(height * scale)), Math.max(1, Math.floor(width * scale))];
}

class ServerPlane implements FarPlane {
  readonly parts = signal<readonly FarRegion[]>([]);
  readonly exact = signal(false);
  readonly byteLength: number;
  readonly #spot = signal<{ readonly row: number; readonly column: number; readonly value: number } | null>(null);
  readonly #acquisition: OpenedAcquisition;
  readonly #request: PlaneRequest;
  readonly #shape: Shape;
  readonly #maxSamples: number;
  readonly #ending = new AbortController();
  readonly #looking: LatestRequest<Look>;
  readonly #pointing: LatestRequest<{ row: number; column: number }>;

  constructor(
    acquisition: OpenedAcquisition,
    request: PlaneRequest,
    shape: Shape,
    base: FarRegion,
    maxSamples: number,
  ) {
    this.#acquisition = acquisition;
    this.#request = request;
    this.#shape = shape;
    this.byteLength = shape[0] * shape[1] * sampleBytes(acquisition, request.kind);
    this.#maxSamples = maxSamples;
    this.parts.value = [base];
    this.#looking = new LatestRequest((look) => this.#fetchPart(look));
    this.#pointing = new LatestRequest((at) => this.#fetchSpot(at));
  }

  look(region: PlaneRegion, pixels: Look['pixels']): void {
    const look = { region: clipRegion(region, this.#shape), pixels };
    if (isEmpty(look.region)) return;
    this.exact.value = !isCells(this.best(look.region).data);
    if (!this.#isSharp(look)) this.#looking.want(look);
  }

  best(region: PlaneRegion, ready: (part: FarRegion) => boolean = () => true): FarRegion {
    const clipped = clipRegion(region, this.#shape);
    const parts = this.parts.value;
    const candidates = parts.filter((part, i) => i === 0 || (covers(part, clipped) && ready(part)));
    return candidates.reduce((a, b) => (density(b) > density(a) ? b : a));
  }

  /** True when another part would not be sharper, or not need to be. */
  #isSharp({ region, pixels }: Look): boolean {
    const part = this.best(region);
    if (!isCells(part.data)) return true;
    const next = this.#around(region);
    if (count(next) <= this.#maxSamples) return false;
    const size = overviewSize(next);
    return (['rows', 'columns'] as const).every((axis, i) => {
      const needed = (SHARP * pixels[axis]) / lengthOf(region[axis]);
      return part.shape[i]! / lengthOf(part[axis]) >= Math.min(needed, (0.99 * size[i]!) / lengthOf(next[axis]));
    });
  }

  async #fetchPart(look: Look): Promise<void> {
    if (this.#isSharp(look)) return;
    const region = this.#around(look.region);
    const { signal: stop } = this.#ending;
    const part =
      count(region) <= this.#maxSamples
        ? await fetchWindow(this.#acquisition, this.#request, region, stop)
        : await fetchOverview(this.#acquisition, this.#request, region, overviewSize(region), stop);
    const [base, ...others] = this.parts.value;
    this.parts.value = [base!, ...others.slice(1 - MAX_PARTS), part];
    this.exact.value = !isCells(this.best(look.region).data);
  }

  /** Returns a region with some of its surroundings; without them when it would have too many samples. */
  #around({ rows, columns }: PlaneRegion): PlaneRegion {
    const widen = ([first, end]: readonly [number, number], size: number, margin: number) => {
      const more = Math.ceil((end - first) * margin);
      return [
        Math.max(0, Math.floor((first - more) / GRID) * GRID),
        Math.min(size, Math.ceil((end + more) / GRID) * GRID),
      ] as const;
    };
    const at = (margin: number) => ({
      rows: widen(rows, this.#shape[0], margin),
      columns: widen(columns, this.#shape[1], margin),
    });
    return [MARGIN, 0].map(at).find((region) => count(region) <= this.#maxSamples) ?? at(MARGIN);
  }

  sampleAt(row: number, column: number): number | undefined {
    const here = { rows: [row, row + 1], columns: [column, column + 1] } as const;
    const part = this.best(here);
    if (!isCells(part.data)) {
      return part.data[(row - part.rows[0]) * part.shape[1] + column - part.columns[0]];
    }
    const spot = this.#spot.value;
    if (spot?.row === row && spot.column === column) return spot.value;
    this.#pointing.want({ row, column });
    return undefined;
  }

  async #fetchSpot({ row, column }: { row: number; column: number }): Promise<void> {
    const here = { rows: [row, row + 1], columns: [column, column + 1] } as const;
    const { data } = await fetchWindow(this.#acquisition, this.#request, here, this.#ending.signal);
    this.#spot.value = { row, column, value: (data as Samples)[0]! };
  }

  async line(along: Along, index: number, stop: AbortSignal): Promise<Samples> {
    const [rows, columns] = this.#shape;
    const here = [index, index + 1] as const;
    const region =
      along === 'row' ? { rows: here, columns: [0, columns] as const } : { rows: [0, rows] as const, columns: here };
    return (await fetchWindow(this.#acquisition, this.#request, region, this.#until(stop))).data as Samples;
  }

  async profile(region: PlaneRegion, along: Along, stop: AbortSignal): Promise<Profile> {
    if (region.runs) {
      const { data, shape, part } = await this.#shapeSamples(region, stop);
      const profile = await profileOver(data, shape, part, along, { signal: stop });
      return { ...profile, first: profile.first + (along === 'row' ? region.columns[0] : region.rows[0]) };
    }
    const part = clipRegion(region, this.#shape);
    const [first, end] = along === 'row' ? part.columns : part.rows;
    const size: Shape = along === 'row' ? [1, end - first] : [end - first, 1];
    const { data } = await fetchOverview(this.#acquisition, this.#request, part, size, this.#until(stop));
    if (!isCells(data)) throw new TypeError('a profile of samples');
    const values = (from: Float32Array) =>
      Float64Array.from(from, (value, i) => (data.count[i] === 0 ? Number.NaN : value));
    return { along, first, mean: values(data.mean), min: values(data.low), max: values(data.high) };
  }

  async regionStats(region: PlaneRegion, stop: AbortSignal): Promise<RegionStats> {
    if (region.runs) {
      const { data, shape, part } = await this.#shapeSamples(region, stop);
      return regionStats(data, shape, part, { signal: stop });
    }
    const { rows, columns } = clipRegion(region, this.#shape);
    const choice = { ...this.#place, rows, columns, percentiles: [50] };
    return toRegionStats(
      await this.#acquisition.statistics(this.#request.channel, choice, { signal: this.#until(stop) }),
    );
  }

  async stats(stop: AbortSignal) {
    const choice = { ...this.#place, ...wholeBins(this.#acquisition.info.header.dtype) };
    return toChannelStats(
      await this.#acquisition.statistics(this.#request.channel, choice, { signal: this.#until(stop) }),
    );
  }

  /** Returns the samples around a shape, of which the server knows nothing; none around one that is too large. */
  async #shapeSamples(region: PlaneRegion, stop: AbortSignal) {
    const { rows, columns } = region;
    const empty = { rows: [0, 0], columns: [0, 0] } as const;
    if (count(region) > MAX_SHAPE) return { data: new Float32Array(), shape: [0, 0] as Shape, part: empty };
    const data = await this.samples({ rows, columns }, stop);
    const shape: Shape = [lengthOf(rows), lengthOf(columns)];
    return { data, shape, part: moveRegion(region, -rows[0], -columns[0]) };
  }

  async samples(region: PlaneRegion, stop: AbortSignal): Promise<Samples> {
    return (await fetchWindow(this.#acquisition, this.#request, region, this.#until(stop))).data as Samples;
  }

  release(): void {
    this.#ending.abort();
  }

  get #place() {
    const { t, z } = this.#request;
    return { ...(t === undefined ? {} : { t }), ...(z === undefined ? {} : { z }) };
  }

  #until(stop: AbortSignal): AbortSignal {
    return AbortSignal.any([stop, this.#ending.signal]);
  }
}

interface Look {
  readonly region: PlaneRegion;
  readonly pixels: { readonly rows: number; readonly columns: number };
}

/** Runs one request at a time; of those that are wanted meanwhile, only the newest. */
class LatestRequest<Wish> {
  readonly #fetch: (wish: Wish) => Promise<void>;
  #busy = false;
  #next: Wish | undefined;

  constructor(fetch: (wish: Wish) => Promise<void>) {
    this.#fetch = fetch;
  }

  want(wish: Wish): void {
    this.#next = wish;
    if (!this.#busy) void this.#run();
  }

  async #run(): Promise<void> {
    this.#busy = true;
    // Not while a picture is being painted.
    await Promise.resolve();
    for (let wish = this.#next; wish !== undefined; wish = this.#next) {
      this.#next = undefined;
      try {
        await this.#fetch(wish);
      } catch (error) {
        // The overview stays; the next movement tries again.
        if (isAbort(error)) break;
      }
    }
    this.#busy = false;
  }
}

function count({ rows, columns }: PlaneRegion): number {
  return lengthOf(rows) * lengthOf(columns);
}

function lengthOf([first, end]: readonly [number, number]): number {
  return end - first;
}

function isEmpty(region: PlaneRegion): boolean {
  return count(region) === 0;
}

/** Cells or samples per sample of the plane. */
function density(part: FarRegion): number {
  return (part.shape[0] * part.shape[1]) / count(part) + (isCells(part.data) ? 0 : 1);
}
