import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { SessionStatus } from '../../packages/client/src/contract/session.js';
import { AcqError, ERROR_STATUS, type ErrorCode } from '../../packages/readers/src/base/errors.js';
import type { PlaneData } from '../../packages/readers/src/model/samples/plane-data.js';
import type { AppDependencies } from '../../packages/server/src/server/dependencies.js';
import type { OpenSessionRequest, PlaneAddress, SessionApi } from '../../packages/server/src/sessions/types.js';

interface FakeSession {
  api: SessionApi;
  info: OpenResponse;
  planes: Map<string, Uint8Array>;
  status: SessionStatus;
}

type Sessions = AppDependencies['sessions'];

export interface FakeSessions extends Sessions {
  /** Everything that was asked to be opened. */
  readonly opened: OpenSessionRequest[];
  /** Calls of `plane`: what decodes. */
  decodes: number;
  /** Planes that were handed out and not released. */
  pinned: number;
  closed: boolean;
  /** Calls of `noteClient`. */
  clientsNoted: number;
}

/** Rows × columns of the planes that every path of the fake holds. */
const FAKE_SHAPE = [3, 5] as const;
const PLANE_BYTES = 3 * 5 * 4;

/**
 * A session service without files. A path whose name is an error code fails with it; `/wait` never answers until its
 * signal is aborted; anything else is two channels and a reference of one.
 */
export function fakeSessions(planeBytes = PLANE_BYTES): FakeSessions {
  const sessions = new Map<string, FakeSession>();
  let count = 0;
  const get = (id: string, api: SessionApi = 'v2') => {
    const session = sessions.get(id);
    if (session?.api !== api) throw new AcqError('session_not_found', `no session ${id}`);
    return session;
  };
  const planeOf = ({ sessionId, kind, channelIndex, api }: PlaneAddress) => {
    const plane = get(sessionId, api).planes.get(`${kind}${channelIndex}`);
    if (plane) return plane;
    const code = kind === 'channel' ? 'channel_not_found' : 'reference_channel_not_found';
    throw new AcqError(code, `no channel ${channelIndex}`);
  };
  const fake: FakeSessions = {
    opened: [],
    decodes: 0,
    pinned: 0,
    closed: false,
    clientsNoted: 0,
    noteClient() {
      fake.clientsNoted++;
    },
    async open(request) {
      fake.opened.push(request);
      const name = request.path.slice(1);
      if (name === 'wait') await aborted(request.signal);
      if (name === 'crash') throw new TypeError('secret inner detail');
      if (name === 'lie') return { ok: true, sessionId: 'x', source: { format: 'lie' } } as unknown as OpenResponse;
      if (Object.hasOwn(ERROR_STATUS, name)) throw new AcqError(name as ErrorCode, `fake ${name}`);
      count++;
      const sessionId = count.toString(16).padStart(32, '0');
      const planes = new Map(['channel0', 'channel1', 'reference0'].map((key, i) => [key, ramp(planeBytes, i)]));
      const status = {
        ok: true as const,
        sessionId,
        ttlSecondsRemaining: 600,
        channelIndices: [0, 1],
        referenceChannelIndices: [0],
        totalBytes: 3 * planeBytes,
      };
      const { api = 'v2' } = request;
      const info = openResponse(sessionId, request.path, planeBytes);
      sessions.set(sessionId, { api, info, planes, status });
      return info;
    },
    async checkFile() {},
    belongsTo: async () => true,
    hold: () => () => {},
    who: (session) => ({ party: 'programs', session }),
    channelOrder: (id, api) => get(id, api).status.channelIndices,
    status: (id) => get(id).status,
    acquisition: (id) => get(id).info,
    renew: async (id) => get(id).status,
    async delete(id, api) {
      get(id, api);
      sessions.delete(id);
      return { ok: true, sessionId: id, deleted: true };
    },
    isOpen: (id) => sessions.has(id),
    memory: { reserve: async () => () => {}, withScratch: (_bytes, work) => work(), onShortage() {} },
    load: () => ({
      usedBytes: 0,
      scratchBytes: 0,
      budgetBytes: 0,
      sessions: 0,
      queue: 0,
      workers: { busy: 0, idle: 0, stuck: 0 },
    }),
    list: () => ({ sessions: [], usedBytes: 0, budgetBytes: 0 }),
    endAny: async (id) => sessions.delete(id),
    takeBack: async (id) => void sessions.delete(id),
    planeShape: (address) => ({ rows: planeOf(address).byteLength / 4, columns: 1, sampleType: 'float32' }),
    take: () => undefined,
    async read(address) {
      fake.decodes++;
      fake.pinned++;
      return { data: toPlaneData(planeOf(address)), release: once(() => fake.pinned--) };
    },
    async ready() {},
    async close() {
      fake.closed = true;
      return true;
    },
  };
  return fake;
}

/** The services beside sessions, of which no file can be read. Every session that is followed ends at once. */
export function fakeServices(): Pick<AppDependencies, 'sources' | 'overviews' | 'following' | 'surveying'> {
  return {
    sources: { info: unsupported, withMetadata: unsupported, planeTable: unsupported, plane: unsupported },
    overviews: { far: async () => undefined, reduced: unsupported },
    following: {
      size: 0,
      async follow(_sessionId, follower) {
        follower.onState(null);
        follower.onEnd('stopped');
        return () => {};
      },
      stop() {},
    },
    surveying: { survey: ({ path }) => Promise.reject(new AcqError('path_not_found', `nothing is at ${path}`)) },
  };
}

/** The bytes as a plane of one column in two segments, as two decode workers leave it. */
function toPlaneData(bytes: Uint8Array): PlaneData {
  const samples = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const half = Math.floor(samples.length / 2);
  const parts = [samples.subarray(0, half), samples.subarray(half)];
  const segments = parts.map((part, i) => ({ firstRow: i * half, rowCount: part.length, samples: part }));
  return { sampleType: 'float32', rows: samples.length, columns: 1, segments };
}

async function unsupported(): Promise<never> {
  throw new Error('not part of the fake');
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Bytes that tell where they are: byte i of plane p is (i + 7p) mod 251. */
export function ramp(length: number, plane: number): Uint8Array {
  const period = Uint8Array.from({ length: 251 }, (_, i) => (i + 7 * plane) % 251);
  return new Uint8Array(Buffer.alloc(length, period).buffer, 0, length);
}

const BINARY = {
  servedDtype: 'float32',
  encoding: 'raw-f32-le',
  layout: 'row-major',
  mediaType: 'application/octet-stream',
} as const;

function openResponse(sessionId: string, path: string, byteLength: number): OpenResponse {
  const [rows, columns] = FAKE_SHAPE;
  const plane: OpenResponse['plane'] = {
    shape: [rows, columns],
    axes: [
      { arrayDimension: 0, name: 'Y', size: rows, step: 0.002, unit: 'seconds' },
      { arrayDimension: 1, name: 'X', size: columns, step: 0.5, unit: 'micrometer' },
    ],
    ...BINARY,
  };
  const base = `/api/v2/sessions/${sessionId}`;
  const channel = (index: number, url: string) => ({ index, name: `CH${index + 1}`, byteLength, dataUrl: url });
  return {
    ok: true,
    apiVersion: 'v2',
    sessionId,
    source: { path, name: path.slice(path.lastIndexOf('/') + 1), format: 'tif', sourceDtype: 'uint16', numChannels: 2 },
    header: {
      shape: [2, rows, columns],
      dims: ['C', 'Y', 'X'],
      sizes: { C: 2, Y: rows, X: columns },
      dtype: 'uint16',
      numChannels: 2,
      physicalUnits: [1, 0.002, 0.5],
      physicalUnitsLabels: ['Channels', 'seconds', 'micrometer'],
      date: '20240131',
      time: '13:45:00',
      fileSize: '4.8 MB',
      calibration: ['default', 'file', 'file'],
    },
    plane,
    channels: [0, 1].map((i) => channel(i, `${base}/channels/${i}/data`)),
    reference: {
      plane,
      channels: [channel(0, `${base}/reference/channels/0/data`)],
      lineRoi: [0, 1, 2, 3],
      scanPath: { x: [0, 2], y: [1, 3] },
    },
    warnings: [],
  };
}
