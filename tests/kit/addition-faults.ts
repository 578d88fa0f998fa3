/** What breaks each check of the additions to v2. */
import type { Fault, Reply } from '../support/faulty-proxy.js';
import {
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
  SESSION,
  status,
} from './break.js';

const STATUS = { method: 'GET', path: SESSION };
const CAPABILITIES = /^\/api\/v2\/capabilities$/;
const PLANE_QUERY = /\/data\?/;
const operation = (name: string) => new RegExp(`/channels/\\d+/${name}`);

/** Shifts the first byte of the body by one. */
const oneMore = (body: Buffer): Buffer => {
  body[0] = (body[0]! + 1) & 0xff;
  return body;
};

/** Changes the last value of an array. */
const lastByte = (reply: Reply): void => {
  reply.body.writeUInt8(reply.body.readUInt8(reply.body.length - 1) ^ 1, reply.body.length - 1);
};

export const ADDITION_FAULTS: Record<string, Fault[]> = {
  'discovery.health-only': [field(/\/health$/, 'version', '1')],
  'discovery.links': [field(/^\/api\/v2$/, 'links.docs', undefined), status(/^\/openapi\.json$/, 404)],
  'discovery.formats': [field(CAPABILITIES, 'formats', undefined), field(CAPABILITIES, 'formats.0.extensions', ['.x'])],
  'discovery.opening': [field(CAPABILITIES, 'opening', undefined), field(CAPABILITIES, 'opening', ['picker'])],
  'open.full-response': [
    field(OPEN, 'warnings', undefined),
    field(OPEN, 'header.calibration', undefined),
    field(OPEN, 'plane.axes.0.unit', 'um'),
    field(OPEN, 'plane.axes.0.step', 0),
  ],
  'open.units': [
    field(OPEN, 'header.physicalUnitsLabels', ['Channels', 'Pixels', 'Pixels']),
    field(OPEN, 'header.calibration', ['default', 'default', 'default']),
    field({ path: OPEN, body: /floats/ }, 'plane.axes.0.step', 0.5),
  ],
  'coordinates.times': [
    field({ path: OPEN, body: /stack/ }, 'header.physicalUnits.1', 1),
    field({ path: OPEN, body: /stack/ }, 'header.coordinates', undefined),
    field(/\/coordinates$/, 'axes.T.values', [0, 1]),
    status(/\/coordinates$/, 404),
  ],
  'coordinates.npy': [bytes(/\/coordinates\?as=npy/, oneMore), at(/\/coordinates\?as=npy/, lastByte)],
  'planes.table': [
    field(/\/planes\?/, 'total', 5),
    field(/\/planes\?/, 'columns.time', [0, 0]),
    field(/\/planes\?/, 'columns.Z', [0, 1]),
  ],
  'open.interpret': [
    field({ path: OPEN, body: /interpret/ }, 'interpret', undefined),
    field({ path: OPEN, body: /interpret/ }, 'header.sizes', { T: 2, Z: 3, C: 1, Y: 4, X: 6 }),
    bytes(PLANE_QUERY, oneMore),
  ],
  'open.names': [field(OPEN, 'channels.0.name', 'CH1')],
  'open.dims': [
    field(OPEN, 'header.dims', ['T', 'Z', 'C', 'Y', 'X']),
    field(OPEN, 'header.shape', [1, 3, 2, 4, 6]),
    field(OPEN, 'selection', undefined),
  ],
  'open.line-scan': [
    field(OPEN, 'plane.axes.0.unit', 'micrometer'),
    field(OPEN, 'plane.axes.0.step', 2),
    field(OPEN, 'plane.axes.1.step', 1),
    field(OPEN, 'reference.scanPath', null),
    field(OPEN, 'reference.lineRoi', [3, 0, 0, 3]),
  ],
  'open.selection': [field(OPEN, 'selection', { T: 0, Z: 0 }), bytes(DATA, oneBit)],
  'open.selection-range': [
    accepted({ path: OPEN, body: /"T":2/ }),
    accepted({ path: OPEN, body: /"S":1/ }),
    status({ path: OPEN, body: /"T":2/ }, 404),
  ],
  'open.calibration': [
    field(OPEN, 'plane.axes.0.unit', 'micrometer'),
    field(OPEN, 'plane.axes.0.step', 0.5),
    field(OPEN, 'plane.axes.1.step', 1),
  ],
  'open.channel-indices': [
    accepted({ path: OPEN, body: /\[\]/ }),
    accepted({ path: OPEN, body: /\[0,0\]/ }),
    otherCode({ path: OPEN, body: /\[-1\]/ }),
  ],
  'open.strict': [
    accepted({ path: OPEN, body: /unknown/ }),
    accepted({ path: OPEN, body: /"scan\.tif"/ }),
    field(OPEN, 'details', ['no location']),
    field(OPEN, 'details.0.location', ['path']),
  ],
  'open.truncated': [accepted(OPEN), otherCode(OPEN), status(OPEN, 422)],
  'open.later': [bytes(DATA, oneBit), answer(OPEN, 422, { ok: false, error: 'request_validation_failed' })],
  'open.revision': [
    field(OPEN, 'source.revision', undefined),
    field(OPEN, 'source.revision', 'a'.repeat(64)),
    json({ path: OPEN, body: /frame/ }, (body) => {
      (body['source'] as { revision: string }).revision = String(Math.random());
    }),
  ],
  'open.projection': [field(OPEN, 'selection', { T: 0, Z: 0 }), bytes(DATA, oneBit)],
  'session.order': [field(STATUS, 'channelIndices', [1, 0])],
  'session.renew': [status(/\/renew$/, 404), field(STATUS, 'ttlSecondsRemaining', 50)],
  'session.expiry': [accepted(STATUS), status(STATUS, 410), bytes(DATA, oneBit)],
  'session.acquisition': [
    status(/\/acquisition$/, 404),
    json(/\/acquisition$/, (body) => {
      body['channels'] = [];
    }),
  ],
  'data.places': [bytes(PLANE_QUERY, oneBit), bytes(/\?Z=1$/, oneBit), bytes(DATA, oneBit)],
  'data.places-range': [accepted(/\?T=2$/), accepted(/\?Q=0$/), status(/\?T=2$/, 404)],
  'data.head': [
    header({ method: 'HEAD', path: DATA }, 'content-length', '1'),
    status({ method: 'HEAD', path: DATA }, 405),
  ],
  'data.range': [
    status(DATA, 200),
    header(DATA, 'content-range', 'bytes 0-7/140'),
    bytes(DATA, oneByteLess),
    bytes(DATA, oneBit),
  ],
  'data.range-outside': [status(DATA, 200), otherCode(DATA)],
  'analysis.window': [
    bytes(operation('window'), bigEndian),
    header(operation('window'), 'x-array-shape', '2,3'),
    header(operation('window'), 'x-array-dtype'),
  ],
  'analysis.native-window': [
    bytes(operation('window'), oneBit),
    header(operation('window'), 'x-array-dtype', '<f4'),
    bytes(operation('window'), (body) => body.swap16()),
  ],
  'analysis.window-range': [accepted(operation('window')), status(operation('window'), 416)],
  'analysis.overview': [bytes(operation('overview'), oneBit), bytes(operation('overview'), oneByteLess)],
  'analysis.statistics': [
    field(operation('statistics'), 'samples', 34),
    field(operation('statistics'), 'min', 0),
    field(operation('statistics'), 'percentiles.0.value', 0),
    field(operation('statistics'), 'histogram.counts', [1, 1]),
    field(operation('statistics'), 'std', 'none'),
  ],
  'analysis.profile': [field(operation('profile'), 'values.1', 0), field(operation('profile'), 'length', 5)],
  'analysis.traces': [bytes(operation('traces'), oneBit), header(operation('traces'), 'x-array-shape', '7,1')],
  'zarr.chunks': [
    field(OPEN, 'zarr', undefined),
    field(/\.zarray$/, 'shape', [1, 2, 1, 5, 7]),
    field(/\.zarray$/, 'dtype', '>u2'),
    bytes(/0\.4\.ome\.zarr\/0\/0\/0\/1/, oneMore),
    bytes(/0\.5\.ome\.zarr\/0\/0\/c\//, oneMore),
  ],
  'zarr.ended': [
    status(/ome\.zarr\/0\/0/, 404),
    at(/ome\.zarr\/0\/0/, (reply) => {
      reply.status = 200;
      reply.headers['content-type'] = 'application/octet-stream';
      reply.body = Buffer.alloc(70);
    }),
  ],
  'http.statuses': [
    status({ path: OPEN, body: /missing/ }, 422),
    status({ path: OPEN, body: /notes/ }, 422),
    status({ path: OPEN, body: /99/ }, 400),
    status({ path: OPEN, body: /^\{\}$/ }, 400),
    status(SESSION, 410),
    status(/channels\/-1\/data$/, 404),
    status(/\w{32}\/channels\/0\/data$/, 410),
    status(/reference\/channels\/0\/data$/, 410),
  ],
  'http.not-found': [
    status(/nothing$/, 200),
    status({ method: 'PUT', path: OPEN }, 404),
    header({ method: 'PUT', path: OPEN }, 'allow'),
  ],
  'http.body': [accepted({ path: OPEN, body: /a\.tif/ }), accepted({ path: OPEN, body: /:$/ })],
  'http.request-id': [
    header(/\/health$/, 'x-request-id'),
    header(/nothing$/, 'cache-control', 'max-age=1'),
    header(/./, 'x-request-id', 'same'),
  ],
  'security.host': [accepted(/\/health$/)],
  'security.origin': [accepted({ path: OPEN, body: /^\{"path":"[^"]*"\}$/ }), accepted(DATA)],
  'security.null-origin': [accepted(OPEN), otherCode(OPEN)],
  'files.folders': [
    field(/\/folders/, 'entries', []),
    json(/\/folders/, (body) => {
      (body['entries'] as object[]).push({ name: 'notes.txt' });
    }),
  ],
  'files.uploads': [
    status(/\/uploads$/, 413),
    status(/\/files\//, 413),
    accepted(/\/uploads\/\w+\/open$/),
    status({ method: 'DELETE', path: /\/uploads\/\w+$/ }, 500),
    field(/\/uploads\/\w+\/open$/, 'error', 'unsupported_format'),
  ],
  'files.locate': [field(/\/locate$/, 'paths', ['/etc/passwd']), status(/\/locate$/, 404)],
};
