import { describe, expect, it } from 'vitest';
import { parseMemberName, splitStem } from '../../../packages/readers/src/formats/tiff/flavors/olympus-files.js';
import { toSidecarSettings } from '../../../packages/readers/src/formats/tiff/flavors/olympus-settings.js';
import {
  isOlympusSidecar,
  parseConvertedSize,
  parseImageSize,
  parseSidecar,
  parseStepValue,
  parseTimeDimension,
} from '../../../packages/readers/src/formats/tiff/flavors/olympus-text.js';
import { decodeText } from '../../../packages/readers/src/io/text.js';
import { kymographSections, olympusText } from '../../writers/olympus.js';

type Sections = Record<string, Record<string, string>>;

const factsOf = (sections: Sections) => toSidecarSettings(parseSidecar(olympusText({ sections })));
const withPair = (section: string, key: string, value: string): Sections => {
  const sections = kymographSections();
  sections[section] = { ...sections[section], [key]: value };
  return sections;
};
const without = (section: string, key: string): Sections => {
  const sections = kymographSections();
  delete sections[section]?.[key];
  return sections;
};

describe('text of an Olympus export', () => {
  it('gives the facts of the fact sheet vector', () => {
    expect(factsOf(kymographSections())).toEqual({
      kind: 'line',
      columns: 4,
      rows: 6,
      channelCount: 2,
      channelNames: ['RNDD1', 'RNDD2'],
      x: 0.25,
      y: undefined,
      z: undefined,
      linePeriod: 0.002,
      framePeriod: undefined,
      sizes: { T: 1, Z: 1 },
      clock: { date: '20221102', time: '00:30:15' },
    });
  });

  it.each([
    ['CRLF', '\r\n'],
    ['LF', '\n'],
    ['CR', '\r'],
  ])('accepts lines ended by %s', (_, newline) => {
    const sidecar = parseSidecar(olympusText({ sections: kymographSections(), newline }));
    expect(toSidecarSettings(sidecar).linePeriod).toBe(0.002);
    expect(sidecar.get('Reference Image')?.get('Image Size')).toBe('512 * 512 [pixel]');
  });

  it('keeps keys of different sections apart', () => {
    const sidecar = parseSidecar(olympusText({ sections: kymographSections() }));
    expect(sidecar.get('Image')?.get('Image Size')).toBe('4 * 6 [pixel]');
    const referenceOnly = factsOf(without('Image', 'Image Size'));
    expect(referenceOnly.rows).toBeUndefined();
  });

  // Real exports: lines, printed total, expected seconds per line.
  it.each([
    [30000, '35100.000 [ms]', 0.00117],
    [30000, '34380.000 [ms]', 0.001146],
    [30000, '34020.000 [ms]', 0.001134],
    [30000, '33420.000 [ms]', 0.001114],
    [30000, '33300.000 [ms]', 0.00111],
    [30000, '35.100 [s]', 0.00117],
    [2000, '1000000.0 [us]', 0.0005],
    [60, '2 [min]', 2],
  ])('%i lines in %s take %d s each, to the last bit', (rows, total, period) => {
    const sections = kymographSections();
    sections['Image'] = {
      'Primary Dimensions': 'X * T',
      'Image Size': `38 * ${rows} [pixel]`,
      'Image Size(Unit Converted)': `10.796 [um] * ${total}`,
    };
    expect(factsOf(sections).linePeriod).toBe(period);
  });

  it('divides the time of the last line by the lines before it when there is no total', () => {
    expect(factsOf(without('Image', 'Image Size(Unit Converted)')).linePeriod).toBe(0.002);
    expect(factsOf(withPair('Image', 'Image Size(Unit Converted)', '1.000 [um] * 3.000 [um]')).linePeriod).toBe(0.002);
  });

  it('reads shortened files by position', () => {
    const text = [
      '"Channel Dimension" 1 1',
      '"X Dimension" 0 0 0 0 0 0.125',
      '"Image Size" "512" x "1000" y',
      '"T Dimension" 0 0 0 100.0',
      '"Date"\t"10/30/2025 02:54:36.454 PM"',
      '"Bits/Pixel" "16"',
    ].join('\n');
    const facts = toSidecarSettings(parseSidecar(text));
    expect(facts).toMatchObject({ kind: 'line', columns: 512, rows: 1000, x: 0.125, linePeriod: 0.1, channelCount: 1 });
    expect(facts.clock).toEqual({ date: '20251030', time: '14:54:36' });
  });

  it('survives a file with nothing but a T line', () => {
    const sidecar = parseSidecar('"T Dimension" 0 0 0 100.0');
    expect(isOlympusSidecar(sidecar)).toBe(true);
    expect(toSidecarSettings(sidecar)).toMatchObject({
      kind: 'line',
      rows: undefined,
      linePeriod: undefined,
      x: undefined,
    });
  });

  it.each([
    ['11/02/2022 12:30:15.461 PM', '20221102', '12:30:15'],
    ['11/02/2022 12:30:15.461 AM', '20221102', '00:30:15'],
    ['11/02/2022 1:05:09 PM', '20221102', '13:05:09'],
    ['11/02/2022 13:05:09.999', '20221102', '13:05:09'],
    ['25/12/2022 13:05:09', '20221225', '13:05:09'],
    ['2022-12-25 13:05:09', '20221225', '13:05:09'],
    ['31/31/2022 13:05:09', '', ''],
    ['yesterday', '', ''],
    ['', '', ''],
  ])('date %s is %s %s', (text, date, time) => {
    expect(factsOf(withPair('General', 'Date', text)).clock).toEqual({ date, time });
  });

  it.each([
    ['X * T', 'XYT', 'line'],
    ['X * Y', 'XT', 'frame'],
    ['X * Z', 'XT', 'section'],
    [undefined, 'XT', 'line'],
    [undefined, 'XTZ', 'line'],
    [undefined, 'XYT', 'frame'],
    [undefined, 'XZ', 'section'],
    [undefined, undefined, 'line'],
  ])('primary dimensions %s with scan mode %s is a %s scan', (primary, mode, kind) => {
    const sections = kymographSections();
    sections['General'] = mode === undefined ? {} : { 'Scan Mode': mode };
    sections['Image'] = primary === undefined ? {} : { 'Primary Dimensions': primary };
    expect(factsOf(sections).kind).toBe(kind);
  });

  it('takes the dye where the detector has no name', () => {
    const sections = kymographSections();
    sections['Channel 1'] = { 'Dye Name': 'FITC' };
    sections['Channel 2'] = { 'Channel Name': '', 'Dye Name': 'None' };
    expect(factsOf(sections).channelNames).toEqual(['FITC', undefined]);
  });

  it('gives frames no line period but a frame period', () => {
    const facts = factsOf({
      General: { 'Scan Mode': 'XYT' },
      Dimensions: {
        'X Dimension': '512, 0.0 - 254.558 [um], 0.497 [um/pixel]',
        'Y Dimension': '512, 0.0 - 254.558 [um], 0.497 [um/pixel]',
        'Z Dimension': '3, 0.0 - 2.0 [um], 1.00 [um/slice]',
        'T Dimension': '299, 0.000 - 322.701 [s], Interval FreeRun',
      },
      Image: { 'Primary Dimensions': 'X * Y', 'Image Size': '512 * 512 [pixel]' },
    });
    expect(facts).toMatchObject({ kind: 'frame', linePeriod: undefined, y: 0.497, z: 1, sizes: { T: 299, Z: 3 } });
    expect(facts.framePeriod).toBe(322.701 / 298);
  });
});

describe('values of an Olympus text file', () => {
  it.each([
    ['38, 0.0 - 10.796 [um], 0.284 [um/pixel]', 0.284],
    ['38, 0,0 - 10,796 [um], 0,284 [um/pixel]', 0.284],
    ['4, 0 - 8 [um], 2 [um/pixel]', 2],
    ['4, 0 - 8 [µm], 2.5 [µm/pixel]', 2.5],
    ['5, 0.0 - 4.0 [um], 1.00 [um/slice]', 1],
    ['4, 0 - 8 [mm], 0.002 [mm/pixel]', 2],
    ['0 0 0 0 0 0.125', 0.125],
    ['38, 0.0 - 10.796 [um], -0.284 [um/pixel]', undefined],
    ['38, 0.0 - 10.796 [um], NaN [um/pixel]', undefined],
    ['38, 0.0 - 10.796 [um]', undefined],
    ['4, 0 - 8 [s], 2 [s/pixel]', undefined],
    ['', undefined],
    ['a b -3', undefined],
  ])('step of "%s" is %s', (value, step) => expect(parseStepValue(value)).toBe(step));

  it.each([
    ['38 * 30000 [pixel]', { columns: 38, rows: 30000 }],
    ['512 x 1000 y', { columns: 512, rows: 1000 }],
    ['4294967296000 * 1 [pixel]', undefined],
    ['-3 * 4 [pixel]', undefined],
  ])('size "%s"', (value, size) => expect(parseImageSize(value)).toEqual(size));

  it('converted size has two extents with units', () => {
    expect(parseConvertedSize('10.796 [um] * 35100.000 [ms]')).toEqual({
      first: { value: 10.796, unit: 'um' },
      second: { value: 35100, unit: 'ms' },
    });
    expect(parseConvertedSize('10.796 * 35100')).toBeUndefined();
  });

  it.each([
    ['1, 0.000 - 35.099 [s], Interval FreeRun', { count: 1, end: 35.099, duration: undefined, interval: undefined }],
    ['3, 0 - 4000 [ms], Interval 2.0 [s]', { count: 3, end: 4, duration: undefined, interval: 2 }],
    ['0 0 0 100.0', { count: 0, end: undefined, duration: 100, interval: undefined }],
    ['', { count: undefined, end: undefined, duration: undefined, interval: undefined }],
  ])('time "%s"', (value, range) => expect(parseTimeDimension(value)).toEqual(range));
});

describe('names of a split set', () => {
  it.each([
    ['kymo_C002T001.tif', 'kymo', 2, 'kymo_C001T001.tif'],
    ['cell 05_C001T001.tif', 'cell 05', 1, 'cell 05_C001T001.tif'],
    ['v1.2_C012T003.TIF', 'v1.2', 12, 'v1.2_C001T003.TIF'],
    ['a_C001Z004T002.tif', 'a', 1, 'a_C001Z004T002.tif'],
  ])('%s', (name, stem, channel, first) => {
    const member = parseMemberName(name);
    expect(member?.stem).toBe(stem);
    expect(member?.channel).toBe(channel);
    expect(member?.withNumbers(1, member.z, member.t)).toBe(first);
  });

  it.each(['kymo.tif', 'kymo_C1T001.tif', 'kymo_C001.tif', '_C001T001.tif'])('%s is no member', (name) => {
    expect(parseMemberName(name)).toBeUndefined();
  });

  it('splits off the last extension only', () => {
    expect(splitStem('v1.2.tif')).toEqual({ stem: 'v1.2', extension: '.tif' });
    expect(splitStem('noext')).toEqual({ stem: 'noext', extension: '' });
  });
});

describe('encodings', () => {
  const value = '4, 0 - 8 [µm], 2.5 [µm/pixel]';
  const text = `"X Dimension"\t"${value}"\r\n`;
  const utf16 = (little: boolean) => {
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
    return little ? bytes : bytes.swap16();
  };
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['cp1252', Buffer.from(text, 'latin1')],
    ['UTF-16 little endian', utf16(true)],
    ['UTF-16 big endian', utf16(false)],
  ])('%s', (_, bytes) => {
    expect(parseSidecar(decodeText(bytes)).get('')?.get('X Dimension')).toBe(value);
  });

  it('finds nothing in bytes that are no text', () => {
    const bytes = Uint8Array.from({ length: 65536 }, (_, i) => (i * 167 + (i >> 3)) & 0xff);
    expect(isOlympusSidecar(parseSidecar(decodeText(bytes)))).toBe(false);
    expect(isOlympusSidecar(parseSidecar('\0'.repeat(1000)))).toBe(false);
  });

  it('looks at a bounded number of lines and characters of each', () => {
    const sidecar = parseSidecar(`${'\n'.repeat(200_000)}"X Dimension"\t"1"`);
    expect(isOlympusSidecar(sidecar)).toBe(false);
    const long = parseSidecar(`"X Dimension"\t"${'9'.repeat(1_000_000)}"`);
    expect(long.get('')?.get('X Dimension')?.length).toBeLessThan(4096);
  });
});
