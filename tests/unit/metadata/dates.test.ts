import { describe, expect, it } from 'vitest';
import { parseDateTime, toIsoUtc, wallClockOf } from '../../../packages/readers/src/model/metadata/dates.js';
import { laterClock } from '../../../packages/readers/src/model/metadata/later-clock.js';

describe('parseDateTime', () => {
  it.each([
    ['2022:08:09 16:03:28', '20220809', '16:03:28'],
    ['2010-03-02T10:01:15', '20100302', '10:01:15'],
    ['2019-06-27T18:33:40.619', '20190627', '18:33:40'],
    ['2006-05-04T18:13:51.0Z', '20060504', '18:13:51'],
    ['2024-01-02T23:59:59.999+02:00', '20240102', '23:59:59'],
    ['20041209 11:20:33.123', '20041209', '11:20:33'],
    ['2024-02-29', '20240229', ''],
    ['11/02/2022 12:30:15.461 PM', '20221102', '12:30:15'],
    ['11/02/2022 12:30:15 AM', '20221102', '00:30:15'],
    ['8/9/2022 4:03:16 PM', '20220809', '16:03:16'],
    ['10/30/2025 02:54', '20251030', '02:54:00'],
    ['13.05.2021 07:08:09', '20210513', '07:08:09'],
  ])('%s', (text, date, time) => {
    expect(parseDateTime(text)).toEqual({ date, time });
  });

  it('reads the day first when told so', () => {
    expect(parseDateTime('03/04/2021 10:00:00', 'dmy')?.date).toBe('20210403');
    expect(parseDateTime('03/04/2021 10:00:00')?.date).toBe('20210304');
  });

  it.each(['', 'yesterday', '0000:00:00 00:00:00', '2023-02-29', '2023-13-01', '31/31/2020', '2020-01-01 junk'])(
    '"%s" is no date',
    (text) => {
      expect(parseDateTime(text)).toBeUndefined();
    },
  );

  it('keeps the date of an impossible time', () => {
    expect(parseDateTime('2020-01-02 25:00:00')).toEqual({ date: '20200102', time: '' });
    expect(parseDateTime('1/2/2020 13:00:00 PM')).toEqual({ date: '20200102', time: '' });
  });
});

describe('wallClockOf', () => {
  it('gives the UTC digits', () => {
    expect(wallClockOf(Date.UTC(2004, 11, 9, 11, 20, 33))).toEqual({ date: '20041209', time: '11:20:33' });
    expect(wallClockOf(Number.NaN)).toBeUndefined();
    expect(wallClockOf(8.64e15)).toBeUndefined();
  });
});

describe('toIsoUtc', () => {
  it('gives milliseconds where there are any', () => {
    expect(toIsoUtc(Date.UTC(2024, 9, 4, 6))).toBe('2024-10-04T06:00:00Z');
    expect(toIsoUtc(Date.UTC(2024, 9, 4, 6) + 25)).toBe('2024-10-04T06:00:00.025Z');
    expect([undefined, Number.NaN, 1e300].map(toIsoUtc)).toEqual([undefined, undefined, undefined]);
  });
});

describe('laterClock', () => {
  it.each([
    ['2016-02-12T09:41:02.4915604Z', 365.7879219, '2016-02-12T09:47:08.279482Z'],
    ['2016-12-31T23:59:59', 1, '2017-01-01T00:00:00'],
    ['2016-02-12T09:41:02+01:00', 0.5, '2016-02-12T09:41:02.5+01:00'],
    ['2016-02-12T09:41:02.25Z', -2.5, '2016-02-12T09:40:59.75Z'],
    ['2016-02-12T10:00:50', 10, '2016-02-12T10:01:00'],
    ['2016-02-12T09:41:02.4915604Z', 0, '2016-02-12T09:41:02.4915604Z'],
    ['2016-02-12', 60, '2016-02-12'],
    ['2016-02-12T09:41:02', 1e300, '2016-02-12T09:41:02'],
    ['2016-02-12T09:41:02', Number.NaN, '2016-02-12T09:41:02'],
  ])('%s and %d s', (clock, seconds, later) => expect(laterClock(clock, seconds)).toBe(later));
});
