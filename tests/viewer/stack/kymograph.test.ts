import { describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import type { OpenedAcquisition } from '../../../packages/viewer/src/model/client.ts';
import { openKymograph } from '../../../packages/viewer/src/stack/kymograph.ts';

interface Parts {
  readonly step?: boolean;
  readonly distance?: readonly number[];
  readonly unit?: string | null;
}

/** A stack of 5 time points and 3 sections whose lines have the values 100 t + k. */
function stack({ step = true, distance = [0, 0.5, 1, 1.5], unit = 'micrometer' }: Parts = {}) {
  const requests: { t: number; z: number; points: unknown; width?: number }[] = [];
  let parallel = 0;
  let most = 0;
  const state = { closed: false };
  const info = {
    source: { name: 'stack.nd2', path: '/data/stack.nd2' },
    header: {
      dims: ['C', 'T', 'Z', 'Y', 'X'],
      shape: [1, 5, 3, 8, 8],
      sizes: { C: 1, T: 5, Z: 3, Y: 8, X: 8 },
      numChannels: 1,
      physicalUnits: [1, step ? 0.25 : 1, 1, 0.5, 0.5],
      physicalUnitsLabels: ['Pixels', step ? 'seconds' : 'Pixels', 'micrometer', 'micrometer', 'micrometer'],
      calibration: ['default', step ? 'file' : 'default', 'file', 'file', 'file'],
    },
    selection: { T: 3, Z: 2 },
    plane: { shape: [8, 8], axes: [] },
    channels: [{ index: 0, name: 'Calcium', byteLength: 256, dataUrl: '/data' }],
    reference: null,
    warnings: [],
  } as unknown as OpenResponse;
  const parent = {
    info,
    async profile(_channel: number, choice: (typeof requests)[number]) {
      requests.push(choice);
      parallel += 1;
      most = Math.max(most, parallel);
      await new Promise((resolve) => setTimeout(resolve));
      parallel -= 1;
      const values = distance.map((_, k) => (k === 3 ? null : 100 * choice.t + k));
      return { distance, unit, values };
    },
    async close() {
      state.closed = true;
    },
  } as unknown as OpenedAcquisition;
  return { parent, requests, state, most: () => most };
}

const LINE = {
  name: 'Line 1',
  points: [
    [1, 2],
    [1, 5],
  ],
  width: 3,
} as const;

describe('a kymograph of a line', () => {
  it('has a row for each time point of the chosen section', async () => {
    const { parent, requests, most } = stack();
    const kymograph = await openKymograph(parent, LINE);
    const received: number[] = [];
    const plane = await kymograph.plane(0, { onProgress: (progress) => received.push(progress.received) });
    expect(kymograph.info.plane.shape).toEqual([5, 4]);
    expect([...plane.subarray(0, 8)]).toEqual([0, 1, 2, Number.NaN, 100, 101, 102, Number.NaN]);
    expect(
      requests
        .slice(1)
        .map(({ t }) => t)
        .sort(),
    ).toEqual([0, 1, 2, 3, 4]);
    expect(requests.every(({ z, width, points }) => z === 2 && width === 3 && points === LINE.points)).toBe(true);
    expect(received.at(-1)).toBe(plane.byteLength);
    expect(most()).toBe(4);
  });

  it('has seconds between its rows and µm along its line', async () => {
    const { info } = await openKymograph(stack().parent, LINE);
    expect(info.plane.axes.map(({ step, unit }) => [step, unit])).toEqual([
      [0.25, 'seconds'],
      [0.5, 'micrometer'],
    ]);
    expect([info.header.dims, info.header.dtype, info.warnings]).toEqual([['C', 'Y', 'X'], 'float32', []]);
    expect(info.selection).toBeUndefined();
    expect(info.source.name).toBe('stack.nd2, kymograph of Line 1');
  });

  it('has the times of its rows where the file has those of the time points', async () => {
    const { parent } = stack();
    const T = Float64Array.of(0, 1, 2, 60, 61);
    parent.coordinates = async () => ({ T, Z: Float64Array.of(0, 1, 2) });
    parent.info.header.coordinates = { T: { unit: 'seconds', source: 'time stamps', uneven: true } };
    const kymograph = await openKymograph(parent, LINE);
    expect(await kymograph.coordinates()).toEqual({ Y: T });
    expect(kymograph.info.header.coordinates).toEqual({ Y: parent.info.header.coordinates.T });
    expect(kymograph.info.warnings).toEqual([expect.stringContaining('not evenly spaced')]);
  });

  it('says what the file does not contain, and calibrates nothing else', async () => {
    const { info } = await openKymograph(stack({ step: false, unit: null }).parent, LINE);
    expect(info.plane.axes.map(({ step, unit }) => [step, unit])).toEqual([
      [1, 'Pixels'],
      [1, 'Pixels'],
    ]);
    expect(info.warnings.join(' ')).toContain('does not contain the time between two planes');
    expect(info.warnings.join(' ')).toContain('does not contain one pixel size');
  });

  it('calls the step along a path over pixels that are not square a mean', async () => {
    const { info } = await openKymograph(stack({ distance: [0, 0.5, 1.5, 2.5] }).parent, LINE);
    expect(info.plane.axes[1]?.step).toBeCloseTo(2.5 / 3);
    expect(info.warnings).toEqual(['The pixels are not square, so 0.8333 µm is the mean step along the line.']);
  });

  it('closes the stack when it has no time points', async () => {
    const { parent, state } = stack();
    (parent.info.selection as Record<string, number>) = { Z: 2 };
    await expect(openKymograph(parent, LINE)).rejects.toThrow('needs several time points');
    expect(state.closed).toBe(true);
  });

  it('follows columns along its rows', async () => {
    const kymograph = await openKymograph(stack().parent, LINE);
    const { shape, samples } = await kymograph.traces(0, {
      along: 'Y',
      regions: [{ columns: [0, 2] }, { columns: [2, 4] }],
    });
    expect(shape).toEqual([2, 5]);
    expect([...samples]).toEqual([0.5, 100.5, 200.5, 300.5, 400.5, 2, 102, 202, 302, 402]);
  });
});
