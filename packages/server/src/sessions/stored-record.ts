/** Checks what another instance, or whoever else can write to the session store, says about a session. */

import { toOpenResponse } from '@acquisition-store/client/answers/describe.js';
import { closed } from '@acquisition-store/client/contract/common.js';
import { OpenResponse, ProjectionMethod } from '@acquisition-store/client/contract/open.js';
import { LIMITS } from '@acquisition-store/readers/base/limits.js';
import { SAMPLE_ARRAYS, type SampleType } from '@acquisition-store/readers/model/samples/types.js';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Fingerprint } from '../platform-node/file-source.js';
import type { StoredRecord } from './store.js';

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Index = Type.Integer({ minimum: 0, maximum: LIMITS.planes });
const Path = Type.String({ minLength: 1, maxLength: LIMITS.pathUnitsWindows });
const Text = Type.String({ maxLength: 4_096 });
const Time = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const PlaneSet = Type.Object(
  {
    rows: Type.Integer({ minimum: 1, maximum: LIMITS.planeSide }),
    columns: Type.Integer({ minimum: 1, maximum: LIMITS.planeSide }),
    // Records of earlier versions do not have it.
    sampleType: Type.Optional(Type.Enum(Object.keys(SAMPLE_ARRAYS))),
    planeBytes: Count,
    channelIndices: Type.Array(Type.Integer({ minimum: 0, maximum: LIMITS.channels }), { maxItems: LIMITS.channels }),
  },
  closed,
);

const Facts = Type.Object(
  {
    id: Type.String(),
    api: Type.Enum(['v1', 'v2']),
    path: Path,
    head: Type.Optional(Text),
    isUpload: Type.Optional(Type.Boolean()),
    madeBy: Text,
    scene: Type.Integer({ minimum: 0, maximum: LIMITS.scenes }),
    t: Index,
    z: Index,
    planes: PlaneSet,
    projection: Type.Optional(
      Type.Object({ along: Type.Enum(['T', 'Z']), method: ProjectionMethod, size: Index }, closed),
    ),
    reference: Type.Union([PlaneSet, Type.Null()]),
    revision: Text,
    isDecoded: Type.Boolean(),
    description: Type.Object({}),
    openedBy: Type.Object(
      { kind: Type.Enum(['program', 'own-page', 'trusted-page', 'file-page']), origin: Type.Optional(Type.String()) },
      closed,
    ),
    owner: Type.Optional(Text),
    openedAt: Time,
    ttlSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000 }),
  },
  closed,
);

const Files = Type.Array(
  Type.Object(
    {
      path: Path,
      size: Count,
      mtimeNs: Type.String({ pattern: '^-?\\d{1,30}$' }),
      ino: Type.String({ pattern: '^-?\\d{1,30}$' }),
      isElsewhere: Type.Optional(Type.Boolean()),
      isAbsent: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
  { maxItems: LIMITS.files },
);

/** Returns the record of a session; nothing for anything else. */
export function parseRecord(value: unknown): StoredRecord | undefined {
  if (!Value.Check(Facts, value)) return undefined;
  const record = value as unknown as StoredRecord;
  if (![record.planes, record.reference].every((planes) => planes === null || isConsistent(planes))) return undefined;
  try {
    const { description, id, revision } = record;
    const { sourceDtype } = description.source;
    if (!Object.hasOwn(SAMPLE_ARRAYS, sourceDtype)) return undefined;
    record.planes.sampleType ??= sourceDtype as SampleType;
    // What is sent to clients must be what an open can answer.
    return Value.Check(OpenResponse, toOpenResponse(description, id, revision)) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the files of a session; nothing for anything else. */
export function parseFiles(value: unknown): Fingerprint[] | undefined {
  return Value.Check(Files, value) ? value : undefined;
}

/** Returns a JSON value; nothing for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isConsistent({ rows, columns, planeBytes }: StoredRecord['planes']): boolean {
  return planeBytes === rows * columns * Float32Array.BYTES_PER_ELEMENT;
}
