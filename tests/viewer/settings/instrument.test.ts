import { describe, expect, it } from 'vitest';
import type { Instrument } from '../../../packages/client/src/contract/instrument.js';
import type { Channel } from '../../../packages/client/src/contract/open.js';
import { instrumentRows } from '../../../packages/viewer/src/settings/instrument.ts';

const rowsOf = (instrument: Instrument | undefined, ...channels: Partial<Channel>[]) => {
  const info = { source: { instrument }, channels } as unknown as Parameters<typeof instrumentRows>[0];
  return instrumentRows(info).map(({ label, value }) => `${label}: ${value}`);
};

describe('what an acquisition was recorded with', () => {
  it('is the microscope, and a line for each channel', () => {
    const instrument = {
      microscope: 'Olympus FV3000',
      objective: { name: 'XLPLN25XWMP2', magnification: 25, numericalAperture: 1.05, immersion: 'Water' },
      zoom: 2.5,
      pixelDwellSeconds: 2e-6,
      linePeriodSeconds: 0.00117,
      bidirectional: true,
      stage: { x: 1234.5, y: -20, z: 0 },
    };
    const green = { name: 'CH1', fluorophore: 'Cal-520', excitationNm: 920, emissionNm: [495, 540], laserPower: 3.2 };
    const red = {
      name: 'Alexa 594',
      fluorophore: 'Alexa 594',
      detector: 'PMT2',
      gain: 0,
      pinholeUm: 120,
      exposureSeconds: 0.05,
    };
    expect(rowsOf(instrument, green, red)).toEqual([
      'Microscope: Olympus FV3000',
      'Objective: XLPLN25XWMP2 · NA 1.05 · Water',
      'Zoom: 2.5×',
      'Scanner: 2 µs per pixel · 1.17 ms per line · in both directions',
      'Stage: x 1,234.5 µm · y −20 µm · z 0 µm',
      'CH1: Cal-520 · excitation 920 nm · emission 495–540 nm · laser 3.2 %',
      'Alexa 594: exposure 50 ms · PMT2 · gain 0 · pinhole 120 µm',
    ]);
  });

  it('repeats nothing that the name of the objective says', () => {
    const objective = {
      name: 'HC PL APO 63×/1.40 OIL CS2',
      magnification: 63,
      numericalAperture: 1.4,
      immersion: 'Oil',
    };
    expect(rowsOf({ objective })).toEqual(['Objective: HC PL APO 63×/1.40 OIL CS2']);
    const dry = { name: 'PLAN 10x', magnification: 1, numericalAperture: 1 };
    expect(rowsOf({ objective: dry })).toEqual(['Objective: PLAN 10x · 1× · NA 1']);
    expect(rowsOf({ objective: { magnification: 20 } })).toEqual(['Objective: 20×']);
  });

  it('is nothing where the file states nothing', () => {
    expect(rowsOf(undefined, { name: 'CH1' })).toEqual([]);
  });
});
