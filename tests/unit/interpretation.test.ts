import { describe, expect, it } from 'vitest';
import type { Acquisition, PlaneColumns, SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import { interpretPlanes } from '../../packages/readers/src/model/interpretation.js';

const STEP = { step: 2, unit: 'seconds', origin: 'file' } as const;

function scene(T: number, Z: number): SceneInfo {
  const axis = { unit: 'seconds', source: 'stamps', uneven: false, values: new Float64Array(T) } as const;
  return {
    name: '',
    sampleType: 'uint8',
    channels: [{ name: 'GFP' }],
    sizes: { T, Z, Y: 1, X: 1 },
    steps: { T: STEP, Z: STEP, Y: STEP, X: STEP },
    coordinates: { T: axis },
    date: '',
    time: '',
    reference: null,
    warnings: [],
  };
}

function acquisition(scenes: SceneInfo[], columns: PlaneColumns = {}): Acquisition {
  return {
    info: { format: 'tif', scenes, named: { scene: 0, t: 1, z: 2 } },
    readPlane: async () => {},
    readPlaneColumns: async () => columns,
  };
}

describe('planes on the axes that the caller gives them', () => {
  it('keep what the file says of each of them', async () => {
    const time = Float64Array.of(0, 1, 2, 3, 4, 5);
    const swapped = interpretPlanes(acquisition([scene(2, 3)], { time }), { axes: { T: 3, Z: 2 }, order: ['Z', 'T'] });
    // Rows of the table are in the order of T, then Z: time 1 of section 0 is the third row, and the second plane.
    expect([...(await swapped.readPlaneColumns!(0)).time!]).toEqual([0, 3, 1, 4, 2, 5]);
    expect(swapped.info.named).toEqual({ scene: 0, t: 2, z: 1 });
  });

  it('lose steps and coordinates of axes that are others now, and keep those of the others', () => {
    const { scenes } = interpretPlanes(acquisition([scene(6, 1)]), { axes: { T: 2, Z: 3 } }).info;
    expect(scenes[0]!.steps).toMatchObject({ T: { unit: 'Frames' }, Z: { unit: 'Planes' }, Y: STEP });
    expect(scenes[0]).not.toHaveProperty('coordinates');
    const same = interpretPlanes(acquisition([scene(2, 3)]), { order: ['T'] }).info.scenes[0]!;
    expect([same.steps.T, same.channels, Object.keys(same.coordinates!)]).toEqual([STEP, [{ name: 'GFP' }], ['T']]);
  });

  it('leave scenes with another number of planes as they are, with a warning', () => {
    const { scenes } = interpretPlanes(acquisition([scene(6, 1), scene(5, 1)]), { axes: { Z: 6 } }).info;
    expect(scenes.map(({ sizes, warnings }) => [sizes.T, sizes.Z, warnings.length])).toEqual([
      [1, 6, 0],
      [5, 1, 1],
    ]);
  });
});
