import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import type { PlaneTable, TablePart } from '@acquisition-store/readers/model/metadata/plane-table.js';
import type { PinnedPlane } from '../planes/plane-memory.js';
import { readInfo, readMetadata, readPlaneTable } from './read-facts.js';
import type { SessionRecord } from './record.js';
import type { SessionService } from './service.js';
import { orderSource, type SourcePlane } from './source-order.js';

/**
 * What the files of sessions contain besides the planes that their sessions serve. Every method reads the file, and throws `AcqError`:
 * `session_not_found`, `source_changed`, …
 */
export class Sources {
  private readonly sessions: SessionService;
  private readonly infos = new WeakMap<SessionRecord, Promise<AcquisitionInfo>>();

  constructor(sessions: SessionService) {
    this.sessions = sessions;
  }

  /** Returns what the acquisition of a session contains, with all of its scenes. It is read once. */
  info(sessionId: string): Promise<AcquisitionInfo> {
    const record = this.sessions.find(sessionId);
    const known = this.infos.get(record);
    if (known !== undefined) return known;
    const info = this.sessions.watched(record, undefined, (watch) => readInfo(this.sessions, record, watch));
    this.infos.set(record, info);
    info.catch(() => this.infos.delete(record));
    return info;
  }

  /** Returns the open response of a session with the vendor's own metadata. */
  async withMetadata(sessionId: string, signal?: AbortSignal): Promise<OpenResponse> {
    const record = this.sessions.find(sessionId);
    const metadata = await this.sessions.watched(record, signal, (watch) => readMetadata(this.sessions, record, watch));
    const response = this.sessions.acquisition(sessionId);
    return { ...response, source: { ...response.source, metadata } };
  }

  /** Returns rows of the table of planes of the scene of a session. */
  async planeTable(sessionId: string, part: TablePart, signal?: AbortSignal): Promise<PlaneTable> {
    const record = this.sessions.find(sessionId);
    return this.sessions.watched(record, signal, (watch) => readPlaneTable(this.sessions, record, part, watch));
  }

  /**
   * Returns a plane of any scene. It is kept, and the caller releases it, like one of `SessionService.read`.
   * @param form the samples in the type of the file, or its reduced levels in that type, one after the other, as one column; see
   * `levelShapes`
   */
  async plane(
    sessionId: string,
    plane: SourcePlane,
    form: 'native' | 'levels',
    signal?: AbortSignal,
  ): Promise<PinnedPlane> {
    const { sessions } = this;
    const record = sessions.find(sessionId);
    const order = orderSource(record, await this.info(sessionId), plane, form, sessions.options.maxPlaneBytes);
    // It may have ended meanwhile; nobody would remove the plane.
    sessions.find(sessionId);
    return sessions.readOrder(record, order, signal);
  }
}
