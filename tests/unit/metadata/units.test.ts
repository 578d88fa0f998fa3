import { describe, expect, it } from 'vitest';
import { Notes } from '../../../packages/readers/src/base/notes.js';
import { defaultStep, fileStep, makeStep } from '../../../packages/readers/src/model/metadata/steps.js';
import { inUnit, toUnit, unitMeaning } from '../../../packages/readers/src/model/metadata/units.js';

describe('unitMeaning', () => {
  it.each([
    ['um', 1],
    ['\u00b5m', 1],
    ['\u03bcm', 1],
    ['\\u00B5m', 1],
    ['Â\u00b5m', 1],
    ['\ufffdm', 1],
    ['\\xb5m', 1],
    ['\\u03bcm', 1],
    ['\u339b', 1],
    ['\u0083Êm', 1],
    ['ƒÊm', 1],
    ['¦Ìm', 1],
    ['micron', 1],
    ['microns', 1],
    ['Micrometers', 1],
    ['[um]', 1],
    ['nm', 0.001],
    ['\u00c5', 0.0001],
    ['Angstroms', 0.0001],
    ['mm', 1000],
    ['cm', 10_000],
    ['m', 1_000_000],
    ['metres', 1_000_000],
    ['inch', 25_400],
    ['inches', 25_400],
    ['"', 25_400],
    ['picometer', 1e-6],
    ['decimeter', 100_000],
    ['kilometres', 1e9],
    ['foot', 304_800],
    ['pm', 1e-6],
    ['angstrom', 1e-4],
    ['km', 1e9],
    ['dm', 100_000],
    ['in', 25_400],
    ['ft', 304_800],
    ['thou', 25.4],
    ['mil', 25.4],
    ['pt', 25_400 / 72],
    ['yards', 914_400],
    ['miles', 1_609_344_000],
  ])('%s is %d µm', (text, factor) => {
    expect(unitMeaning(text)).toEqual({ unit: 'micrometer', factor });
  });

  it.each([
    ['s', 1],
    ['sec', 1],
    ['Seconds', 1],
    ['ms', 0.001],
    ['msec', 0.001],
    ['us', 1e-6],
    ['\u00b5s', 1e-6],
    ['\\u00b5sec', 1e-6],
    ['\ufffdsec', 1e-6],
    ['millisec', 0.001],
    ['sec.', 1],
    ['min', 60],
    ['minutes', 60],
    ['h', 3600],
    ['nanosecond', 1e-9],
    ['centiseconds', 0.01],
    ['kilosecond', 1000],
    ['ps', 1e-12],
    ['ns', 1e-9],
    ['usec', 1e-6],
    ['hr', 3600],
    ['hours', 3600],
    ['d', 86_400],
    ['days', 86_400],
  ])('%s is %d s', (text, factor) => {
    expect(unitMeaning(text)).toEqual({ unit: 'seconds', factor });
  });

  it.each([
    ['yotta', 1e24],
    ['zetta', 1e21],
    ['exa', 1e18],
    ['peta', 1e15],
    ['tera', 1e12],
    ['giga', 1e9],
    ['mega', 1e6],
    ['kilo', 1e3],
    ['hecto', 100],
    ['deca', 10],
    ['deci', 0.1],
    ['centi', 0.01],
    ['milli', 1e-3],
    ['micro', 1e-6],
    ['nano', 1e-9],
    ['pico', 1e-12],
    ['femto', 1e-15],
    ['atto', 1e-18],
    ['zepto', 1e-21],
    ['yocto', 1e-24],
  ])('a prefix %s is a factor of %d, of seconds and of meters', (prefix, factor) => {
    expect(unitMeaning(`${prefix}second`)).toEqual({ unit: 'seconds', factor });
    expect(unitMeaning(`${prefix}meters`)!.factor / 1e6 / factor).toBeCloseTo(1, 12);
  });

  it.each([
    '',
    'pixel',
    'furlong',
    'gramometer',
    'tostringmeter',
    'constructor',
    '__proto__',
    'µ',
    'x'.repeat(1_000_000),
  ])('%.20s is no unit', (text) => {
    expect(unitMeaning(text)).toBeUndefined();
  });
});

describe('fileStep', () => {
  const step = (value: number | undefined, unit: string | undefined, expect?: 'micrometer' | 'seconds') => {
    const warnings = new Notes();
    const options = { what: 'X step', warnings, ...(expect ? { expect } : {}) };
    return { ...fileStep(value, unit, options), warnings: warnings.list().length };
  };

  it('converts', () => {
    expect(step(200, 'nm')).toEqual({ step: 0.2, unit: 'micrometer', origin: 'file', warnings: 0 });
    expect(step(2.5, 'ms')).toEqual({ step: 0.0025, unit: 'seconds', origin: 'file', warnings: 0 });
  });

  it('is silent about what is not there', () => {
    const none = { step: 1, unit: 'Pixels', origin: 'default', warnings: 0 };
    expect(step(undefined, 'um')).toEqual(none);
    expect(step(3, undefined)).toEqual(none);
    expect(step(3, 'pixel')).toEqual(none);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-13])('%d µm is no step', (value) => {
    expect(step(value, 'um')).toEqual({ step: 1, unit: 'Pixels', origin: 'default', warnings: 1 });
  });

  it('warns of a unit that cannot be used', () => {
    expect(step(1, 'furlong').warnings).toBe(1);
    expect(step(1, 's', 'micrometer')).toEqual({ step: 1, unit: 'Pixels', origin: 'default', warnings: 1 });
  });

  it('falls back to the unit of the dimension', () => {
    expect(fileStep(0, 'um', { what: 'Z', warnings: new Notes(), fallback: 'Planes' }).unit).toBe('Planes');
    expect(defaultStep('Frames')).toEqual({ step: 1, unit: 'Frames', origin: 'default' });
  });

  it('makes steps in units of the contract', () => {
    expect(makeStep(0.5, 'seconds', 'derived')).toEqual({ step: 0.5, unit: 'seconds', origin: 'derived' });
    expect(makeStep(Number.NaN, 'seconds')).toBeUndefined();
  });
});

describe('a value in another unit', () => {
  it.each([
    [20, 'usec', 0.000_02],
    [0.3, 'nm', 0.0003],
    [1.1, 'ms', 0.0011],
    [3, 'mm', 3000],
    [5, 'min', 300],
  ])('%f %s is rounded once', (value, unit, expected) => {
    expect(inUnit(value, unitMeaning(unit)!)).toBe(expected);
  });
});

describe('toUnit', () => {
  it('rounds once, and takes no other kind of unit', () => {
    expect(toUnit('seconds', 3, 'us')).toBe(0.000003);
    expect(toUnit('seconds', 20.1, 'ms')).toBe(0.0201);
    expect(toUnit('micrometer', 3, 'nm')).toBe(0.003);
    expect([toUnit('seconds', 3, 'nm'), toUnit('micrometer', undefined, 'nm'), toUnit('seconds', 3, '')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
