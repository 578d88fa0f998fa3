import type { SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';

/** Bytes of planes that a worker keeps: what is measured in a plane is measured again and again. */
const MAX_BYTES = 256 * 2 ** 20;

/** The planes that were read last. */
export class PlaneStore {
  private readonly planes = new Map<string, SourceData>();
  private readonly maxBytes: number;
  private bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.maxBytes = maxBytes;
  }

  find(key: string): SourceData | undefined {
    const plane = this.planes.get(key);
    if (!plane) return undefined;
    this.planes.delete(key);
    this.planes.set(key, plane);
    return plane;
  }

  keep(key: string, plane: SourceData): void {
    const size = planeByteLength(plane);
    if (size > this.maxBytes || this.planes.has(key)) return;
    this.planes.set(key, plane);
    this.bytes += size;
    for (const [oldest, { rows, columns, sampleType }] of this.planes) {
      if (this.bytes <= this.maxBytes) return;
      this.planes.delete(oldest);
      this.bytes -= planeByteLength({ rows, columns, sampleType });
    }
  }
}
