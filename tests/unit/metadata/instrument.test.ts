import { describe, expect, it } from 'vitest';
import { toInstrument, toOptics } from '../../../packages/readers/src/model/metadata/instrument.js';

describe('the instrument of a scene', () => {
  it('keeps what can be used', () => {
    const { instrument } = toInstrument({
      microscope: ' Axio ',
      objective: { name: '', magnification: 63, numericalAperture: 1.4, immersion: 'Oil' },
      zoom: 0,
      pixelDwellSeconds: Number.NaN,
      linePeriodSeconds: 0.002,
      bidirectional: false,
      stage: { x: -10.5, y: 0, z: Number.POSITIVE_INFINITY },
      start: undefined,
    });
    expect(instrument).toEqual({
      microscope: 'Axio',
      objective: { magnification: 63, numericalAperture: 1.4, immersion: 'Oil' },
      linePeriodSeconds: 0.002,
      bidirectional: false,
      stage: { x: -10.5, y: 0 },
    });
  });

  it('is absent when the file states nothing usable', () => {
    expect(toInstrument({ objective: { name: ' ' }, stage: { x: Number.NaN }, zoom: -1 })).toEqual({});
  });

  it('cuts long texts', () => {
    expect(toInstrument({ microscope: 'x'.repeat(600) }).instrument?.microscope).toBe(`${'x'.repeat(511)}…`);
  });
});

describe('the optics of a channel', () => {
  it('keeps wavelengths, as one number or as a band with its shorter end first', () => {
    expect(toOptics({ excitationNm: 488, emissionNm: [550, 500] })).toEqual({
      excitationNm: 488,
      emissionNm: [500, 550],
    });
    expect(toOptics({ excitationNm: 0, emissionNm: [0, 550] })).toEqual({});
    expect(toOptics({ emissionNm: [525, 525] })).toEqual({ emissionNm: 525 });
  });

  it('keeps a laser that is off, and a gain below zero', () => {
    expect(toOptics({ laserPower: 0, gain: -2, exposureSeconds: 0, pinholeUm: -1 })).toEqual({
      laserPower: 0,
      gain: -2,
    });
    expect(toOptics({ laserPower: -1, fluorophore: ' GFP ' })).toEqual({ fluorophore: 'GFP' });
  });
});
