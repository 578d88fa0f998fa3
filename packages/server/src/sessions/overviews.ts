import type { OverviewGrid } from '@acquisition-store/readers/derive/analysis/overview.js';
import type { PinnedPlane } from '../planes/plane-memory.js';
import { holdOverview, isFar, isWholeOverview, keepOverview, overviewKey, readOverview } from './far-overview.js';
import { orderOwn } from './plane-order.js';
import { readerOf } from './record.js';
import { type Reduction, reducePlane } from './reduced-plane.js';
import type { SessionService } from './service.js';
import type { PlaneAddress } from './types.js';

/** Overviews of the planes of sessions, and what they are made of. Every method throws `AcqError`. */
export class Overviews {
  private readonly sessions: SessionService;

  constructor(sessions: SessionService) {
    this.sessions = sessions;
  }

  /**
   * Returns the overview of a large plane that is not in memory, read from its file: its three quantities one below the
   * other. That of a whole plane is kept like a plane. Returns nothing when the overview has to be computed from the plane.
   * @throws AcqError like `SessionService.read`
   */
  async far(address: PlaneAddress, grid: OverviewGrid, signal?: AbortSignal): Promise<PinnedPlane | undefined> {
    const { sessions } = this;
    const { cache } = sessions;
    const { record, order } = this.orderServed(address);
    const { key } = order;
    if (!isFar(order) || record.projection) return undefined;
    const isWhole = isWholeOverview(grid, order);
    // The plane may have come since, for its statistics.
    const isKept = isWhole && cache.holds(overviewKey(key, grid));
    if (cache.holds(key) && !isKept) return undefined;
    const read = (stop: AbortSignal | undefined) =>
      sessions.watched(record, stop, (watch) => readOverview(sessions, record, { order, grid }, watch));
    return isWhole
      ? keepOverview(cache, { key, grid, read }, readerOf(record, signal))
      : holdOverview(cache, grid, record.owner, () => read(signal));
  }

  /**
   * Returns a plane that is computed from the served one, and kept like it: once for all who read it.
   * @throws AcqError like `SessionService.read`
   */
  async reduced(address: PlaneAddress, reduction: Reduction, signal?: AbortSignal): Promise<PinnedPlane> {
    const { record, order } = this.orderServed(address);
    const read = (stop: AbortSignal) => this.sessions.read(address, 'served', stop);
    return reducePlane(this.sessions.cache, { plane: order, read, reduction }, readerOf(record, signal));
  }

  private orderServed(address: PlaneAddress) {
    const record = this.sessions.find(address.sessionId, address.api);
    return { record, order: orderOwn(record, address, 'served', this.sessions.options.maxPlaneBytes) };
  }
}
