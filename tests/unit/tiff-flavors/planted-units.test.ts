/** Two statements of one file about one step: those that differ are named, those that agree are not. */
import { describe, expect, it } from 'vitest';
import type { SceneInfo } from '../../../packages/readers/src/model/acquisition.js';
import fc from '../../support/fast-check.js';
import { tempFolder } from '../../support/temp.js';
import { countingPage, description, withFixture } from '../../support/tiff-cases.js';
import { type TagSpec, writeTiff } from '../../writers/tiff.js';

const root = tempFolder();

function open(text: string, tags: readonly TagSpec[] = [], pages = 2): Promise<SceneInfo> {
  const bytes = writeTiff({
    pages: Array.from({ length: pages }, (_, i) => countingPage(i, i === 0 ? [description(text), ...tags] : [])),
  });
  return withFixture(root, { 'a.tif': bytes }, async ({ acquisition }) => acquisition.info.scenes[0] as SceneInfo);
}

/** Pixels per unit as fractions, and ResolutionUnit. */
function resolution(perUnit: number, unit: number): TagSpec[] {
  const values = [Math.round(perUnit * 1000), 1000];
  return [
    { code: 282, type: 5, values },
    { code: 283, type: 5, values },
    { code: 296, type: 3, values: [unit] },
  ];
}

const hundredths = (min: number, max: number) => fc.integer({ min, max }).map((value) => value / 100);
const FACTORS = [0.01, 0.5, 0.97, 1, 1.03, 2, 1000];

describe('a planted contradiction', () => {
  it('between the scale and the resolution of SCIFIO is said', async () => {
    await fc.assert(
      fc.asyncProperty(hundredths(5, 500), fc.constantFrom(...FACTORS), async (scale, factor) => {
        const text = `SCIFIO=0.46.0\naxes=X,Y,Z\nlengths=4,3,2\nscales=${scale},${scale},1\nunits=um,um,um\nslices=2\n`;
        const scene = await open(text, resolution(10_000 / (scale * factor), 3));
        expect(scene.steps.X).toEqual({ step: scale, unit: 'micrometer', origin: 'file' });
        const said = scene.warnings.filter((warning) => warning.startsWith('SCIFIO X scale: the description says'));
        expect(said).toHaveLength(factor === 1 ? 0 : 1);
      }),
      { numRuns: 20 },
    );
  });

  it('between the unit of ImageJ and ResolutionUnit is said, and the size of a light microscope is shown', async () => {
    const units = [
      ['um', 1],
      ['nm', 1e-3],
      ['mm', 1e3],
      ['cm', 1e4],
      ['inch', 25_400],
    ] as const;
    const tags = [
      [2, 25_400],
      [3, 10_000],
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...units),
        fc.constantFrom(...tags),
        hundredths(7, 90),
        async ([unit, factor], [code, micrometers], size) => {
          const scene = await open(
            `ImageJ=1.54f\nimages=2\nslices=2\nunit=${unit}\n`,
            resolution(micrometers / size, code),
          );
          const said = scene.warnings.filter((warning) => warning.includes('but ResolutionUnit is'));
          expect(said).toHaveLength(factor === micrometers ? 0 : 1);
          expect(scene.steps.X.step / size).toBeCloseTo(1, 2);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('between the interval and the rate of a tifffile array is said', async () => {
    await fc.assert(
      fc.asyncProperty(hundredths(1, 9_000), fc.constantFrom(...FACTORS), async (interval, factor) => {
        const metadata = { shape: [2, 3, 4], axes: 'TYX', finterval: interval, fps: 1 / (interval * factor) };
        const scene = await open(JSON.stringify(metadata));
        expect(scene.steps.T).toEqual({ step: interval, unit: 'seconds', origin: 'file' });
        const said = scene.warnings.filter((warning) => warning.startsWith('T step: finterval says'));
        expect(said).toHaveLength(factor === 1 ? 0 : 1);
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['ImageJ=1.54f\nimages=2\nframes=2\nfinterval=2\ntunit=fortnights\n', 'ImageJ finterval: the unit "fortnights"'],
    ['ImageJ=1.54f\nimages=2\nslices=2\nunit=cubits\n', 'X scale: the unit "cubits"'],
    ['ImageJ=1.54f\nimages=2\nslices=2\nunit=um\nzunit=cubits\nspacing=2\n', 'ImageJ spacing: the unit "cubits"'],
    ['{"shape": [2, 3, 4], "axes": "TYX", "finterval": 2, "tunit": "moons"}', 'finterval: the unit "moons"'],
    ['{"shape": [2, 3, 4], "axes": "ZYX", "spacing": 2, "unit": "cubits"}', 'spacing: the unit "cubits"'],
  ])('of a unit that means nothing is said: %j', async (text, warning) => {
    const scene = await open(text, resolution(5, 1));
    expect(scene.warnings.join()).toContain(warning);
  });
});
