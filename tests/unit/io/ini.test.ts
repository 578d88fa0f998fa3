import { describe, expect, it } from 'vitest';
import { parseIni, parseIniNumber, parseIniText } from '../../../src/io/ini.js';

const TEXT = `; a comment\r\n[Acquisition Parameters Common]\r\nTime Per Line="3152.000"\r\nImageCaputreDate='2012-07-26 15:13:35'\r\nScanMode="XT"\r\nEmpty=\r\n[Other]\r\na=b=c\r\n[Acquisition Parameters Common]\r\nLater=1\r\n`;

describe('INI of Olympus settings', () => {
  it('strips one pair of quotes, splits at the first =, joins repeated sections', () => {
    const ini = parseIniText(TEXT);
    expect(ini.number('Acquisition Parameters Common', 'Time Per Line')).toBe(3152);
    expect(ini.text('Acquisition Parameters Common', 'ImageCaputreDate')).toBe('2012-07-26 15:13:35');
    expect(ini.text('Acquisition Parameters Common', 'Empty')).toBe('');
    expect(ini.text('Acquisition Parameters Common', 'Later')).toBe('1');
    expect(ini.text('Other', 'a')).toBe('b=c');
    expect(ini.text('Other', 'missing')).toBeUndefined();
  });

  it('stops at the binary part of a look-up table', () => {
    expect(parseIniText('[A]\nx=1\n[ColorLUTData]\ny=2').text('ColorLUTData', 'y')).toBeUndefined();
  });

  it.each([
    ['UTF-16 with a mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['UTF-16 without a mark', Buffer.from(TEXT, 'utf16le')],
    ['UTF-8', Buffer.from(TEXT)],
  ])('reads %s', (_name, bytes) => {
    expect(parseIni(bytes).text('Acquisition Parameters Common', 'ScanMode')).toBe('XT');
  });

  it('reads the lone µ of Windows-1252', () => {
    expect(parseIni(Buffer.from('[A]\nUnit="\u00b5m"', 'latin1')).text('A', 'Unit')).toBe('µm');
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
  ])('number %j is %j', (text, value) => expect(parseIniNumber(text)).toBe(value));
});
