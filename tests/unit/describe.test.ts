import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import {
  checkChannelIndices,
  describeOpen,
  formatFileSize,
  planOpen,
  setBytes,
  toOpenResponse,
  type ViewChoice,
} from '../../packages/client/src/answers/describe.js';
import { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { AcquisitionInfo, ReferenceInfo, SceneInfo, Step } from '../../packages/readers/src/model/acquisition.js';
import { selectScene } from '../../packages/readers/src/model/selection.js';

const pixels: Step = { step: 1, unit: 'Pixels', origin: 'default' };

/** A line scan of 30,000 lines, 2 channels. */
const lineScan: SceneInfo = {
  name: '',
  sampleType: 'uint16',
  channels: [{ name: 'Calcium' }, { name: 'Vessel' }],
  sizes: { T: 1, Z: 1, Y: 30_000, X: 38 },
  steps: {
    T: { step: 1, unit: 'Frames', origin: 'default' },
    Z: { step: 1, unit: 'Planes', origin: 'default' },
    Y: { step: 0.00117, unit: 'seconds', origin: 'sidecar' },
    X: { step: 0.284, unit: 'micrometer', origin: 'file' },
  },
  date: '20260115',
  time: '10:30:00',
  reference: null,
  warnings: [],
};

const reference: ReferenceInfo = {
  sampleType: 'uint8',
  channels: [{ name: 'Overview' }],
  sizes: { Y: 100, X: 200 },
  steps: {
    Y: { step: 0.5, unit: 'micrometer', origin: 'file' },
    X: { step: 0.25, unit: 'micrometer', origin: 'file' },
  },
  lineRoi: [10, 20, 30, 20],
  scanPath: { x: [10, 30], y: [20, 20] },
};

function acquisition(...scenes: Partial<SceneInfo>[]): AcquisitionInfo {
  return { format: 'tif', scenes: scenes.map((scene) => ({ ...lineScan, ...scene })) };
}

const limits = { name: 'scan.tif', maxPlaneBytes: 2 ** 31 };
const file = { path: '/data/scan 1.tif', size: 4_800_000 };

function answer(info: AcquisitionInfo, choice: ViewChoice = {}, at = file, within = limits) {
  const view = selectScene(info, choice.selection);
  return describeOpen(view, planOpen(view, choice, within.name, within.maxPlaneBytes), at, choice);
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'nothing thrown';
}

describe('a line scan', () => {
  it('is described as the contract says', () => {
    expect(answer(acquisition({}))).toEqual({
      ok: true,
      apiVersion: 'v2',
      source: {
        path: '/data/scan 1.tif',
        name: 'scan 1.tif',
        format: 'tif',
        sourceDtype: 'uint16',
        numChannels: 2,
      },
      header: {
        shape: [2, 30_000, 38],
        dims: ['C', 'Y', 'X'],
        sizes: { C: 2, Y: 30_000, X: 38 },
        dtype: 'uint16',
        numChannels: 2,
        physicalUnits: [1, 0.00117, 0.284],
        physicalUnitsLabels: ['Channels', 'seconds', 'micrometer'],
        date: '20260115',
        time: '10:30:00',
        fileSize: '4.8 MB',
        calibration: ['default', 'sidecar', 'file'],
      },
      plane: {
        shape: [30_000, 38],
        axes: [
          { arrayDimension: 0, name: 'Y', size: 30_000, step: 0.00117, unit: 'seconds' },
          { arrayDimension: 1, name: 'X', size: 38, step: 0.284, unit: 'micrometer' },
        ],
        servedDtype: 'float32',
        encoding: 'raw-f32-le',
        layout: 'row-major',
        mediaType: 'application/octet-stream',
      },
      channels: [
        { index: 0, name: 'Calcium', byteLength: 4_560_000 },
        { index: 1, name: 'Vessel', byteLength: 4_560_000 },
      ],
      reference: null,
      warnings: [],
    });
  });

  it('gets data URLs with a session, and then validates', () => {
    const id = '0123456789abcdef0123456789abcdef';
    const response = toOpenResponse(answer(acquisition({ reference }), { channelIndices: [1] }), id, 'f'.repeat(64));
    expect(response.channels).toEqual([
      { index: 1, name: 'Vessel', byteLength: 4_560_000, dataUrl: `/api/v2/sessions/${id}/channels/1/data` },
    ]);
    expect(response.reference?.channels).toEqual([
      {
        index: 0,
        name: 'Overview',
        byteLength: 80_000,
        dataUrl: `/api/v2/sessions/${id}/reference/channels/0/data`,
      },
    ]);
    expect([...Value.Errors(OpenResponse, response)]).toEqual([]);
  });
});

describe('dimensions', () => {
  const stack: Partial<SceneInfo> = {
    sizes: { T: 5, Z: 7, Y: 4, X: 3 },
    steps: { T: { ...pixels }, Z: { step: 1, unit: 'Planes', origin: 'default' }, Y: pixels, X: pixels },
  };

  it('stand in the order C S T Z Y X, uncalibrated ones with the name of what they count', () => {
    const { header } = answer(acquisition(stack, stack, stack));
    expect(header.dims).toEqual(['C', 'S', 'T', 'Z', 'Y', 'X']);
    expect(header.shape).toEqual([2, 3, 5, 7, 4, 3]);
    expect(header.physicalUnits).toEqual([1, 1, 1, 1, 1, 1]);
    expect(header.physicalUnitsLabels).toEqual(['Channels', 'Scenes', 'Frames', 'Planes', 'Pixels', 'Pixels']);
    expect(header.calibration).toEqual(Array.from({ length: 6 }, () => 'default'));
  });

  it('keep the steps of the file', () => {
    const { header } = answer(
      acquisition({
        ...stack,
        steps: {
          ...lineScan.steps,
          T: { step: 0.5, unit: 'seconds', origin: 'derived' },
          Z: { step: 2, unit: 'micrometer', origin: 'file' },
        },
      }),
    );
    expect(header.dims).toEqual(['C', 'T', 'Z', 'Y', 'X']);
    expect(header.physicalUnits).toEqual([1, 0.5, 2, 0.00117, 0.284]);
    expect(header.physicalUnitsLabels).toEqual(['Channels', 'seconds', 'micrometer', 'seconds', 'micrometer']);
    expect(header.calibration).toEqual(['default', 'derived', 'file', 'sidecar', 'file']);
  });

  it('of size 1 are left out, C is not', () => {
    const { header, selection } = answer(acquisition({ channels: [{ name: 'CH1' }] }));
    expect(header.dims).toEqual(['C', 'Y', 'X']);
    expect(header.shape).toEqual([1, 30_000, 38]);
    expect(selection).toBeUndefined();
  });

  it('are those of the scene chosen', () => {
    const info = acquisition(
      {},
      { sizes: { T: 1, Z: 2, Y: 10, X: 20 }, sampleType: 'uint8', channels: [{ name: 'A' }] },
    );
    const { header, plane, selection } = answer(info, { selection: { S: 1 } });
    expect(header.shape).toEqual([1, 2, 2, 10, 20]);
    expect(header.dtype).toBe('uint8');
    expect(plane.shape).toEqual([10, 20]);
    expect(selection).toEqual({ S: 1, Z: 0 });
  });
});

describe('selection', () => {
  const info = acquisition({ sizes: { T: 5, Z: 7, Y: 4, X: 3 } });

  it('is repeated for the dimensions that the file has', () => {
    expect(answer(info).selection).toEqual({ T: 0, Z: 0 });
    expect(answer(info, { selection: { T: 4 } }).selection).toEqual({ T: 4, Z: 0 });
  });

  it('is by default the plane of the file that was named', () => {
    const parts = { ...acquisition({}, { sizes: { T: 5, Z: 7, Y: 4, X: 3 } }), named: { scene: 1, t: 3, z: 2 } };
    expect(answer(parts).selection).toEqual({ S: 1, T: 3, Z: 2 });
    expect(answer(parts, { selection: { Z: 0 } }).selection).toEqual({ S: 1, T: 3, Z: 0 });
    expect(answer(parts, { selection: { S: 1, T: 0 } }).selection).toEqual({ S: 1, T: 0, Z: 2 });
    expect(answer(parts, { selection: { S: 0 } }).selection).toEqual({ S: 0 });
  });

  it('chooses the plane', () => {
    const view = selectScene(acquisition({}, { sizes: { T: 5, Z: 7, Y: 4, X: 3 } }), { S: 1 });
    expect(planOpen(view, { selection: { S: 1, T: 4, Z: 6 } }, limits.name, limits.maxPlaneBytes)).toMatchObject({
      scene: 1,
      t: 4,
      z: 6,
    });
  });

  it.each([[{ T: 5 }], [{ T: -1 }], [{ Z: 7 }], [{ S: 0 }], [{ S: 1 }]])('%j is out of range', (selection) => {
    expect(codeOf(() => answer(info, { selection }))).toBe('selection_out_of_range');
  });

  it('may not name a dimension that the file lacks, even with 0', () => {
    expect(() => answer(acquisition({}), { selection: { T: 0 } })).toThrow(
      '`selection.T` is 0, but the file has only one time point',
    );
  });
});

describe('channelIndices', () => {
  it('keep their order', () => {
    expect(answer(acquisition({}), { channelIndices: [1, 0] }).channels.map(({ index }) => index)).toEqual([1, 0]);
  });

  it('do not change what the header says of the file', () => {
    const { header, source } = answer(acquisition({}), { channelIndices: [1] });
    expect([header.numChannels, header.shape[0], source.numChannels]).toEqual([2, 2, 2]);
  });

  it.each<[number[], string]>([
    [[], 'invalid_channel_indices'],
    [[0, 0], 'invalid_channel_indices'],
    [[-1], 'invalid_channel_indices'],
    [[9, -1], 'invalid_channel_indices'],
    [[9, 9], 'invalid_channel_indices'],
    [[2], 'channel_out_of_range'],
    [[0, 7], 'channel_out_of_range'],
  ])('%j is %s', (channelIndices, code) => {
    expect(codeOf(() => answer(acquisition({}), { channelIndices }))).toBe(code);
  });

  it('can be checked before the file is opened', () => {
    expect(codeOf(() => checkChannelIndices([3, 3]))).toBe('invalid_channel_indices');
    expect(codeOf(() => checkChannelIndices([99]))).toBe('nothing thrown');
    expect(codeOf(() => checkChannelIndices(undefined))).toBe('nothing thrown');
  });
});

describe('calibration of the request', () => {
  it('replaces the steps of the plane and is marked as derived', () => {
    const { header, plane } = answer(acquisition({}), { calibration: { Y: { step: 0.002, unit: 'seconds' } } });
    expect(header.physicalUnits).toEqual([1, 0.002, 0.284]);
    expect(header.calibration).toEqual(['default', 'derived', 'file']);
    expect(plane.axes[0]).toMatchObject({ step: 0.002, unit: 'seconds' });
    expect(plane.axes[1]).toMatchObject({ step: 0.284, unit: 'micrometer' });
  });

  it('leaves the reference as it is', () => {
    const choice: ViewChoice = { calibration: { X: { step: 9, unit: 'micrometer' } } };
    expect(answer(acquisition({ reference }), choice).reference?.plane.axes.map(({ step }) => step)).toEqual([
      0.5, 0.25,
    ]);
  });

  it.each([Number.POSITIVE_INFINITY, 0, -1, Number.NaN])('with step %d is refused', (step) => {
    expect(codeOf(() => answer(acquisition({}), { calibration: { X: { step, unit: 'micrometer' } } }))).toBe(
      'request_validation_failed',
    );
  });
});

describe('the size of a plane', () => {
  it('is limited before anything is read', () => {
    const small = { ...limits, maxPlaneBytes: 4_559_999 };
    expect(codeOf(() => answer(acquisition({}), {}, file, small))).toBe('plane_too_large');
    expect(codeOf(() => answer(acquisition({}), {}, file, { ...limits, maxPlaneBytes: 4_560_000 }))).toBe(
      'nothing thrown',
    );
  });

  it('of the reference only costs the reference', () => {
    const described = answer(acquisition({ reference: { ...reference, sizes: { Y: 30_000, X: 39 } } }), {}, file, {
      ...limits,
      maxPlaneBytes: 4_560_000,
    });
    expect(described.reference).toBeNull();
    expect(described.warnings).toEqual([
      'The reference image was skipped: one plane takes 4,680,000 bytes as float32; the limit is 4,560,000 (--max-plane-bytes).',
    ]);
  });

  it('adds up over the channels', () => {
    const view = selectScene(acquisition({ reference }), undefined);
    const plan = planOpen(view, { channelIndices: [1] }, limits.name, limits.maxPlaneBytes);
    expect(setBytes(plan.planes)).toBe(4_560_000);
    expect(setBytes(plan.reference)).toBe(80_000);
    expect(setBytes(null)).toBe(0);
  });
});

describe('reference', () => {
  it('has a plane, channels, line and path of its own', () => {
    expect(answer(acquisition({ reference })).reference).toMatchObject({
      plane: { shape: [100, 200] },
      channels: [{ index: 0, name: 'Overview', byteLength: 80_000 }],
      lineRoi: [10, 20, 30, 20],
      scanPath: { x: [10, 30], y: [20, 20] },
    });
  });
});

describe('warnings', () => {
  it('of the scene are passed on', () => {
    expect(answer(acquisition({ warnings: ['page 3 is odd', 'page 7 is odd'] })).warnings).toEqual([
      'page 3 is odd',
      'page 7 is odd',
    ]);
  });
});

describe('file size', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 KB'],
    [842_000, '842 KB'],
    [842_499, '842 KB'],
    [999_499, '999 KB'],
    [999_600, '1.0 MB'],
    [4_799_000, '4.8 MB'],
    [99_960_000, '100 MB'],
    [12_345_678_901, '12.3 GB'],
    [5_000_000_000_000, '5.0 TB'],
    [2 ** 60, '1153 PB'],
  ])('of %d bytes is %s', (bytes, text) => expect(formatFileSize(bytes)).toBe(text));

  it('of a folder is not known', () => {
    const folder = { path: '/data/scan.ome.zarr', size: undefined };
    const view = selectScene(acquisition({}), undefined);
    expect(describeOpen(view, planOpen(view, {}, limits.name, limits.maxPlaneBytes), folder, {}).header.fileSize).toBe(
      '',
    );
  });
});
