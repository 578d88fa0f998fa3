/** What an export reads of single planes. */
import { expect, it } from 'vitest';
import { cutAcquisition } from '../../packages/readers/src/derive/writers/cut.js';
import type { SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import type { OpenedAcquisition } from '../../packages/server/src/open.js';

const STEP = { step: 1, unit: 'Pixels', origin: 'default' } as const;

function scene(T: number): SceneInfo {
  return {
    name: '',
    sampleType: 'uint8',
    channels: [{ name: 'A' }],
    sizes: { T, Z: 1, Y: 1, X: 1 },
    steps: { T: STEP, Z: STEP, Y: STEP, X: STEP },
    date: '',
    time: '',
    reference: null,
    warnings: [],
  };
}

it('the table of a scene is read once for all who need it, and is that of the scene', async () => {
  const read: number[] = [];
  const acquisition = {
    info: { format: 'tif', scenes: [scene(2), scene(3)] },
    readPlaneColumns: async (index: number) => {
      read.push(index);
      return { exposure: new Float64Array(index + 2).fill(index + 1) };
    },
  };
  const cut = cutAcquisition({ acquisition } as unknown as OpenedAcquisition, {}, 1e6);
  const exposures = async (at: number) => [...(await cut.readPlanes(at))!.exposure!];
  expect([await exposures(0), await exposures(0)]).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect(await exposures(1)).toEqual([2, 2, 2]);
  expect(read).toEqual([0, 1]);
});
