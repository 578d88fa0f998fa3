import { describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { type AcquisitionDocument, createDocument } from '../../../packages/viewer/src/model/document.ts';
import { followMeasured } from '../../../packages/viewer/src/stack/measured.ts';
import { axisPosition, stackAxis } from '../../../packages/viewer/src/stack/place.ts';
import { realTime, recordedWait } from '../../../packages/viewer/src/stack/real-time.ts';

const HEADER = {
  dims: ['C', 'T', 'Y', 'X'],
  sizes: { C: 1, T: 6, Y: 1, X: 1 },
  physicalUnits: [1, 1.2, 1, 1],
  physicalUnitsLabels: ['Pixels', 'seconds', 'Pixels', 'Pixels'],
  calibration: ['default', 'file', 'default', 'default'],
  numChannels: 1,
};

/** An acquisition that has been opened, whose values come when they are asked for. */
function opened(coordinates: () => Promise<object>, isMeasured = true, more: Partial<OpenResponse> = {}) {
  const T = { unit: 'seconds', source: 'time stamps', uneven: true };
  const header = { ...HEADER, ...(isMeasured ? { coordinates: { T } } : {}) };
  const axis = { size: 1, step: 1, unit: 'micrometer' };
  const plane = { shape: [1, 1], axes: [axis, axis] };
  const source = { path: '/a.tif', revision: '1' };
  const info = {
    source,
    header,
    plane,
    channels: [],
    reference: null,
    warnings: [],
    ...more,
  } as unknown as OpenResponse;
  return { info, coordinates } as unknown as AcquisitionDocument['opened']['value'];
}

const settled = () => new Promise((resolve) => setTimeout(resolve));
const times = async () => ({ T: Float64Array.of(0, 0.1, 0.2, 5, 5.1, 5.2) });
const timeAxis = (document: AcquisitionDocument) => stackAxis(document.info.value, 'T', document.measured.value);

describe('measured times of a document', () => {
  it('replace the mean step once they are read, and are those of what is opened', async () => {
    const document = createDocument(opened(times));
    const stop = followMeasured(document);
    expect(axisPosition(timeAxis(document), 3)).toBe('3.6 s');
    await settled();
    expect([3, 4].map((t) => axisPosition(timeAxis(document), t))).toEqual(['5.0 s', '5.1 s']);
    document.opened.value = opened(times, false);
    await settled();
    expect(axisPosition(timeAxis(document), 3)).toBe('3.6 s');
    stop();
  });

  it('are asked for once for a scene, whatever channels and planes of it are opened', async () => {
    let asked = 0;
    const count = async () => {
      asked++;
      return times();
    };
    const document = createDocument(opened(count));
    const stop = followMeasured(document);
    await settled();
    document.opened.value = opened(count, true, { selection: { T: 3 } });
    expect(axisPosition(timeAxis(document), 3)).toBe('5.0 s');
    await settled();
    expect(asked).toBe(1);
    document.opened.value = opened(count, true, { selection: { S: 1 } });
    await settled();
    expect(asked).toBe(2);
    stop();
  });

  it('become a warning when they cannot be read', async () => {
    const document = createDocument(opened(() => Promise.reject(new Error('The server is busy.'))));
    const stop = followMeasured(document);
    await settled();
    expect(document.info.value.warnings).toEqual([
      expect.stringMatching(/mean steps are shown\. The server is busy\./),
    ]);
    stop();
  });

  it('say how long each plane is shown, with long gaps shortened', async () => {
    const document = createDocument(opened(times));
    const stop = followMeasured(document);
    expect(recordedWait(timeAxis(document), 2)).toBe(1200);
    await settled();
    const axis = timeAxis(document);
    const waits = [0, 1, 2, 3, 4, 5].map((t) => Math.round(recordedWait(axis, t)!));
    expect(waits).toEqual([100, 100, 2000, 100, 100, 100]);
    expect(realTime(axis)).toEqual({ label: 'Real time (as recorded)', note: 'Longer gaps are shortened to 2 s' });
    stop();
  });

  it('keep the pace of a recording that is slow throughout', async () => {
    const document = createDocument(opened(async () => ({ T: Float64Array.of(0, 30, 60, 90, 150, 180) })));
    const stop = followMeasured(document);
    await settled();
    const axis = timeAxis(document);
    expect([0, 3].map((t) => recordedWait(axis, t))).toEqual([30_000, 60_000]);
    expect(realTime(axis)?.note).toBe('');
    stop();
  });
});
