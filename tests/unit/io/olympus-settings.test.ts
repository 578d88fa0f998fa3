import { describe, expect, it } from 'vitest';
import { parseDecimal, parseSettings, parseSettingsText } from '../../../packages/readers/src/io/olympus-settings.js';

const TEXT = `; a comment\r\n[Acquisition Parameters Common]\r\nTime Per Line="3152.000"\r\nImageCaputreDate='2012-07-26 15:13:35'\r\nScanMode="XT"\r\nEmpty=\r\n[Other]\r\na=b=c\r\n[Acquisition Parameters Common]\r\nLater=1\r\n`;

describe('Olympus settings', () => {
  it('lose one pair of quotes, split at the first =, and join repeated sections', () => {
    const settings = parseSettingsText(TEXT);
    expect(settings.number('Acquisition Parameters Common', 'Time Per Line')).toBe(3152);
    expect(settings.text('Acquisition Parameters Common', 'ImageCaputreDate')).toBe('2012-07-26 15:13:35');
    expect(settings.text('Acquisition Parameters Common', 'Empty')).toBe('');
    expect(settings.text('Acquisition Parameters Common', 'Later')).toBe('1');
    expect(settings.text('Other', 'a')).toBe('b=c');
    expect(settings.text('Other', 'missing')).toBeUndefined();
  });

  it('list each occurrence of a section with its own values', () => {
    const settings = parseSettingsText('[A]\nx=1\n[B]\nx=2\n[A]\nx=3\ny=4\n[A]\nz=5');
    expect(settings.blocks.map(({ name, values }) => [name, ...values])).toEqual([
      ['A', ['x', '1']],
      ['B', ['x', '2']],
      ['A', ['x', '3'], ['y', '4']],
      ['A', ['z', '5']],
    ]);
    expect(['x', 'y', 'z'].map((key) => settings.text('A', key))).toEqual(['3', '4', '5']);
  });

  it.each(['\r\n', '\n', '\r', '\r\r\n'])('have lines that end in %j', (end) => {
    const settings = parseSettingsText(['[A]', 'x=1', 'y=2', ''].join(end));
    expect([...settings.blocks[0]!.values]).toEqual([
      ['x', '1'],
      ['y', '2'],
    ]);
  });

  it('lose what stands before a control character in a key', () => {
    expect(parseSettingsText('[A]\nGST\u0002=3\u0004 Key =1').text('A', 'Key')).toBeUndefined();
    expect(parseSettingsText('[A]\nGST\u0002\u0004 Key =1').text('A', 'Key')).toBe('1');
  });

  it('have sections without values, and values with brackets', () => {
    const { blocks } = parseSettingsText('[A]\n[B]\nx=[1]\n [C] \n;[D]\ny=2');
    expect(blocks.map(({ name, values }) => [name, ...values])).toEqual([
      ['A'],
      ['B', ['x', '[1]']],
      ['C', ['y', '2']],
    ]);
  });

  it('end before the binary part of a look-up table', () => {
    expect(parseSettingsText('[A]\nx=1\n[ColorLUTData]\ny=2').text('ColorLUTData', 'y')).toBeUndefined();
  });

  it.each([
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['UTF-16 without a byte order mark', Buffer.from(TEXT, 'utf16le')],
    ['UTF-8', Buffer.from(TEXT)],
  ])('are read from %s', (_name, bytes) => {
    expect(parseSettings(bytes).text('Acquisition Parameters Common', 'ScanMode')).toBe('XT');
  });

  it('keep the µ of Windows-1252', () => {
    expect(parseSettings(Buffer.from('[A]\nUnit="\u00b5m"', 'latin1')).text('A', 'Unit')).toBe('µm');
  });

  it.each([
    ['0.207', 0.207],
    ['0,207', 0.207],
    ['0,207.0', 0.207],
    ['-12', -12],
    ['1e-3', 0.001],
    ['', undefined],
    ['XT', undefined],
    ['1e999', undefined],
  ])('contain numbers such as %j, parsed as %j', (text, value) => expect(parseDecimal(text)).toBe(value));
});
