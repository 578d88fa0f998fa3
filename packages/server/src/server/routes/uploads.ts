/** Files that pages send: into a private folder, then opened like any other. */
import type { IncomingMessage } from 'node:http';
import { OpenResponse } from '@acquisition-store/client/contract/open.js';
import {
  Upload,
  UploadDeleted,
  UploadedFile,
  UploadParams,
  UploadRequest,
} from '@acquisition-store/client/contract/uploads.js';
import { API_VERSION } from '@acquisition-store/client/contract/values.js';
import { AcqError, type ErrorCode } from '@acquisition-store/readers/base/errors.js';
import type { FastifyRequest } from 'fastify';
import { partyOf } from '../../sessions/record.js';
import type { Connections } from '../connections.js';
import type { AppDependencies } from '../dependencies.js';
import { ownerOf } from '../guard.js';
import { operation, uploadOperation } from '../operation.js';
import { OPEN_ERRORS } from '../operation-errors.js';
import { clientSignal, untilStopped } from '../request-life.js';
import type { App } from '../types.js';
import { UploadOpenBody } from '../validation.js';
import { openTimed } from './open.js';

const URL = '/api/v2/uploads/:uploadId';
const PARTS = { tag: 'Uploads', access: 'files' } as const;
const SIZE_ERRORS: readonly ErrorCode[] = ['upload_not_found', 'upload_too_large'];

export function uploadRoutes(app: App, deps: AppDependencies, connections: Connections): void {
  createUpload(app, deps);
  receiveFile(app, deps, connections);
  openUpload(app, deps);
  deleteUpload(app, deps);
}

function createUpload(app: App, { uploads }: AppDependencies): void {
  app.post(
    '/api/v2/uploads',
    operation({
      ...PARTS,
      id: 'createUpload',
      summary: 'Announce files to send',
      description:
        'Makes room for them, within `--upload-budget` and 90 % of the disk. The room is kept until no byte has arrived for ' +
        '60 seconds; after that, what is still missing needs room again.',
      body: UploadRequest,
      ok: Upload,
      errors: ['upload_too_large'],
    }),
    async ({ body, caller }) => {
      const { user, label } = caller;
      const sender = { owner: user?.owner, party: partyOf(caller, user?.owner), label };
      const { id, expiresInSeconds } = await uploads.create(body, sender);
      return { ok: true as const, apiVersion: API_VERSION, uploadId: id, maxBytes: body.size, expiresInSeconds };
    },
  );
}

function receiveFile(app: App, { uploads }: AppDependencies, connections: Connections): void {
  // The body goes to the disk as it arrives. The guard refuses this type everywhere else.
  app.addContentTypeParser('application/octet-stream', (_request, payload, parsed) => parsed(null, payload));
  app.put(
    `${URL}/files/*`,
    uploadOperation({
      ...PARTS,
      id: 'uploadFile',
      summary: 'Send one file of an upload',
      description:
        'The body is the file. A file of the same name is replaced. An acquisition in several files is sent file by file, ' +
        'with their relative names.',
      ok: UploadedFile,
      errors: SIZE_ERRORS,
    }),
    async (request, reply) => {
      const { uploadId, '*': key } = request.params;
      connections.allowLongBody(reply);
      const receivedBytes = await receiving(request, () =>
        uploads.receive(uploadId, key, { body: toBody(request), length: announced(request.raw) }),
      );
      return { ok: true as const, uploadId, receivedBytes };
    },
  );
}

function openUpload(app: App, deps: AppDependencies): void {
  const { uploads, stopping } = deps;
  app.post(
    `${URL}/open`,
    operation({
      ...PARTS,
      id: 'openUpload',
      summary: 'Open what was sent',
      description:
        'Like `POST /api/v2/open`. `source.path` is the name of the file alone. The files are deleted when the last session ' +
        'that uses them has ended.',
      params: UploadParams,
      body: UploadOpenBody,
      ok: OpenResponse,
      errors: ['upload_not_found', 'upload_incomplete', ...OPEN_ERRORS],
    }),
    async ({ params: { uploadId }, body: { ttlSeconds, ...options }, caller, log }, reply) => {
      const opened = uploads.open(uploadId, ({ path, use }) => {
        log.info({ uploadId }, 'opening an upload');
        const signal = clientSignal(reply, stopping);
        const who = { openedBy: caller, ...ownerOf({ caller }) };
        return openTimed(deps, reply, { path, options, picked: true, ...who, use, signal, ttlSeconds });
      });
      return untilStopped(stopping, opened);
    },
  );
}

function deleteUpload(app: App, { uploads }: AppDependencies): void {
  app.delete(
    URL,
    operation({
      ...PARTS,
      id: 'deleteUpload',
      summary: 'Delete an upload',
      description: 'A session that uses it keeps its files until the session ends.',
      params: UploadParams,
      ok: UploadDeleted,
      errors: ['upload_not_found', 'payload_too_large', 'unsupported_media_type'],
    }),
    async ({ params: { uploadId } }) => {
      uploads.delete(uploadId);
      return { ok: true as const, uploadId, deleted: true as const };
    },
  );
}

/** Without a type and a body there is nothing to parse: the file is empty. */
function toBody({ body }: FastifyRequest): AsyncIterable<Uint8Array> {
  return (body as AsyncIterable<Uint8Array> | undefined) ?? noBody();
}

async function* noBody(): AsyncGenerator<Uint8Array> {}

function announced({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Runs `work`. A client that leaves in the middle is not an error of the server. */
async function receiving<T>({ raw }: FastifyRequest, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AcqError || raw.complete) throw error;
    throw new AcqError('malformed_request', 'The file did not arrive completely. Send it again.', { cause: error });
  }
}
