/** What the panel makes of the vendor's settings: the main ones, a search, groups, lines to copy. */
import { describe, expect, it } from 'vitest';
import type { MetadataEntry } from '../../../packages/client/src/contract/vendor-metadata.js';
import { findHighlights } from '../../../packages/viewer/src/settings/highlights.ts';
import { groupEntries, searchEntries, toLines } from '../../../packages/viewer/src/settings/settings-list.ts';

const entries = (values: Record<string, string>): MetadataEntry[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

/** Returns the main settings as `label: value`. */
const main = (values: Record<string, string>) =>
  findHighlights(entries(values)).map(({ label, value }) => `${label}: ${value}`);

describe('the main settings', () => {
  it('are those of a CZI, with the objective that was used and each channel once', () => {
    const channel = (i: number) => `Information/Image/Dimensions/Channels/Channel:${i}`;
    expect(
      main({
        'Information/Image/ObjectiveSettings/ObjectiveRef/Id': 'Objective:2',
        'Information/Instrument/Objectives/Objective:1/Name': '10x',
        'Information/Instrument/Objectives/Objective:1/LensNA': '0.3',
        'Information/Instrument/Objectives/Objective:2/Name': 'Plan-Apochromat 63x/1.4  Oil',
        'Information/Instrument/Objectives/Objective:2/LensNA': '1.4000000000000001',
        [`${channel(0)}/LaserScanInfo/PixelTime`]: '1.9759999999999998e-006',
        [`${channel(0)}/LightSourcesSettings/LightSourceSettings/Wavelength`]: '488.00000000000006',
        [`${channel(0)}/DetectorSettings/Gain`]: '650',
        [`${channel(1)}/LaserScanInfo/PixelTime`]: '1.9759999999999998e-006',
        [`${channel(1)}/LightSourcesSettings/LightSourceSettings/Wavelength`]: '561',
        [`${channel(1)}/DetectorSettings/Gain`]: '700.04',
      }),
    ).toEqual([
      'Objective: Plan-Apochromat 63x/1.4 Oil',
      'Numerical aperture: 1.4',
      'Pixel dwell time: 1.976 µs',
      'Laser: 488 nm, 561 nm',
      'Detector gain: 650, 700',
    ]);
  });

  it('are those of the detectors and lasers in use', () => {
    const leica = 'HardwareSetting/ATLConfocalSettingDefinition';
    expect(
      main({
        [`${leica}/Zoom`]: '10.36',
        [`${leica}/AotfList/Aotf/LaserLineSetting[1]/LaserLine`]: '488',
        [`${leica}/AotfList/Aotf/LaserLineSetting[1]/IntensityDev`]: '0.5',
        [`${leica}/AotfList/Aotf/LaserLineSetting[2]/LaserLine`]: '561',
        [`${leica}/AotfList/Aotf/LaserLineSetting[2]/IntensityDev`]: '0',
        [`${leica}/DetectorList/Detector[1]/IsActive`]: '1',
        [`${leica}/DetectorList/Detector[1]/Gain`]: '41.5',
        [`${leica}/DetectorList/Detector[2]/IsActive`]: '0',
        [`${leica}/DetectorList/Detector[2]/Gain`]: '0',
      }),
    ).toEqual(['Zoom: 10.36', 'Laser: 488 nm', 'Detector gain: 41.5']);
  });

  it.each([
    ['ND2', { 'ImageMetadataSeq/wsObjectiveName': 'Plan Apo λ 20x' }, 'Objective: Plan Apo λ 20x'],
    ['LSM', { 'Tracks/Track[1]/PixelTime': '1.575757575758034' }, 'Pixel dwell time: 1.576 µs'],
    ['Prairie View', { 'PVStateShard/pmtGain/Ch 1 HV': '650' }, 'PMT voltage: 650 V'],
    ['ScanImage', { 'Software/SI.hRoiManager.scanZoomFactor': '2' }, 'Zoom: 2'],
    ['FluoView', { 'Acquisition Parameters Common/ZoomValue': '7.0' }, 'Zoom: 7'],
    ['OME-XML', { 'ImageDescription/Instrument:0/Objective:0:0/LensNA': '0.8' }, 'Numerical aperture: 0.8'],
  ])('are found in %s', (_format, values, expected) => {
    expect(main(values as Record<string, string>)).toEqual([expected]);
  });

  it('are left out when nobody says which of several objectives was used, or a name only looks alike', () => {
    expect(
      main({
        'Information/Instrument/Objectives/Objective:1/Name': '10x',
        'Information/Instrument/Objectives/Objective:2/Name': '20x',
        'HardwareSetting/Zoom': '3',
        MyObjective: 'x',
        'Software/SI.hPmts.gains': '[]',
      }),
    ).toEqual([]);
  });
});

describe('a search', () => {
  const all = entries({ 'Laser[1]/Power': '5 mW', 'Laser[2]/Power': '7', Objective: 'Laser lens' });

  it('finds every word in the name or the value, in any case and order', () => {
    expect(searchEntries(all, 'POWER laser').map(({ value }) => value)).toEqual(['5 mW', '7']);
    expect(searchEntries(all, ' lens ').map(({ name }) => name)).toEqual(['Objective']);
    expect(searchEntries(all, '')).toBe(all);
    expect(searchEntries(all, 'power mirror')).toEqual([]);
  });
});

it('entries that follow each other with the same path are one group', () => {
  const groups = groupEntries(entries({ 'a/b/x': '1', 'a/b/y': '2', z: '3', 'a/b/w': '4' }));
  expect(groups.map(({ path, rows }) => [path, ...rows.map(({ name }) => name)])).toEqual([
    ['a/b', 'x', 'y'],
    ['', 'z'],
    ['a/b', 'w'],
  ]);
});

it('copied lines have one name and one value each, whatever these contain', () => {
  expect(toLines(entries({ 'a/b': 'one\r\ntwo\tthree', c: '' }))).toBe('a/b\tone two three\nc\t\n');
});
