import type { ImageArea } from '../../../packages/viewer/src/image/pane-state.ts';
import type { Pane } from '../../../packages/viewer/src/model/document.ts';
import type { Rect } from '../../../packages/viewer/src/model/geometry.ts';

export interface HarnessPlane {
  readonly shape: readonly [number, number];
  readonly y: readonly [step: number, unit: string];
  readonly x: readonly [step: number, unit: string];
  readonly channels: readonly string[];
}

/** What the page of the cards offers to its tests, as `harness`. */
export interface Harness {
  /** `filled`: with samples; else all channels wait for them. */
  show(source: HarnessPlane, reference: HarnessPlane | null, filled?: boolean): void;
  view(card: string, kind?: 'source' | 'reference'): Rect | null;
  area(): ImageArea | null;
  pane(kind: 'source' | 'reference'): Pane;
  readonly retried: number[];
  /** What the recording tool was told. */
  readonly told: string[];
  /** How often an image was drawn. */
  draws(): number;
}
