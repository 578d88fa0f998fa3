import type { OifPlane, OifSpec } from '../writers/oif.js';

/** The fact sheet's vector: an XT scan of 4 pixels × 6 lines, 2 channels, one reference plane of 4×4. */
export function lineScan(over: Partial<OifSpec> = {}): OifSpec {
  const plane = (c: number): OifPlane => ({
    id: `C00${c + 1}`,
    rows: 6,
    columns: 4,
    value: (y, x) => 100 * (c + 1) + 10 * y + x,
    pixel: { width: 0.25, height: 2, heightUnit: 'ms' },
    timePerLineUs: 2000,
  });
  return {
    axisOrder: 'XTC',
    scanMode: 'XT',
    axes: {
      X: { maxSize: 4, start: 0, end: 1, unit: 'um' },
      T: { maxSize: 6, start: 0, end: 10, unit: 'ms' },
      C: { maxSize: 2, unit: 'Ch' },
    },
    channels: ['CHS1', 'CHS2'],
    planes: [plane(0), plane(1)],
    references: [referencePlane('C001-R001', 500)],
    ...over,
  };
}

export function referencePlane(id: string, base: number): OifPlane {
  return {
    id,
    rows: 4,
    columns: 4,
    value: (y, x) => base + 10 * y + x,
    pixel: { width: 0.25, height: 0.25, heightUnit: 'um' },
  };
}

/** A frame series: C2 T2 Z3, 3×5 pixels, value 1000·c + 100·t + 10·z + 5·y + x. */
export function frames(over: Partial<OifSpec> = {}): OifSpec {
  const planes: OifPlane[] = [];
  for (let c = 0; c < 2; c++) {
    for (let t = 0; t < 2; t++) {
      for (let z = 0; z < 3; z++) {
        planes.push({
          id: `C00${c + 1}Z00${z + 1}T00${t + 1}`,
          rows: 3,
          columns: 5,
          value: (y, x) => 1000 * c + 100 * t + 20 * z + 5 * y + x,
          pixel: { width: 0.207, height: 0.207, heightUnit: 'um' },
        });
      }
    }
  }
  return {
    name: 'stack.oif',
    axisOrder: 'XYCZT',
    scanMode: 'XYZT',
    axes: {
      X: { maxSize: 5, start: 0, end: 1, unit: 'um' },
      Y: { maxSize: 3, start: 0, end: 1, unit: 'um' },
      C: { maxSize: 2, unit: 'Ch' },
      Z: { maxSize: 3, start: 19_000, end: 17_000, unit: 'nm' },
      T: { maxSize: 2, start: 0, end: 1500, unit: 'ms' },
    },
    channels: ['CHS1', 'CHS2'],
    planes,
    ...over,
  };
}

/** An x–z scan of 4 pixels × 6 depths of 0.5 µm, over and over: `times` sections, a second apart. */
export function sections(times: number, over: Partial<OifSpec> = {}): OifSpec {
  const planes = Array.from(
    { length: times },
    (_, t): OifPlane => ({
      id: times > 1 ? `C001T${String(t + 1).padStart(3, '0')}` : 'C001',
      rows: 6,
      columns: 4,
      value: (z, x) => 100 * t + 10 * z + x,
      pixel: { width: 0.25, height: 0.25, heightUnit: 'um' },
      timeMs: 1000 * t,
    }),
  );
  return {
    name: 'section.oif',
    axisOrder: times > 1 ? 'XZT' : 'XZC',
    scanMode: times > 1 ? 'XZT' : 'XZ',
    axes: {
      X: { maxSize: 4, start: 0, end: 1, unit: 'um' },
      Z: { maxSize: 6, start: 2500, end: 0, unit: 'nm' },
      ...(times > 1 ? { T: { maxSize: times, start: 0, end: 1000 * (times - 1), unit: 'ms' } } : {}),
    },
    channels: ['CHS1'],
    planes,
    ...over,
  };
}

/** Frames of one channel, taken at those times. */
export function framesAt(milliseconds: readonly number[]): OifSpec {
  const last = milliseconds.length - 1;
  return frames({
    axisOrder: 'XYT',
    scanMode: 'XYT',
    axes: {
      X: { maxSize: 5, start: 0, end: 1, unit: 'um' },
      Y: { maxSize: 3, start: 0, end: 1, unit: 'um' },
      T: { maxSize: last + 1, start: 0, end: 1000 * last, unit: 'ms' },
    },
    channels: ['CHS1'],
    planes: milliseconds.map((timeMs, t) => ({
      id: `C001T${String(t + 1).padStart(3, '0')}`,
      rows: 3,
      columns: 5,
      value: (y, x) => 100 * t + 5 * y + x,
      timeMs,
    })),
  });
}
