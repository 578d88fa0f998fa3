/** Reads the planes of a session, one at a time. */
import type { PlaneWindow } from '@acquisition-store/client';
import type { OpenPlan } from '@acquisition-store/client/answers/describe.js';
import { type AskedPlane, findPlanes, placeOf } from '@acquisition-store/client/answers/describe.js';
import { toWindow } from '@acquisition-store/client/answers/windows.js';
import type { OpenDescription, OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { Window } from '@acquisition-store/readers/derive/analysis/window.js';
import { readProjection } from '@acquisition-store/readers/derive/projection.js';
import type { Acquisition, PlaneAddress } from '@acquisition-store/readers/model/acquisition.js';
import { isFloat32, type PlaneData, type SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import { NativeTarget, type PlaneTarget } from '@acquisition-store/readers/model/samples/plane-target.js';
import { bytesPerElement, type SampleArray, type SampleType } from '@acquisition-store/readers/model/samples/types.js';
import type { JobQueue } from '../model/job-queue.ts';
import { ComingTarget, type OnRows } from './coming-plane.ts';
import type { PlaneStore } from './plane-store.ts';
import type { Form } from './protocol.ts';
import { RegionTarget } from './region-target.ts';

/** Parts and overviews of larger planes are read from the file, without the plane. */
const FAR_BYTES = 64 * 2 ** 20;

export interface PlaneSource {
  readonly acquisition: Acquisition;
  readonly plan: OpenPlan & { description: OpenDescription };
  /** Tells the planes of this way to open the files from others. */
  readonly key: string;
  readonly store: PlaneStore;
  /** Readers share memory: one reads at a time. */
  readonly reads: JobQueue;
}

/** A plane of any scene, in the type of the file. */
export interface NativePlane extends PlaneAddress {
  kind: AskedPlane['kind'];
  sampleType: SampleType;
  rows: number;
  columns: number;
}

/** What answers are made from. */
export interface OpenSession {
  readonly info: OpenResponse;
  readonly source: PlaneSource;
  readonly images: SessionPlanes;
}

export class SessionPlanes {
  private readonly source: PlaneSource;

  constructor(source: PlaneSource) {
    this.source = source;
  }

  /** True for a plane that is not read as a whole for a part of it. */
  isFar(asked: AskedPlane): boolean {
    const { planeBytes } = findPlanes(this.source.plan, asked);
    return planeBytes >= FAR_BYTES && !this.isProjected(asked);
  }

  /** Returns a plane as the server serves it. */
  async served(asked: AskedPlane, signal: AbortSignal): Promise<PlaneData> {
    const plane = await this.read(asked, 'served', signal);
    if (isFloat32(plane)) return plane;
    throw new Error(`a served plane of ${plane.sampleType}`);
  }

  /**
   * Returns a plane, which stays in memory for the next call when there is room.
   * @param onRows takes what has been read of it; not called for a plane that is in memory
   */
  async read(asked: AskedPlane, form: Form, signal: AbortSignal, onRows?: OnRows): Promise<SourceData> {
    const { key, plan } = this.source;
    const { rows, columns } = findPlanes(plan, asked);
    const { t, z } = placeOf(plan, asked);
    const type = this.typeOf(asked, form);
    const projection = this.isProjected(asked) ? plan.projection : undefined;
    const name = JSON.stringify([key, plan.scene, asked.kind, asked.channelIndex, t, z, projection, type]);
    return this.kept(name, signal, async () => {
      const target = onRows ? new ComingTarget([type, rows, columns], onRows) : new NativeTarget(type, rows, columns);
      await this.fill(asked, target, signal);
      return toData(type, rows, columns, target.data);
    });
  }

  /** True for a plane that is not read as a whole for a part of it. */
  isLarge({ sampleType, rows, columns }: NativePlane): boolean {
    return rows * columns * bytesPerElement(sampleType) >= FAR_BYTES;
  }

  /** Returns a plane of any scene in the type of the file. */
  native(plane: NativePlane, signal: AbortSignal): Promise<SourceData> {
    return this.kept(this.nameOf(plane), signal, () => this.readNative(plane, signal));
  }

  /** Returns a part of such a plane, as a plane of its own. */
  async nativeRegion(plane: NativePlane, window: Window, signal: AbortSignal): Promise<SourceData> {
    const { sampleType } = plane;
    const target = new RegionTarget(sampleType, plane, window);
    await this.source.reads.add(() => this.fillNative(plane, target, signal), signal);
    return toData(sampleType, window.endRow - window.firstRow, window.endColumn - window.firstColumn, target.data);
  }

  /**
   * Returns the reduced levels of such a plane, one after the other, in one column. They stay in memory also where the
   * plane has no room: their chunks are asked for one after another.
   */
  reduced(plane: NativePlane, signal: AbortSignal): Promise<SourceData> {
    const { sampleType, rows, columns } = plane;
    return this.kept(`levels of ${this.nameOf(plane)}`, signal, async () => {
      const { reduceLevels } = await import('@acquisition-store/readers/derive/zarr/levels.js');
      const whole = await this.once(this.nameOf(plane), () => this.readNative(plane, signal));
      const samples = reduceLevels(sampleType, whole.segments[0]!.samples, rows, columns);
      return toData(sampleType, samples.length, 1, samples);
    });
  }

  /** The name under which `read` keeps the same plane. */
  private nameOf({ scene, kind, channel, t, z, sampleType }: NativePlane): string {
    return JSON.stringify([this.source.key, scene, kind, channel, t, z, undefined, sampleType]);
  }

  private async readNative(plane: NativePlane, signal: AbortSignal): Promise<SourceData> {
    const { sampleType, rows, columns } = plane;
    const target = new NativeTarget(sampleType, rows, columns);
    await this.fillNative(plane, target, signal);
    return toData(sampleType, rows, columns, target.data);
  }

  private async fillNative(plane: NativePlane, target: PlaneTarget, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { acquisition } = this.source;
    const { scene, kind, channel, t, z } = plane;
    if (kind === 'reference') return acquisition.readReference?.(scene, channel, target, signal);
    acquisition.checkScene?.(scene);
    return acquisition.readPlane({ scene, channel, t, z }, target, signal);
  }

  /** Returns what is in memory under a name, or what `read` returns, which is kept when there is room. */
  private async kept(name: string, signal: AbortSignal, read: () => Promise<SourceData>): Promise<SourceData> {
    const { store, reads } = this.source;
    return store.find(name) ?? reads.add(() => this.once(name, read), signal);
  }

  /** Like `kept`, for who has the turn to read. */
  private async once(name: string, read: () => Promise<SourceData>): Promise<SourceData> {
    const { store } = this.source;
    const known = store.find(name);
    if (known) return known;
    const plane = await read();
    store.keep(name, plane);
    return plane;
  }

  /** Returns a part of a plane, as a plane of its own. */
  async region(asked: AskedPlane, window: Window, form: Form, signal: AbortSignal): Promise<SourceData> {
    const type = this.typeOf(asked, form);
    const target = new RegionTarget(type, this.shapeOf(asked), window);
    await this.put(asked, target, signal);
    return toData(type, window.endRow - window.firstRow, window.endColumn - window.firstColumn, target.data);
  }

  /** Puts a plane into a target. */
  put(asked: AskedPlane, target: PlaneTarget, signal: AbortSignal): Promise<void> {
    return this.source.reads.add(() => this.fill(asked, target, signal), signal);
  }

  shapeOf(asked: AskedPlane): { rows: number; columns: number } {
    return findPlanes(this.source.plan, asked);
  }

  /** @throws AcqError `region_out_of_range` */
  windowOf(asked: AskedPlane, { rows, columns }: PlaneWindow): Window {
    const show = (name: string, [first, end]: readonly [number, number]) => `\`${name}=${first}:${end}\``;
    return toWindow({ rows, columns }, this.shapeOf(asked), show);
  }

  typeOf({ kind }: AskedPlane, form: Form): SampleType {
    if (form === 'served') return 'float32';
    const scene = this.source.acquisition.info.scenes[this.source.plan.scene]!;
    return (kind === 'channel' ? scene : scene.reference!).sampleType;
  }

  private isProjected({ kind }: AskedPlane): boolean {
    return kind === 'channel' && this.source.plan.projection !== undefined;
  }

  private async fill(asked: AskedPlane, target: PlaneTarget, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { acquisition, plan } = this.source;
    const { kind, channelIndex: channel } = asked;
    const { scene, projection } = plan;
    if (kind === 'reference') {
      await acquisition.readReference?.(scene, channel, target, signal);
      return;
    }
    const address = { scene, channel, ...placeOf(plan, asked) };
    if (projection) await readProjection(acquisition, address, projection, target);
    else await acquisition.readPlane(address, target, signal);
  }
}

function toData(sampleType: SampleType, rows: number, columns: number, samples: SampleArray): SourceData {
  return { sampleType, rows, columns, segments: [{ firstRow: 0, rowCount: rows, samples }] };
}
