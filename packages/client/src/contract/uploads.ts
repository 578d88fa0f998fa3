/** Files that a client sends, for a server that cannot read them by path. */
import { type Static, Type } from 'typebox';
import { ApiVersion, closed, Ok } from './common.js';

const UploadId = Type.String({ description: 'The id from the answer to `POST /api/v2/uploads`.' });
const Name = Type.String({
  minLength: 1,
  description: 'Name of the file, or of the folder of files, that is to be opened; without a path.',
});

export const UploadRequest = Type.Object(
  {
    name: Name,
    size: Type.Integer({ minimum: 0, description: 'Bytes of all files of the upload together.' }),
  },
  { ...closed, title: 'UploadRequest', description: 'What is going to be sent.' },
);
export type UploadRequest = Static<typeof UploadRequest>;

export const Upload = Type.Object(
  {
    ok: Ok,
    apiVersion: ApiVersion,
    uploadId: UploadId,
    maxBytes: Type.Integer({ minimum: 0, description: 'Max bytes of all files together: `size` of the request.' }),
    expiresInSeconds: Type.Number({
      exclusiveMinimum: 0,
      description: 'The upload is deleted this long after the last byte has arrived, unless a session uses it.',
    }),
  },
  { ...closed, title: 'Upload', description: 'There is room for the files. Send each of them.' },
);
export type Upload = Static<typeof Upload>;

export const UploadedFile = Type.Object(
  {
    ok: Ok,
    uploadId: UploadId,
    receivedBytes: Type.Integer({ minimum: 0, description: 'Bytes of all files that have arrived completely.' }),
  },
  { ...closed, title: 'UploadedFile', description: 'The file has arrived.' },
);
export type UploadedFile = Static<typeof UploadedFile>;

export const UploadDeleted = Type.Object(
  { ok: Ok, uploadId: UploadId, deleted: Type.Literal(true, { description: 'The upload no longer exists.' }) },
  { ...closed, title: 'UploadDeleted', description: 'The upload has ended.' },
);

export const UploadParams = Type.Object({ uploadId: UploadId });

const Key = Type.String({
  description:
    'Path of the file below the upload: the name of the upload, or a file beside or below it, such as ' +
    '`scan.oif.files/s_C001.tif`. No part may be `..`, have more than 255 bytes, or start with a drive; the path has at most 1,024 bytes.',
});

export const UploadFileParams = Type.Object({ ...UploadParams.properties, key: Key });

/** The same as the framework names it. */
export const UploadFileRouteParams = Type.Object({ ...UploadParams.properties, '*': Key });
