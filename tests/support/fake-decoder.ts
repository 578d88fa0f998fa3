import type { VendorMetadata } from '../../packages/client/src/contract/vendor-metadata.js';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import type { AcquisitionInfo } from '../../packages/readers/src/model/acquisition.js';
import { toPlaneTable } from '../../packages/readers/src/model/metadata/plane-table.js';
import { type SceneView, selectScene, viewScene } from '../../packages/readers/src/model/selection.js';
import type {
  DecodeLease,
  Decoder,
  LeaseOptions,
  OpenedFile,
  PlaneMemory,
  PlaneRequest,
} from '../../packages/server/src/decode/types.js';
import type { Fingerprint } from '../../packages/server/src/platform-node/file-source.js';

/** A decoder without workers: what it does on each call is for the test to say. */
export class FakeDecoder implements Decoder {
  info: AcquisitionInfo;
  /** Called for every plane; its return value fills the plane. */
  onPlane: (request: PlaneRequest, signal: AbortSignal) => number | Promise<number> = () => 1;
  /** What `close` and `check` find. */
  state: { fingerprints: Fingerprint[]; changes: string[] } = {
    fingerprints: [{ path: '/f', size: 1, mtimeNs: '1', ino: '1' }],
    changes: [],
  };
  /** Files that other sessions have read, and that changed since. */
  readonly changedFiles = new Set<string>();
  /** What a later open finds when it compares with what it expects. */
  changesSinceOpen: string[] = [];
  /** Everything that was asked for, in order. */
  readonly log: string[] = [];
  /** Names of files that nobody keeps open any more. */
  readonly letGoOf: string[] = [];
  metadata: VendorMetadata = { entries: [{ name: 'Objective', value: '63x' }], truncated: false };
  closed = false;
  scratchBytes = 0;
  /** All opens see the same files. */
  isOneContent = false;
  /** Planes are in no other files than those that the open has read. */
  isWhole = true;
  private opens = 0;

  constructor(info: AcquisitionInfo) {
    this.info = info;
  }

  private path = '';

  count(what: string): number {
    return this.log.filter((entry) => entry.startsWith(what)).length;
  }

  async lease<T>({ signal }: LeaseOptions, work: (lease: DecodeLease) => Promise<T>): Promise<T> {
    return work({
      open: async ({ located, selection, scene, expected }) => {
        this.log.push('open');
        this.path = located.path;
        signal.throwIfAborted();
        if (expected && this.changesSinceOpen.length > 0) {
          throw new AcqError('source_changed', this.changesSinceOpen.join('; '));
        }
        const view = scene === undefined ? selectScene(this.info, selection) : viewScene(this.info, scene);
        return this.opened(view);
      },
      overview: async () => undefined,
      plane: async (request, memory, isLast) => {
        const channels = (request.kind === 'channel' && request.together) || [request.channel];
        for (const [i, channel] of channels.entries()) {
          this.log.push(`plane ${request.kind} ${channel}`);
          const value = await this.onPlane({ ...request, channel }, signal);
          fill(
            memory.blocks.filter((_, block) => block % channels.length === i),
            value,
          );
        }
        if (!isLast) return undefined;
        this.log.push('close');
        return this.compare();
      },
      survey: ({ located }) => Promise.reject(new Error(`nobody surveys ${located.path}`)),
      info: async () => this.info,
      metadata: async () => this.metadata,
      planes: async (scene, part) => toPlaneTable(this.info.scenes[scene]!, {}, part),
      view: async (scene) => this.opened(viewScene(this.info, scene)),
      check: async (further) => {
        this.log.push('check');
        return this.compare(further);
      },
      close: async (further) => {
        this.log.push('close');
        return this.compare(further);
      },
    });
  }

  async ready(): Promise<void> {}

  letGo(keep: string): void {
    this.letGoOf.push(keep);
  }

  tryLease(): undefined {
    return undefined;
  }

  async close(): Promise<boolean> {
    this.closed = true;
    return true;
  }

  private compare(further: readonly Fingerprint[] = []): Fingerprint[] {
    const changed = further.filter(({ path }) => this.changedFiles.has(path));
    const changes = [...this.state.changes, ...changed.map(({ path }) => `${path} was modified`)];
    if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
    return this.state.fingerprints;
  }

  private opened(view: SceneView): OpenedFile {
    // Not the same files twice, unless the test wants to: sessions share the planes of one content.
    const ino = this.isOneContent ? 'same' : String(++this.opens);
    const fingerprints = [{ path: '/head', size: 1, mtimeNs: '1', ino }];
    const { scratchBytes, isWhole } = this;
    const { path } = this;
    return {
      located: { path },
      size: 1000,
      filesSize: 1000,
      bands: 1,
      interleaved: false,
      scratchBytes,
      fingerprints,
      isWhole,
      view,
    };
  }
}

function fill(blocks: PlaneMemory['blocks'], value: number): void {
  for (const { buffer } of blocks) new Float32Array(buffer).fill(value);
}

/** Rejects when the signal aborts: work that never ends by itself. */
export function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
