import { expect, it } from 'vitest';
import {
  asCorrupted,
  asIncomplete,
  asInconsistent,
  warningsByKind,
} from '../../packages/readers/src/base/warning-kinds.js';
import { findingsOf, listed } from '../../packages/server/src/survey/findings.js';

it('sorts warnings by what the reader that made them means', () => {
  const warnings = [
    asIncomplete('3 of 5 lines.'),
    'A color was assumed.',
    asCorrupted('Cut.'),
    asInconsistent('1 or 2.'),
  ];
  expect(warnings[0]).toBe('3 of 5 lines.');
  expect(warningsByKind(warnings)).toEqual({
    corrupted: ['Cut.'],
    incomplete: ['3 of 5 lines.'],
    inconsistent: ['1 or 2.'],
  });
  expect(warningsByKind(['Nobody said what this is.'])).toEqual({});
});

it('forgets what earlier files said', () => {
  asCorrupted('of the first file');
  for (let i = 0; i < 10_000; i++) asIncomplete(`${i}`);
  expect(warningsByKind(['of the first file', '9999'])).toEqual({ incomplete: ['9999'] });
});

it('puts what is lost first, and axes without a step last', () => {
  const none = { step: 1, unit: 'Pixels', origin: 'default' };
  const scene = {
    sizes: { T: 5, Z: 1, Y: 3, X: 4 },
    steps: { T: none, Z: none, Y: { step: 1, unit: 'micrometer', origin: 'file' }, X: none },
    warningKinds: { inconsistent: ['1 or 2.'], corrupted: ['Cut.'] },
  };
  expect(findingsOf({ format: 'tif', scenes: [scene, scene] as never })).toEqual([
    { kind: 'corrupted', message: 'Cut.' },
    { kind: 'inconsistent', message: '1 or 2.' },
    { kind: 'uncalibrated', message: 'No calibration along X, T.' },
  ]);
  const many = Array.from({ length: 200 }, (_, i) => ({ kind: 'uncalibrated' as const, message: `${i}` }));
  expect(listed([...many, { kind: 'corrupted', message: 'Cut.' }])).toHaveLength(100);
  expect(listed([...many, { kind: 'corrupted', message: 'Cut.' }])[0]?.kind).toBe('corrupted');
});
