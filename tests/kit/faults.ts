/** What breaks each check of the contract of v2. A check without a fault could never fail. */
import type { Fault } from '../support/faulty-proxy.js';
import {
  absent,
  accepted,
  answer,
  at,
  bigEndian,
  bytes,
  DATA,
  field,
  header,
  json,
  OPEN,
  oneBit,
  oneByteLess,
  otherCode,
  REFERENCE_DATA,
  SESSION,
  status,
  transposed,
} from './break.js';

const DELETE = { method: 'DELETE', path: SESSION };
const STATUS = { method: 'GET', path: SESSION };
const PICK = /^\/api\/v2\/pick-and-open$/;
const CAPABILITIES = /^\/api\/v2\/capabilities$/;

const discovery: Record<string, Fault[]> = {
  'discovery.api': absent(OPEN),
  'discovery.index': [field(/^\/api\/v2$/, 'ok', undefined), header(/^\/api\/v2$/, 'content-type', 'text/plain')],
  'discovery.health': [
    field(/\/health$/, 'apiVersion', 'v3'),
    field(/\/health$/, 'ok', false),
    status(/\/health$/, 503),
    bytes(/\/health$/, oneByteLess),
  ],
  'discovery.capabilities': [
    field(CAPABILITIES, 'sessionTtlSeconds', 0),
    field(CAPABILITIES, 'binary.encoding', 'raw-f64-le'),
    field(CAPABILITIES, 'allowedImportExtensions', undefined),
  ],
  'discovery.extensions': [
    field(CAPABILITIES, 'supportedImportExtensions', ['tif']),
    field(CAPABILITIES, 'allowedImportExtensions', undefined),
    field(CAPABILITIES, 'allowedImportExtensions', '.tif'),
  ],
  'discovery.openapi': [
    field(/^\/openapi\.json$/, 'openapi', undefined),
    json(/^\/openapi\.json$/, (body) => {
      delete (body['paths'] as Record<string, unknown>)['/api/v2/pick-and-open'];
    }),
  ],
  'discovery.docs': [status(/^\/docs$/, 404), header(/^\/docs$/, 'content-type', 'text/plain')],
  'discovery.demo': [status(/^\/demo\/v2\/$/, 404), header(/^\/demo\/v2\/$/, 'content-type', 'text/plain')],
};

const open: Record<string, Fault[]> = {
  'open.response': [
    field(OPEN, 'reference', undefined),
    field(OPEN, 'apiVersion', 'v1'),
    field(OPEN, 'header.date', null),
    field(OPEN, 'plane.layout', 'column-major'),
    status(OPEN, 201),
  ],
  'open.source': [
    field(OPEN, 'source.name', 'other.tif'),
    field(OPEN, 'source.path', 'frame.ome.tif'),
    field(OPEN, 'source.path', '/other'),
    field(OPEN, 'source.sourceDtype', 'float32'),
    field(OPEN, 'source.numChannels', 1),
    field(OPEN, 'source.format', ''),
  ],
  'open.header': [
    field(OPEN, 'header.shape', [7, 5, 2]),
    field(OPEN, 'header.dims', ['Y', 'X']),
    field(OPEN, 'header.sizes', { C: 2, Y: 5, X: 7 }),
    field(OPEN, 'header.physicalUnits', [1]),
    field(OPEN, 'header.physicalUnitsLabels', []),
    field(OPEN, 'header.dtype', 'uint8'),
    field(OPEN, 'header.numChannels', 3),
  ],
  'open.plane': [field(OPEN, 'plane.shape', [5, 7]), field(OPEN, 'plane.axes.0.size', 5)],
  'open.steps': [
    field(OPEN, 'plane.axes.0.step', 0.25),
    field(OPEN, 'plane.axes.1.step', 1),
    field(OPEN, 'header.physicalUnits.1', 1),
    field(OPEN, 'header.physicalUnits.2', 1),
  ],
  'open.channels': [
    field(OPEN, 'channels.1.index', 2),
    field(OPEN, 'channels.0.name', ''),
    field(OPEN, 'channels.0.byteLength', 70),
    field(OPEN, 'channels.1.dataUrl', '/elsewhere'),
  ],
  'open.order': [
    json(OPEN, (body) => (body['channels'] as { index: number }[]).sort((a, b) => a.index - b.index)),
    json({ path: OPEN, body: /\[1\]/ }, (body) => {
      body['channels'] = [...(body['channels'] as object[]), ...(body['channels'] as object[])];
    }),
  ],
  'open.selected-samples': [
    json(OPEN, (body) => {
      const [a, b] = body['channels'] as { index: number }[];
      if (a && b) [a.index, b.index] = [b.index, a.index];
    }),
  ],
  'open.no-reference': [
    json(OPEN, (body) => {
      body['reference'] = { plane: body['plane'], channels: [], lineRoi: null, scanPath: null };
    }),
  ],
  'open.sessions': [field(OPEN, 'sessionId', '0'.repeat(32))],
  'open.stack': [
    answer({ path: OPEN, body: /stack/ }, 415, { ok: false, error: 'unsupported_format' }),
    bytes(DATA, oneBit),
    field(OPEN, 'plane.shape', [6, 4]),
  ],
};

const data: Record<string, Fault[]> = {
  'data.samples': [
    bytes(DATA, bigEndian),
    bytes(DATA, transposed(7, 5)),
    bytes(DATA, oneBit),
    bytes(DATA, oneByteLess),
    bytes(DATA, (body) => Buffer.concat([body, Buffer.alloc(4)])),
    status(DATA, 206),
    json(OPEN, (body) => {
      const [a, b] = body['channels'] as { dataUrl: string }[];
      if (a && b) [a.dataUrl, b.dataUrl] = [b.dataUrl, a.dataUrl];
    }),
  ],
  'data.floats': [
    bytes(DATA, oneBit),
    bytes(DATA, (body) => {
      // −1.5 without its sign
      body[7] = body[7]! & 0x7f;
      return body;
    }),
  ],
  'data.headers': [header(DATA, 'content-type', 'image/tiff'), header(DATA, 'cache-control', 'max-age=60')],
  'data.again': [answer(DATA, 404, { ok: false, error: 'channel_not_found', message: 'read before', details: null })],
};

const reference: Record<string, Fault[]> = {
  'reference.fields': [
    field(OPEN, 'reference', null),
    field(OPEN, 'reference.lineRoi', undefined),
    field(OPEN, 'reference.channels.0.name', undefined),
    field(OPEN, 'header.date', undefined),
  ],
  'reference.response': [
    field(OPEN, 'reference', null),
    field(OPEN, 'reference.plane.shape', [1, 16]),
    field(OPEN, 'reference.channels', []),
    field(OPEN, 'reference.channels.0.byteLength', 16),
    field(OPEN, 'reference.channels.0.dataUrl', '/elsewhere'),
  ],
  'reference.samples': [bytes(REFERENCE_DATA, transposed(4, 4)), bytes(REFERENCE_DATA, oneByteLess)],
  'reference.headers': [
    header(REFERENCE_DATA, 'content-type', 'image/tiff'),
    header(REFERENCE_DATA, 'cache-control', undefined),
  ],
  'reference.status': [
    field(STATUS, 'referenceChannelIndices', []),
    json(STATUS, (body) => {
      body['totalBytes'] = Number(body['totalBytes']) - 64;
    }),
  ],
  'reference.line-scan': [field(OPEN, 'plane.shape', [4, 6]), bytes(DATA, transposed(6, 4))],
};

const session: Record<string, Fault[]> = {
  'session.response': [
    field(STATUS, 'ttlSecondsRemaining', undefined),
    field(STATUS, 'totalBytes', '280'),
    field(STATUS, 'ok', false),
  ],
  'session.status': [
    field(STATUS, 'sessionId', '0'.repeat(32)),
    field(STATUS, 'channelIndices', [0]),
    field(STATUS, 'referenceChannelIndices', [0]),
    field(STATUS, 'totalBytes', 0),
  ],
  'session.part': [field(STATUS, 'channelIndices', [0, 1]), field(STATUS, 'totalBytes', 280)],
  'session.time-to-live': [
    field(STATUS, 'ttlSecondsRemaining', 0),
    field(STATUS, 'ttlSecondsRemaining', 601),
    field(STATUS, 'ttlSecondsRemaining', undefined),
    field(CAPABILITIES, 'sessionTtlSeconds', undefined),
  ],
  'session.delete': [field(DELETE, 'deleted', false), field(DELETE, 'sessionId', '0'.repeat(32)), status(DELETE, 202)],
  'session.ended': [accepted(STATUS), accepted(DATA), otherCode(STATUS), otherCode(DATA)],
  'session.others': [answer(DATA, 404, { ok: false, error: 'session_not_found', message: 'ended', details: null })],
};

/** The faults of each field of an error. */
function incomplete(where: { path: RegExp; method?: string }): Fault[] {
  return [
    accepted(where),
    field(where, 'ok', true),
    field(where, 'error', undefined),
    field(where, 'message', ''),
    field(where, 'details', undefined),
  ];
}

/** The faults of a check that expects an error: none, another code, and what is not an error. */
function refused(where: { path: RegExp; method?: string }): Fault[] {
  return [
    accepted(where),
    otherCode(where),
    status(where, 200),
    at(where, (reply) => {
      reply.headers['content-type'] = 'text/plain';
    }),
  ];
}

const errors: Record<string, Fault[]> = {
  'errors.response': [
    ...[{ path: OPEN }, { path: DATA }, { path: REFERENCE_DATA }, STATUS, DELETE].flatMap(incomplete),
    field(PICK, 'details', undefined),
    field(OPEN, 'details', { path: '/' }),
  ],
  'errors.path': refused({ path: OPEN }),
  'errors.format': refused({ path: OPEN }),
  'errors.channel-range': refused({ path: OPEN }),
  'errors.channel': refused({ path: DATA }),
  'errors.reference-channel': refused({ path: REFERENCE_DATA }),
  'errors.session': refused(STATUS),
  'errors.plane': refused({ path: DATA }),
  'errors.reference-plane': refused({ path: REFERENCE_DATA }),
  'errors.delete': refused(DELETE),
  'errors.validation': [...refused({ path: OPEN }), field(OPEN, 'details', null), field(OPEN, 'details', undefined)],
  'errors.picker': refused({ path: PICK }),
};

export const CONTRACT_FAULTS: Record<string, Fault[]> = {
  ...discovery,
  ...open,
  ...data,
  ...reference,
  ...session,
  ...errors,
};
