import { describe, expect, it } from 'vitest';
import { Notes } from '../../../packages/readers/src/base/notes.js';
import { type AxisEvidence, resolveAxis } from '../../../packages/readers/src/model/metadata/axes.js';

function resolve(axis: 'T' | 'Z' | 'Y', evidence: Partial<AxisEvidence>, size = evidence.measured?.at.length ?? 2) {
  const notes = new Notes();
  const unit = axis === 'Z' ? 'micrometer' : 'seconds';
  return { ...resolveAxis(axis, size, { unit, ...evidence }, notes), warnings: notes.list() };
}

const stamps = (at: number[], more: object = {}) => ({ measured: { at, what: 'time stamps', ...more } });
const interval = (step: number, more: object = {}) => ({ nominal: [{ step, what: 'interval', ...more }] });

it('times as far apart as they are rounded to are times, when they go on', () => {
  const { step, warnings } = resolve('T', stamps([0, 0.001, 0.002, 0.003], { quantum: 0.001 }));
  expect([step.step, warnings]).toEqual([0.001, []]);
});

describe('a sample of an axis', () => {
  const sample = (size: number, read: Record<number, number>, more: object = {}) => {
    const at = Array.from({ length: size }, (_, i) => read[i] ?? Number.NaN);
    return resolve('T', stamps(at, { isSample: true, ...more })).warnings;
  };

  it('says no longest interval, which may be several', () => {
    expect(sample(21, { 0: 0, 10: 10, 20: 80 }, { planes: 21 })).toEqual([
      'The time points are not evenly spaced, judging by 3 of their 21 time stamps. The T step is the mean, 4 s; ' +
        'the coordinates have all values.',
    ]);
  });

  it('promises no values of more planes than are served', () => {
    const [warning] = sample(21, { 0: 0, 10: 10, 20: 80 }, { planes: 1_000_001 });
    expect(warning).toMatch(/The T step is the mean, 4 s\.$/);
  });

  it('says where neighbors that were both read are far apart', () => {
    expect(sample(21, { 0: 0, 9: 9, 10: 70, 20: 80 })).toEqual([
      'The time points are not evenly spaced, judging by 4 of their 21 time stamps: 61 s follow T = 9. The T step is the ' +
        'mean, 4 s.',
    ]);
  });

  it('is not blamed for the values that were not read', () => {
    expect(sample(21, { 0: 0, 10: 10, 20: 20 })).toEqual([]);
  });
});

describe('step of an axis', () => {
  it('is the mean of measured values, so that the last index lies where it was', () => {
    const { step, coordinates, warnings } = resolve('T', stamps([10, 11.04, 12, 13.02]));
    expect(step).toEqual({ step: (13.02 - 10) / 3, unit: 'seconds', origin: 'file' });
    expect(coordinates).toMatchObject({ unit: 'seconds', source: 'time stamps', uneven: false });
    expect(Array.from(coordinates!.values)).toEqual([0, 11.04 - 10, 2, 13.02 - 10]);
    expect(warnings).toEqual([]);
  });

  it('is measured where a setting contradicts it, and both are named', () => {
    const { step, warnings } = resolve('T', { ...stamps([0, 30, 60, 90]), ...interval(5) });
    expect(step.step).toBe(30);
    expect(warnings).toEqual(['T step: interval says 5 s, but the time stamps are 30 s apart. Showing 30 s.']);
  });

  it('is measured without a word where the setting differs by up to one percent', () => {
    const { step, warnings } = resolve('T', { ...stamps([0, 1, 2, 3]), ...interval(1.0099) });
    expect(step.step).toBe(1);
    expect(warnings).toEqual([]);
    expect(resolve('T', { ...stamps([0, 1, 2, 3]), ...interval(1.0102) }).warnings).toHaveLength(1);
  });

  it('is the setting where the values are rounded and agree with it', () => {
    const exact = 1.087_43;
    const rounded = [0, 1, 2, 3, 4].map((t) => Math.round(t * exact * 1000) / 1000);
    const { step, coordinates } = resolve('T', { ...stamps(rounded, { quantum: 0.001 }), ...interval(exact) });
    expect(step).toEqual({ step: exact, unit: 'seconds', origin: 'file' });
    expect(coordinates?.values[4]).toBe(4.35);
    // Without rounding they disagree by more than seven digits have.
    expect(resolve('T', { ...stamps(rounded), ...interval(exact) }).step.step).toBeCloseTo(4.35 / 4, 12);
  });

  it('is the setting without measured values, and the default with neither', () => {
    expect(resolve('T', interval(2, { origin: 'derived' })).step).toMatchObject({ step: 2, origin: 'derived' });
    expect(resolve('Z', {}).step).toEqual({ step: 1, unit: 'Planes', origin: 'default' });
    expect(resolve('T', {}).step).toEqual({ step: 1, unit: 'Frames', origin: 'default' });
    expect(resolve('T', interval(Number.NaN)).step.origin).toBe('default');
    expect(resolve('T', interval(0.2, { kind: 'placeholder' })).step.origin).toBe('default');
  });

  it('is measured where a second setting contradicts it, and only what was measured is said to be shown', () => {
    const nominal = [
      { step: 2, what: 'average' },
      { step: 0.5, what: 'interval' },
    ];
    const { step, warnings } = resolve('T', { ...stamps([0, 2, 4]), nominal });
    expect(step.step).toBe(2);
    expect(warnings).toEqual(['T step: interval says 0.5 s, but the time stamps are 2 s apart. Showing 2 s.']);
    expect(resolve('T', { ...stamps([0, 3, 6]), nominal }).warnings).toEqual([
      'T step: average says 2 s, but the time stamps are 3 s apart. Showing 3 s.',
    ]);
  });

  it('is the setting where the times of lines run backwards', () => {
    const { step, warnings } = resolve('Y', { ...stamps([3, 2, 1]), ...interval(1) });
    expect(step.step).toBe(1);
    expect(warnings).toEqual(['The time stamps are not in ascending order; the Y step does not follow from them.']);
  });

  it('names a second setting that contradicts the first', () => {
    const { step, warnings } = resolve('T', {
      nominal: [
        { step: 2, what: 'finterval' },
        { step: 0.2, what: 'fps' },
      ],
    });
    expect(step.step).toBe(2);
    expect(warnings).toEqual(['T step: finterval says 2 s, but fps says 0.2 s. Showing 2 s.']);
  });

  it('is positive along positions that descend', () => {
    const positions = { measured: { at: [30, 29.5, 29], what: 'stage positions' } };
    const { step, coordinates } = resolve('Z', positions);
    expect(step).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
    expect(Array.from(coordinates!.values)).toEqual([0, -0.5, -1]);
  });

  it('ignores a stage that stays where it is while something else moves', () => {
    const still = { measured: { at: [7, 7, 7], what: 'stage positions' } };
    const { step, coordinates, warnings } = resolve('Z', { ...still, ...interval(2) });
    expect(step.step).toBe(2);
    expect(coordinates).toBeUndefined();
    expect(warnings).toEqual([]);
  });
});

describe('uneven axes', () => {
  it('are said with the shortest and the longest interval, and where that is', () => {
    const { step, coordinates, warnings } = resolve('T', stamps([0, 1, 2, 3, 60]));
    expect(step.step).toBe(15);
    expect(coordinates?.uneven).toBe(true);
    expect(warnings).toEqual([
      'The time points are 1 s to 57 s apart (median 1 s), by their time stamps; the longest interval follows T = 3. ' +
        'The T step is the mean, 15 s; the coordinates have all values.',
    ]);
  });

  it('keep the line period of a scan with a pause', () => {
    const { step, warnings } = resolve('Y', stamps([0, 0.001, 0.002, 0.003, 0.1, 0.101]));
    expect(step.step).toBeCloseTo(0.001, 12);
    expect(warnings[0]).toContain('The Y step is the median, 0.001 s');
  });

  it('begin at a tenth of the mean, and beyond rounding', () => {
    expect(resolve('T', stamps([0, 1.09, 2])).coordinates?.uneven).toBe(false);
    expect(resolve('T', stamps([0, 1.11, 2])).coordinates?.uneven).toBe(true);
    expect(resolve('T', stamps([0, 1.11, 2], { quantum: 0.2 })).coordinates?.uneven).toBe(false);
  });

  it('of descending positions name the longest distance', () => {
    const { warnings } = resolve('Z', { measured: { at: [9, 8, 5, 4], what: 'positions' } });
    expect(warnings[0]).toContain(
      '1 µm to 3 µm apart (median 1 µm), by their positions; the longest interval follows Z = 1',
    );
  });
});

describe('values that cannot be used', () => {
  it.each([
    ['run backwards', [0, 2, 1, 3], 'not in ascending order'],
    ['descend', [3, 2, 1], 'not in ascending order'],
    ['end where they began', [0, 1, 0], 'not in ascending order'],
  ])('%s: a warning and the setting', (_, at, text) => {
    const { step, coordinates, warnings } = resolve('T', { ...stamps(at), ...interval(4) });
    expect(step.step).toBe(4);
    expect(coordinates).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining(text)]);
  });

  it('positions that run back and forth give a warning', () => {
    const { step, warnings } = resolve('Z', { measured: { at: [0, 1, 2, 1, 0], what: 'positions' }, ...interval(1) });
    expect(step.step).toBe(1);
    expect(warnings).toEqual([expect.stringContaining('run back and forth')]);
  });

  it('a table of another length is ignored with a warning', () => {
    const { step, warnings } = resolve('T', { ...stamps([0, 1, 2]), ...interval(4) }, 5);
    expect(step.step).toBe(4);
    expect(warnings).toEqual(['The file has 3 time stamps for 5 time points; they were ignored.']);
  });

  it('are skipped one by one: missing ones do not move the others', () => {
    const { step, coordinates, warnings } = resolve('T', stamps([Number.NaN, 1, Number.NaN, 3, Infinity]));
    expect(step.step).toBe(1);
    expect(warnings).toEqual(['3 of 5 time stamps are missing or not numbers.']);
    expect(Array.from(coordinates!.values, (value) => Number.isFinite(value) && value)).toEqual([
      false,
      0,
      false,
      2,
      false,
    ]);
  });

  it('of one index say nothing', () => {
    expect(resolve('T', stamps([5])).coordinates).toBeUndefined();
    expect(resolve('T', stamps([Number.NaN, 5])).step.origin).toBe('default');
  });

  it('are a million at most a few passes', () => {
    const at = Float64Array.from({ length: 1_000_000 }, (_, i) => i * 0.5);
    expect(resolve('T', { measured: { at, what: 'time stamps' } }).step.step).toBe(0.5);
  });
});
