/** What breaks each check of API v1. */
import type { Fault } from '../support/faulty-proxy.js';
import {
  absent,
  answer,
  bigEndian,
  bytes,
  field,
  header,
  oneBit,
  oneByteLess,
  otherCode,
  status,
  transposed,
  V1_DATA,
  V1_OPEN,
  V1_REFERENCE,
} from './break.js';

const HEALTH = /^\/api\/v1\/health$/;
const PICK = /^\/api\/v1\/pick-and-open$/;

/** The faults of a check that expects an error of v1. */
function refused(path: RegExp): Fault[] {
  return [answer(path, 200, { ok: true }), otherCode(path), status(path, 400)];
}

/** The faults of the fields of an error of v1. */
function inexact(path: RegExp): Fault[] {
  return [field(path, 'message', undefined), field(path, 'details', null), field(path, 'ok', true)];
}

export const V1_FAULTS: Record<string, Fault[]> = {
  'v1.api': absent(V1_OPEN),
  'v1.error-response': [V1_OPEN, V1_DATA, V1_REFERENCE, PICK].flatMap(inexact),
  'v1.health': [field(HEALTH, 'app', 'another'), field(HEALTH, 'further', 1), field(HEALTH, 'logFile', undefined)],
  'v1.open': [
    field(V1_OPEN, 'apiVersion', 'v1'),
    field(V1_OPEN, 'calibration.unitsSource', undefined),
    field({ path: V1_OPEN, body: /floats/ }, 'channels.vessels', null),
  ],
  'v1.source': [
    field(V1_OPEN, 'source.path', '/other'),
    field(V1_OPEN, 'source.format', 'ome.tif'),
    field(V1_OPEN, 'source.width', 7),
  ],
  'v1.channels': [
    field(V1_OPEN, 'channels.calcium.name', 'Calcium'),
    field(V1_OPEN, 'channels.vessels.index', 0),
    field(V1_OPEN, 'channels.vessels', undefined),
    field(V1_OPEN, 'channels.calcium.height', 5),
    field(V1_OPEN, 'channels.calcium.byteLength', 70),
    field(V1_OPEN, 'channels.calcium.url', '/elsewhere'),
  ],
  'v1.calibration': [
    field(V1_OPEN, 'calibration.dim_0_step', 0.25),
    field(V1_OPEN, 'calibration.dim_1_step', 0.5),
    field(V1_OPEN, 'calibration.msPerLine', 0.5),
    field(V1_OPEN, 'calibration.umPerPixel', 1),
  ],
  'v1.no-calibration': [field(V1_OPEN, 'calibration.dim_0_step', 0), field(V1_OPEN, 'calibration.dim_1_units', '')],
  'v1.roles': [field(V1_OPEN, 'channels.calcium.index', 0), bytes(V1_DATA, oneBit)],
  'v1.one-channel': [field(V1_OPEN, 'channels.vessels', null)],
  'v1.lenient': [
    answer({ path: V1_OPEN, body: /"1"/ }, 422, { ok: false, error: 'channel_out_of_range', message: 'text' }),
    answer({ path: V1_OPEN, body: /1\.9/ }, 422, { ok: false, error: 'channel_out_of_range', message: 'fraction' }),
    answer({ path: V1_OPEN, body: /true/ }, 422, { ok: false, error: 'channel_out_of_range', message: 'boolean' }),
    field(V1_OPEN, 'channels.calcium.index', 0),
  ],
  'v1.content-type': [answer(V1_OPEN, 415, { ok: false, error: 'unsupported_media_type', message: 'type' })],
  'v1.samples': [bytes(V1_DATA, bigEndian), bytes(V1_DATA, transposed(7, 5)), bytes(/vessels$/, oneByteLess)],
  'v1.headers': [header(V1_DATA, 'content-type', 'image/tiff'), header(V1_DATA, 'cache-control')],
  'v1.reference-fields': [
    field(V1_OPEN, 'reference', null),
    field(V1_OPEN, 'reference.dx', undefined),
    field(V1_OPEN, 'reference.channels.0.further', 1),
  ],
  'v1.reference': [
    field(V1_OPEN, 'reference', null),
    field(V1_OPEN, 'reference.height', 5),
    field(V1_OPEN, 'reference.scanPath', null),
    field(V1_OPEN, 'reference.lineRoi', [3, 0, 0, 3]),
  ],
  'v1.reference-samples': [bytes(V1_REFERENCE, transposed(4, 4))],
  'v1.no-reference': [field(V1_OPEN, 'reference', undefined)],
  'v1.whole-number': [
    status(V1_REFERENCE, 404),
    answer(V1_REFERENCE, 422, { ok: false, error: 'channel_out_of_range', message: 'first' }),
  ],
  'v1.demo': [status(/^\/demo\/$/, 404), header(/^\/demo\/$/, 'content-type', 'text/plain')],
  'v1.path': refused(V1_OPEN),
  'v1.no-path': refused(V1_OPEN),
  'v1.body': refused(V1_OPEN),
  'v1.format': refused(V1_OPEN),
  'v1.channel-range': refused(V1_OPEN),
  'v1.channel-type': refused(V1_OPEN),
  'v1.pick-body': refused(PICK),
  'v1.role': refused(V1_DATA),
  'v1.session': refused(V1_DATA),
  'v1.no-role': refused(V1_DATA),
  'v1.reference-plane': refused(V1_REFERENCE),
  'v1.negative': refused(V1_REFERENCE),
};
