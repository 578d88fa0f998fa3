import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../packages/readers/src/base/limits.js';
import type { Acquisition, ReferenceInfo, SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import { channelsNamed } from '../../packages/readers/src/model/metadata/names.js';
import { defaultStep } from '../../packages/readers/src/model/metadata/steps.js';
import { Float32Target } from '../../packages/readers/src/model/samples/plane-target.js';
import { withinLimits } from '../../packages/readers/src/open/plane-size.js';
import { openBytes } from '../support/memory.js';
import { writeMrc } from '../writers/mrc.js';

const steps = { T: defaultStep(), Z: defaultStep(), Y: defaultStep(), X: defaultStep() };

function scene(Y: number, X: number, reference: ReferenceInfo | null = null): SceneInfo {
  const sizes = { T: 1, Z: 1, Y, X };
  const channels = channelsNamed([undefined]);
  return { name: '', sampleType: 'uint8', channels, sizes, steps, date: '', time: '', reference, warnings: [] };
}

function reference(Y: number, X: number): ReferenceInfo {
  const [first] = channelsNamed([undefined]);
  const { Y: y, X: x } = steps;
  const shown = { lineRoi: null, scanPath: null };
  return { sampleType: 'uint8', channels: [first!], sizes: { Y, X }, steps: { Y: y, X: x }, ...shown };
}

/** Scenes whose planes are all 1. */
function acquisition(...scenes: SceneInfo[]): Acquisition {
  const put: Acquisition['readPlane'] = async (_, target) => {
    target.put(
      { samples: Uint8Array.of(1), offset: 0, rowStride: 0, columnStride: 0 },
      0,
      0,
      target.rows,
      target.columns,
    );
  };
  return {
    info: { format: 'tif', scenes },
    readPlane: put,
    readChannels: async (plane, channels, targets) => {
      for (const [i, channel] of channels.entries()) await put({ ...plane, channel }, targets[i]!);
    },
    listMetadata: async () => {},
  };
}

const TOO_LARGE = {
  code: 'plane_too_large',
  message: 'the plane has 65,536 rows of 32,769 pixels; the limit is 2,147,483,648 pixels, and 134,217,728 per side',
};
const large = () => scene(65_536, 32_769);

describe('planes that are too large for memory', () => {
  it('are described in any format, and refused with the name of the file', async () => {
    const bytes = writeMrc({ type: 'int8', size: [1, 1, 1], samples: [1], cell: [1, 1, 1] });
    const view = new DataView(bytes.buffer);
    view.setInt32(0, 32_769, true);
    view.setInt32(4, 65_536, true);
    const { checkScene, info, readPlane } = await openBytes('scan.mrc', bytes);
    expect(info.scenes[0]?.sizes).toMatchObject({ Y: 65_536, X: 32_769 });
    const refused = { ...TOO_LARGE, message: `scan.mrc: ${TOO_LARGE.message}` };
    expect(() => checkScene?.(0)).toThrow(expect.objectContaining(refused));
    const target = new Float32Target(1, 1);
    await expect(readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target)).rejects.toMatchObject(refused);
  });

  it('of one of several scenes cannot be read, and the others can', async () => {
    const { checkScene, info, readChannels, readPlane } = withinLimits(acquisition(scene(1, 2), large()));
    expect(info.scenes.length).toBe(2);
    const target = new Float32Target(1, 2);
    await readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target);
    expect([...target.data]).toEqual([1, 1]);
    expect(() => checkScene?.(0)).not.toThrow();
    expect(() => checkScene?.(1)).toThrow(expect.objectContaining(TOO_LARGE));
    await expect(readPlane({ scene: 1, channel: 0, t: 0, z: 0 }, target)).rejects.toMatchObject(TOO_LARGE);
    await expect(readChannels?.({ scene: 1, t: 0, z: 0 }, [0], [target])).rejects.toMatchObject(TOO_LARGE);
  });

  it('keep what a reader itself refuses', () => {
    const refuse = (index: number) => {
      if (index === 0) throw new RangeError('compressed');
    };
    const checked = withinLimits({ ...acquisition(scene(1, 2), large()), checkScene: refuse });
    expect(() => checked.checkScene?.(0)).toThrow('compressed');
  });

  it('have a side above the limit, too', () => {
    const { checkScene } = withinLimits(acquisition(scene(1, LIMITS.planeSide + 1)));
    expect(() => checkScene?.(0)).toThrow('1 row of 134,217,729 pixels');
  });
});

it('the largest planes are served', () => {
  const whole = acquisition(scene(65_536, 32_768), scene(LIMITS.planeSide, 16));
  expect(withinLimits(whole)).toBe(whole);
});

it('a reference image that is too large is skipped', () => {
  const [info] = withinLimits(acquisition(scene(2, 2, reference(65_536, 32_769)))).info.scenes;
  expect(info).toMatchObject({
    reference: null,
    warnings: [`The reference image was skipped: ${TOO_LARGE.message}.`],
  });
});
