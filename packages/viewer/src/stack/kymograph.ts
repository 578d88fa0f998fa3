/**
 * A kymograph of a line on a stack: the samples along the line at every time point. It behaves like an opened
 * acquisition whose rows are the time points. The server reads the line, so only its samples are transferred.
 */

import { AcqClientError } from '@acquisition-store/client';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { OpenedAcquisition, SelectChoice } from '../model/client.ts';
import { formatNumber } from '../model/number-text.ts';
import { placeOf, planePlace, stackAxis, stackDims } from './place.ts';

export interface KymographLine {
  /** Name of the line, for the tab. */
  readonly name: string;
  /** Two or more `[row, column]` in pixels; whole numbers are centers of pixels. */
  readonly points: readonly (readonly [row: number, column: number])[];
  /** Samples across the line that are averaged. */
  readonly width: number;
}

/** Lines that are read at the same time. */
const PARALLEL = 4;
/** Steps along the line may differ by this share before the length of a step is called a mean. */
const EQUAL_STEPS = 0.001;

type ReadOptions = Parameters<OpenedAcquisition['plane']>[1];

/**
 * Reads the line at the first time point, which tells the number of samples.
 * @throws AcqClientError when the line cannot be read; `parent` is closed then
 */
export async function openKymograph(
  parent: OpenedAcquisition,
  line: KymographLine,
  signal?: AbortSignal,
): Promise<Kymograph> {
  try {
    const [first] = parent.info.channels;
    if (first === undefined || !stackDims(parent.info).includes('T')) {
      throw new Error(`${parent.info.source.name}: a kymograph needs several time points.`);
    }
    const { distance, unit } = await parent.profile(
      first.index,
      { ...toChoice(line), t: 0, ...sectionOf(parent) },
      { signal },
    );
    return new Kymograph(parent, line, toInfo(parent.info, line, distance, unit));
  } catch (error) {
    await parent.close();
    throw error;
  }
}

export class Kymograph implements OpenedAcquisition {
  readonly line: KymographLine;
  readonly #parent: OpenedAcquisition;
  #info: OpenResponse;
  onReopened: ((info: OpenResponse) => void) | null = null;

  constructor(parent: OpenedAcquisition, line: KymographLine, info: OpenResponse) {
    this.#parent = parent;
    this.line = line;
    this.#info = info;
    parent.onReopened = ({ sessionId }) => {
      this.#info = { ...this.#info, sessionId };
      this.onReopened?.(this.#info);
    };
  }

  get info(): OpenResponse {
    return this.#info;
  }

  get closed(): boolean {
    return this.#parent.closed;
  }

  get given() {
    return this.#parent.given;
  }

  /** The stack that the line is on. */
  get stackInfo(): OpenResponse {
    return this.#parent.info;
  }

  /** Reads the line at every time point. Places outside the image are NaN. */
  async plane(channelIndex: number, { signal, onProgress }: ReadOptions = {}): Promise<Float32Array<ArrayBuffer>> {
    const [rows = 0, columns = 0] = this.#info.plane.shape;
    const samples = new Float32Array(rows * columns);
    const choice = { ...toChoice(this.line), ...sectionOf(this.#parent) };
    let next = 0;
    let done = 0;
    const work = async () => {
      for (let row = next++; row < rows; row = next++) {
        const { values } = await this.#parent.profile(channelIndex, { ...choice, t: row }, { signal });
        if (values.length !== columns) throw new Error(`${this.#info.source.name}: the line has another length.`);
        samples.set(
          values.map((value) => value ?? Number.NaN),
          row * columns,
        );
        done += 1;
        onProgress?.({ received: 4 * done * columns, total: samples.byteLength });
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    return samples;
  }

  /** The samples of a kymograph are interpolated, so they are float32 for every file. */
  nativePlane(channelIndex: number, options: ReadOptions = {}): Promise<Float32Array<ArrayBuffer>> {
    return this.plane(channelIndex, options);
  }

  referencePlane(...request: Parameters<OpenedAcquisition['referencePlane']>) {
    return this.#parent.referencePlane(...request);
  }

  rows(...request: Parameters<OpenedAcquisition['rows']>) {
    return this.#parent.rows(...request);
  }

  /** Parts are read only of planes that do not fit into the page. */
  window(): Promise<never> {
    return Promise.reject(this.#tooLarge());
  }

  nativeWindow(): Promise<never> {
    return this.window();
  }

  overview(): Promise<never> {
    return this.window();
  }

  statistics(): Promise<never> {
    return this.window();
  }

  #tooLarge(): AcqClientError {
    const { name } = this.#info.source;
    return new AcqClientError('plane_too_large', `${name}: the kymograph is too large for this page.`, {
      hint: 'Draw a shorter line.',
    });
  }

  profile(...request: Parameters<OpenedAcquisition['profile']>) {
    return this.#parent.profile(...request);
  }

  /** Follows columns along the time points: the mean over the columns of each region, as the server computes it. */
  async traces(
    channelIndex: number,
    { regions }: Parameters<OpenedAcquisition['traces']>[1],
    { signal }: { signal?: AbortSignal | undefined } = {},
  ) {
    const [rows = 0, columns = 0] = this.#info.plane.shape;
    const plane = await this.plane(channelIndex, { signal });
    const samples = new Float32Array(regions.length * rows);
    regions.forEach(({ columns: [first, end] = [0, columns] }, region) => {
      for (let row = 0; row < rows; row++) {
        const part = plane.subarray(row * columns + first, row * columns + end).filter(Number.isFinite);
        samples[region * rows + row] = part.reduce((sum, value) => sum + value, 0) / part.length;
      }
    });
    return { shape: [regions.length, rows], samples };
  }

  /** The rows are the time points. */
  async coordinates(...request: Parameters<OpenedAcquisition['coordinates']>) {
    const { T } = await this.#parent.coordinates(...request);
    return T === undefined ? {} : { Y: T };
  }

  metadata(...request: Parameters<OpenedAcquisition['metadata']>) {
    return this.#parent.metadata(...request);
  }

  events(...request: Parameters<OpenedAcquisition['events']>) {
    return this.#parent.events(...request);
  }

  status(...request: Parameters<OpenedAcquisition['status']>) {
    return this.#parent.status(...request);
  }

  renew(...request: Parameters<OpenedAcquisition['renew']>) {
    return this.#parent.renew(...request);
  }

  /** Opens other channels; the line stays. */
  async select(choice: SelectChoice, options: Parameters<OpenedAcquisition['select']>[1] = {}) {
    return openKymograph(await this.#parent.select(toStackChoice(choice), options), this.line, options.signal);
  }

  async openAgain(choice: SelectChoice, options: Parameters<OpenedAcquisition['select']>[1] = {}) {
    return openKymograph(await this.#parent.openAgain(toStackChoice(choice), options), this.line, options.signal);
  }

  close(options?: Parameters<OpenedAcquisition['close']>[0]): Promise<void> {
    return this.#parent.close(options);
  }
}

/** Returns what a choice says about the stack, whose planes are those of the line. */
function toStackChoice({ selection: _, projection: __, ...rest }: SelectChoice): SelectChoice {
  return rest;
}

function toChoice({ points, width }: KymographLine) {
  return { points, ...(width > 1 ? { width } : {}) };
}

function sectionOf({ info }: OpenedAcquisition): { z?: number } {
  const { z } = planePlace(info, placeOf(info));
  return z === undefined ? {} : { z };
}

/** Describes the kymograph as an open response. What the file does not say about steps is in the warnings. */
function toInfo(
  info: OpenResponse,
  line: KymographLine,
  distance: readonly number[],
  unit: string | null,
): OpenResponse {
  const { selection: _, projection: __, zarr: ___, ...rest } = info;
  const { coordinates, ...header } = info.header;
  const time = stackAxis(info, 'T');
  const [rows, columns] = [time.size, distance.length];
  const position = positionStep(distance, unit);
  const y = { size: rows, step: time.step ?? 1, unit: toUnit(time.step === null ? 'Pixels' : time.unit) };
  const x = { size: columns, step: position.step ?? 1, unit: toUnit(position.step === null ? 'Pixels' : 'micrometer') };
  const at = info.header.dims.indexOf('T');
  const origins = [info.header.calibration[at] ?? 'default', position.step === null ? 'default' : 'derived'] as const;
  return {
    ...rest,
    source: { ...info.source, name: `${info.source.name}, kymograph of ${line.name}` },
    header: {
      ...header,
      ...(coordinates?.T ? { coordinates: { Y: coordinates.T } } : {}),
      dims: ['C', 'Y', 'X'],
      shape: [info.header.numChannels, rows, columns],
      sizes: { C: info.header.numChannels, Y: rows, X: columns },
      dtype: 'float32',
      physicalUnits: [1, y.step, x.step],
      physicalUnitsLabels: ['Pixels', y.unit, x.unit],
      calibration: ['default', ...origins],
    },
    plane: {
      ...info.plane,
      shape: [rows, columns],
      axes: [
        { arrayDimension: 0, name: 'Y', ...y },
        { arrayDimension: 1, name: 'X', ...x },
      ],
    },
    channels: info.channels.map((channel) => ({ ...channel, byteLength: 4 * rows * columns })),
    reference: null,
    warnings: [
      ...(time.step === null
        ? ['The file does not contain the time between two planes, so the time axis of the kymograph counts planes.']
        : []),
      ...(coordinates?.T?.uneven
        ? ['The time points are not evenly spaced: each row lies at its time, and a pause is a hatched gap.']
        : []),
      ...(position.step === null
        ? ['The file does not contain one pixel size for both axes, so positions along the line are in samples.']
        : []),
      ...(position.uneven
        ? [`The pixels are not square, so ${formatNumber(position.step ?? 1)} µm is the mean step along the line.`]
        : []),
    ],
  };
}

/** Returns the length of a step along the line in µm; null when it is not known. */
function positionStep(distance: readonly number[], unit: string | null): { step: number | null; uneven: boolean } {
  const last = distance.at(-1) ?? 0;
  if (unit !== 'micrometer' || distance.length < 2 || !(last > 0)) return { step: null, uneven: false };
  const step = last / (distance.length - 1);
  const uneven = distance.some((at, i) => i > 0 && Math.abs(at - distance[i - 1]! - step) > EQUAL_STEPS * step);
  return { step, uneven };
}

type AxisUnit = OpenResponse['plane']['axes'][number]['unit'];

function toUnit(unit: string): AxisUnit {
  return unit === 'seconds' || unit === 'micrometer' ? unit : 'Pixels';
}
