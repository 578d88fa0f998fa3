import { expect } from 'vitest';
import type { Acquisition, SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import fc from './fast-check.js';

/** As much of an opened acquisition as is looked at. */
interface Opened {
  acquisition: Pick<Acquisition, 'info'>;
  close(): void;
}

interface Planted {
  axis?: 'T' | 'Z' | 'Y';
  /** What the measured values are rounded to in the file; 0.001 when omitted. */
  quantum?: number;
  /** Values for each file; 3 to 6 when omitted. */
  count?: number;
  /** Opens per property. */
  runs?: number;
}

/**
 * Opens files whose step was set to one value while another was measured. Each must name both in a warning and serve what
 * was measured. One whose values agree must not.
 * @param open writes a file with a nominal step and values for each index, in seconds or micrometers, and opens it
 */
export async function expectContradictionsSaid(
  open: (nominal: number, at: readonly number[]) => Promise<Opened>,
  { axis = 'T', quantum = 0.001, count: only, runs = 15 }: Planted = {},
): Promise<void> {
  const thousandths = (min: number, max: number) => fc.integer({ min, max }).map((value) => value / 1000);
  await fc.assert(
    fc.asyncProperty(
      thousandths(200, 60_000),
      fc.constantFrom(0.02, 0.5, 0.97, 1, 1.03, 2, 1000),
      only === undefined ? fc.integer({ min: 3, max: 6 }) : fc.constant(only),
      async (step, factor, count) => {
        const at = Array.from({ length: count }, (_, i) => Math.round((i * step) / quantum) * quantum);
        const opened = await open(step * factor, at);
        const scene = opened.acquisition.info.scenes[0] as SceneInfo;
        opened.close();
        const said = scene.warnings.filter(
          (text) => text.startsWith(`${axis} step: `) && text.includes(' apart. Showing '),
        );
        expect(said, scene.warnings.join(' ')).toHaveLength(factor === 1 ? 0 : 1);
        expect(scene.steps[axis].step / step).toBeCloseTo(1, 2);
        expect(scene.coordinates?.[axis]?.values).toHaveLength(count);
      },
    ),
    { numRuns: runs },
  );
}
