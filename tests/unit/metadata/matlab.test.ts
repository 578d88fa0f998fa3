import { describe, expect, it } from 'vitest';
import { numbersOf, parseMatlab, textsOf } from '../../../packages/readers/src/model/metadata/matlab.js';
import {
  channelDisplays,
  parseScanImageText,
  savedChannels,
} from '../../../packages/readers/src/model/metadata/scanimage.js';
import { countRois } from '../../../packages/readers/src/model/metadata/scanimage-rois.js';

describe('MATLAB literals', () => {
  it.each([
    ['1', 1],
    ['-2.5e-05', -2.5e-5],
    ['.5', 0.5],
    ['true', true],
    ['false', false],
    ['Inf', Number.POSITIVE_INFINITY],
    ['-Inf', Number.NEGATIVE_INFINITY],
    ['NaN', Number.NaN],
    ["'text'", 'text'],
    ["'it''s'", "it's"],
    ["''", ''],
    ['@scanimage.util.f', '@scanimage.util.f'],
  ])('%s', (text, value) => expect(parseMatlab(text)).toEqual(value));

  it.each([
    ['[1;2]', [[1], [2]]],
    ['[1 2 3]', [[1, 2, 3]]],
    [
      '[1,2;3 4]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['[2023  4 13 17 45 2.164]', [[2023, 4, 13, 17, 45, 2.164]]],
    ['[]', []],
    ['{}', []],
    ['zeros(0,1)', []],
    ['1:4', [[1, 2, 3, 4]]],
    ["{'Channel 1' 'Channel; 2'}", [['Channel 1', 'Channel; 2']]],
    ['{16 16}', [[16, 16]]],
    [
      '[-84.375 -84.375;84.375 -84.375]',
      [
        [-84.375, -84.375],
        [84.375, -84.375],
      ],
    ],
  ])('%s', (text, rows) => expect(parseMatlab(text)).toEqual({ rows }));

  it('has at most a million elements, itself among them', () => {
    const list = (count: number) => `[${'7 '.repeat(count)}]`;
    expect(numbersOf(parseMatlab(list(999_999)))).toHaveLength(999_999);
    expect(parseMatlab(list(1_000_000))).toBe(list(1_000_000));
  });

  it('nests cells', () => {
    expect(parseMatlab('{[-1 1] [0 2]}')).toEqual({ rows: [[{ rows: [[-1, 1]] }, { rows: [[0, 2]] }]] });
  });

  it.each([
    ['an open bracket', '[1 2'],
    ['an open quote', "{'a"],
    ['something behind the end', '[1] 2'],
    ['too deep', '['.repeat(10_000)],
    ['too long a range', '1:4000000000'],
    ['too many elements', `[${'1 '.repeat(1_000_001)}]`],
  ])('%s stays text', (_, text) => expect(parseMatlab(text)).toBe(text.trim()));

  it('picks numbers and texts', () => {
    expect(numbersOf(parseMatlab("[true 2 'a']"))).toEqual([1, 2]);
    expect(textsOf(parseMatlab("{'a' 1 'b'}"))).toEqual(['a', 'b']);
    expect(numbersOf(undefined)).toEqual([]);
  });
});

describe('ScanImage header text', () => {
  it.each([
    ["SI.hChannels.channelSave = [1;3]\nSI.hChannels.channelName = {'Green' 'b' 'Red'}\n", 5, ['Green', 'Red']],
    ['scanimage.SI.hChannels.channelSave = 2\n', 5, ['Channel 2']],
    ['Frame Number = 1\nscanimage.SI4.channelsSave = [1 2]\n', 4, ['Channel 1', 'Channel 2']],
    ['state.acq.numberOfChannelsSave=1\rstate.acq.savingChannel2=1\r', 3, ['Channel 2']],
    ['state.acq.numberOfChannelsSave=2\r', 3, ['Channel 1', 'Channel 2']],
  ])('version and channels of %j', (text, generation, names) => {
    const header = parseScanImageText(text);
    expect(header?.generation).toBe(generation);
    expect(header && savedChannels(header)?.map(({ name }) => name)).toEqual(names);
  });

  it('is not taken from other texts', () => {
    expect(parseScanImageText('SINGLE = 1\nunit=um\n')).toBeUndefined();
  });

  it('ignores values that are no channel numbers', () => {
    const header = parseScanImageText('SI.hChannels.channelSave = [0 -1 1.5 4000000000]\n');
    expect(header && savedChannels(header)).toBeUndefined();
  });

  it('takes the first key that has a finite number', () => {
    const header = parseScanImageText('SI.a = []\nSI.b = NaN\nSI.c = 3\n');
    expect(header?.number('a', 'b', 'c')).toBe(3);
    expect(header?.number('a', 'b')).toBeUndefined();
  });

  it.each([
    ['{"RoiGroups":{"imagingRoiGroup":{"rois":[{},{}]}}}', 2],
    ['{"RoiGroups":{"imagingRoiGroup":{"rois":{"a":1}}}}', 1],
    ['{"RoiGroups":{}}', undefined],
    ['null', undefined],
    ['{', undefined],
  ])('regions of interest of %s', (json, count) => expect(countRois(json)).toBe(count));
});

describe('the display of channels in ScanImage', () => {
  const channels = [1, 3].map((number) => ({ number, name: `Channel ${number}` }));
  const displays = (text: string) => channelDisplays(parseScanImageText(text)!, channels);

  it('is found by the number of the channel, of all that are listed', () => {
    const text = [
      "SI.VERSION_MAJOR = '2022'",
      'SI.hChannels.channelLUT = {[-277 696] [0 100] [1 1296]}',
      "SI.hChannels.channelMergeColor = {'green' 'none' 'red'}",
    ].join('\n');
    expect(displays(text)).toEqual([
      { color: '#00FF00', window: { start: -277, end: 696 } },
      { color: '#FF0000', window: { start: 1, end: 1296 } },
    ]);
  });

  it('is not known where the lists are shorter', () => {
    const text = ["SI.VERSION_MAJOR = '2022'", 'SI.hChannels.channelLUT = {[-277 696] [0 100] [1]}'].join('\n');
    expect(displays(text)).toEqual([
      { color: undefined, window: { start: -277, end: 696 } },
      { color: undefined, window: undefined },
    ]);
  });
});
