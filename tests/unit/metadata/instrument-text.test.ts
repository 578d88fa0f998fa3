import { expect, it } from 'vitest';
import type { OpenDescription } from '../../../packages/client/src/contract/open.js';
import { describeInstrument, describeOptics } from '../../../packages/readers/src/model/metadata/instrument-text.js';
import { toText } from '../../../packages/server/src/cli/inspect.js';

it('says in words what a scene was taken with', () => {
  const objective = { name: 'Plan', magnification: 40, numericalAperture: 0.8, immersion: 'Water' };
  expect(
    describeInstrument({
      objective,
      pixelDwellSeconds: 7.2e-6 * (1 + 1e-16),
      bidirectional: true,
      stage: { x: 0, z: -1 },
    }),
  ).toEqual([
    ['objective', 'Plan, 40×, NA 0.8, Water'],
    ['pixel dwell', '0.0000072 s'],
    ['scan', 'bidirectional'],
    ['stage', 'x 0 µm, z -1 µm'],
  ]);
  expect(describeOptics({ fluorophore: 'GFP', excitationNm: 488, emissionNm: [500, 550], gain: 0 })).toBe(
    'GFP, excitation 488 nm, emission 500–550 nm, gain 0',
  );
  expect([describeInstrument(undefined), describeOptics({})]).toEqual([[], '']);
});

it('shows them in `acqstore inspect`, beside where a step is from', () => {
  const answer = {
    source: { path: '/a.tif', format: 'tif', instrument: { zoom: 4 } },
    header: {
      ...{ dims: ['T', 'Y', 'X'], sizes: { T: 3, Y: 2, X: 2 }, physicalUnits: [2, 1, 1], dtype: 'uint8' },
      ...{ physicalUnitsLabels: ['seconds', 'Pixels', 'Pixels'], calibration: ['file', 'default', 'default'] },
      ...{
        fileSize: '',
        date: '',
        time: '',
        coordinates: { T: { unit: 'seconds', source: 'time stamps', uneven: true } },
      },
    },
    channels: [{ index: 0, name: 'GFP', emissionNm: 510 }],
    reference: null,
    warnings: [],
  } as unknown as OpenDescription;
  const text = toText(answer);
  expect(text).toMatch(/^zoom +4$/m);
  expect(text).toMatch(/T +3 +2 s +file, time stamps, uneven$/m);
  expect(text).toContain('0  GFP  emission 510 nm');
});
