/** What the OME-Zarr of a session needs in addition to the acquisition: the user's steps, and display ranges. */
import { setImmediate } from 'node:timers/promises';
import { hasWindows, WITHOUT_RANGE, withSteps } from '@acquisition-store/client/answers/zarr.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { type ChannelRange, planeRange } from '@acquisition-store/readers/derive/zarr/display.js';
import type { ZarrImage } from '@acquisition-store/readers/derive/zarr/images.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import { FairQueue } from '../fair-queue.js';
import type { PinnedPlane } from '../planes/plane-memory.js';
import type { SourcePlane } from '../sessions/source-order.js';
import type { AppDependencies } from './dependencies.js';

type Ranges = readonly (ChannelRange | undefined)[];

/**
 * Planes of a session that are asked for at a time. Readers request hundreds of chunks at once, which would fill the queue
 * of the decode workers, and a reader that is refused fails instead of trying again.
 */
const MAX_AT_ONCE = 8;
/** Planes of a session that wait. */
const MAX_WAITING = 10_000;

/** What is kept about the OME-Zarr of a session. */
export class ZarrState {
  /** The acquisition with the steps of the open request. */
  readonly info: AcquisitionInfo;
  private readonly deps: Pick<AppDependencies, 'sessions' | 'sources' | 'stopping'>;
  private readonly sessionId: string;
  private readonly queue = new FairQueue({
    name: 'chunks of the session',
    atOnce: MAX_AT_ONCE,
    maxWaiting: MAX_WAITING,
  });
  private readonly computed = new Map<string, Ranges>();
  private readonly computing = new Map<string, Promise<Ranges>>();

  constructor(deps: ZarrState['deps'], info: AcquisitionInfo, opened: OpenResponse) {
    this.deps = deps;
    this.sessionId = opened.sessionId;
    this.info = withSteps(info, opened);
  }

  /** Returns a plane, which the caller must release. @throws AcqError like `Sources.plane` */
  plane(plane: SourcePlane, form: 'native' | 'levels', signal: AbortSignal): Promise<PinnedPlane> {
    const { sessionId } = this;
    const { sessions, sources } = this.deps;
    const read = () => sources.plane(sessionId, plane, form, signal);
    return this.queue.run(sessions.who(sessionId), signal, read);
  }

  /** Returns the display ranges of images, by path; `undefined` when a plane must be read for them. */
  knownRanges(images: readonly ZarrImage[]): Map<string, Ranges> | undefined {
    const ranges = new Map<string, Ranges>();
    for (const image of images) {
      const known = hasWindows(image) ? [] : this.computed.get(image.path);
      if (!known) return undefined;
      ranges.set(image.path, known);
    }
    return ranges;
  }

  /** Returns the display ranges of images, by path. They are computed once, from the middle plane of each channel. */
  async ranges(images: readonly ZarrImage[]): Promise<Map<string, Ranges>> {
    const ranges = new Map<string, Ranges>();
    for (const image of images) ranges.set(image.path, await this.rangesOf(image));
    return ranges;
  }

  private async rangesOf(image: ZarrImage): Promise<Ranges> {
    const { path } = image;
    const known = hasWindows(image) ? [] : this.computed.get(path);
    if (known) return known;
    let computing = this.computing.get(path);
    if (!computing) {
      computing = this.compute(image);
      this.computing.set(path, computing);
    }
    try {
      const ranges = await computing;
      this.computed.set(path, ranges);
      return ranges;
    } finally {
      this.computing.delete(path);
    }
  }

  private async compute({ scene, kind, channels, sizes }: ZarrImage): Promise<Ranges> {
    const place = { t: Math.floor(sizes.T / 2), z: Math.floor(sizes.Z / 2) };
    const ranges: (ChannelRange | undefined)[] = [];
    for (const [channelIndex, { window }] of channels.entries()) {
      ranges.push(window ? undefined : await this.rangeOf({ scene, kind, channelIndex, ...place }));
      // Planes in memory would all be sorted in one turn of the event loop.
      await setImmediate();
    }
    return ranges;
  }

  private async rangeOf(plane: SourcePlane): Promise<ChannelRange | undefined> {
    try {
      const { data, release } = await this.plane(plane, 'native', this.deps.stopping);
      try {
        return planeRange(data);
      } finally {
        release();
      }
    } catch (error) {
      if (error instanceof AcqError && WITHOUT_RANGE.includes(error.code)) return undefined;
      throw error;
    }
  }
}
