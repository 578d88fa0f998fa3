import { describe, expect, it } from 'vitest';
import { findRecordingTime } from '../../../packages/readers/src/formats/czi/clock.js';

function read(acquisitionDate: string, creationDate: string) {
  const { clock, warning } = findRecordingTime({ acquisitionDate, creationDate });
  return { clock: `${clock.date} ${clock.time}`.trim(), warning };
}

describe('the recording time of a CZI', () => {
  it.each([
    ['2016-02-12T09:41:02.4915604Z', '2016-02-12T10:41:02.5655647+01:00', '20160212 10:41:02'],
    ['2019-12-07T00:34:54.3773097Z', '2019-12-06T16:35:44.2293097-08:00', '20191206 16:34:54'],
    ['2021-06-15T20:09:43Z', '2021-06-16T01:39:43+05:30', '20210616 01:39:43'],
    ['2024-03-05T09:08:07Z', '2024-03-05T09:08:09+00:00', '20240305 09:08:07'],
    ['2023-03-22T10:58:51', '', '20230322 10:58:51'],
    ['2023-03-22T10:58:51+02:00', '2023-03-22T12:00:00+01:00', '20230322 10:58:51'],
    ['', '2019-12-06T16:56:03.6510238-08:00', '20191206 16:56:03'],
    ['0001-01-01T00:00:00', '2020-12-15T10:25:00', '20201215 10:25:00'],
    ['', '', ''],
  ])('of %j in a document of %j is %j', (acquired, created, clock) => {
    expect(read(acquired, created)).toEqual({ clock });
  });

  it.each([
    ['2024-03-05T09:08:07Z', ''],
    ['2024-03-05T09:08:07Z', '2024-03-05T10:08:09'],
    ['', '2024-03-05T09:08:07Z'],
  ])('of %j in a document of %j is UTC, with a warning', (acquired, created) => {
    expect(read(acquired, created)).toEqual({
      clock: '20240305 09:08:07',
      warning: 'The recording time 09:08:07 is UTC: the file does not contain the local time zone.',
    });
  });

  it.each([
    ['2024-03-05T09:08:07Z', '2024-07-01T12:00:00+02:00', '2024-07-01'],
    ['2024-07-01T23:30:00Z', '2024-12-24T12:00:00+01:00', '2024-12-24'],
    ['2024-03-05T09:08:07Z', '2024-03-03T12:00:00-08:00', '2024-03-03'],
  ])('of %j is not moved by the offset of another day in a document of %j', (acquired, created, day) => {
    const [date = '', time = ''] = acquired.slice(0, -1).split('T');
    expect(read(acquired, created)).toEqual({
      clock: `${date.replaceAll('-', '')} ${time}`,
      warning: `The recording time ${time} is UTC: the local time zone in the file is that of ${day}, when the file was created.`,
    });
  });
});
