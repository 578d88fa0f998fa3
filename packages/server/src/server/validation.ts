/** Checks requests and responses strictly against the schemas of the contract, and paths by the rules of this system. */
import { isAbsolute, join } from 'node:path';
import { closed } from '@acquisition-store/client/contract/common.js';
import { FolderListQuery, FolderQuery, LocateRequest } from '@acquisition-store/client/contract/files.js';
import { OpenRequest, PickAndOpenRequest } from '@acquisition-store/client/contract/open.js';
import { RecordingQuery } from '@acquisition-store/client/contract/recordings.js';
import { invalidRequest } from '@acquisition-store/readers/base/errors.js';
import type { FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { Value } from 'typebox/value';
import { toJsonBody } from '../json-text.js';
import { hasLongList, withFirstEntries } from '../long-lists.js';
import { checkPathLength, pathLengthProblem } from '../paths/policy.js';
import { homeFolder } from '../state-folder.js';
import { calibration, likeSchema } from './calibration-input.js';
import { LENGTH_FAULT, RELATIVE_FAULT, validationFailed } from './faults.js';

/** Max faults listed for one request; a body of 64 KiB can have more. The library's own limit is 8. */
const MAX_DETAILS = 1000;

/** Uses of a schema before it is compiled, which takes as long as some ten uses. */
const MAX_INTERPRETED = 3;

/** The schemas of one app, each compiled when it is used again and again: most are of errors that never happen. */
export class SchemaChecks {
  /** Checks of what every client sends and receives. */
  private readonly likely: (() => (value: unknown) => boolean)[] = [];

  /**
   * Compiles the checks that the first client needs, and runs them on examples of what they may be given. Yields after
   * each one, which takes some milliseconds.
   */
  *warmUp(examples: readonly unknown[]): Generator<void> {
    for (const compile of this.likely) {
      const isValid = compile();
      for (const example of examples) isValid(example);
      yield;
    }
  }

  /**
   * Returns the check of a request. Bodies are not converted; parts of the address are text and become integers where
   * the schema has integers. A missing body is `{}` where all its fields are optional.
   */
  request({ schema, httpPart = 'body' }: { schema: TSchema; httpPart?: string }) {
    Settings.Set({ maxErrors: MAX_DETAILS });
    const isValid = this.onUse(schema, true);
    const fields = schema as { required?: string[]; properties?: Record<string, { type?: string }> };
    const noBody = fields.required?.length ? undefined : {};
    return (received: unknown) => {
      const value = httpPart === 'body' ? (received ?? noBody) : withIntegers(received, fields.properties ?? {});
      if (isValid(value)) return { value };
      return { error: validationFailed(Value.Errors(schema, value), value, schema, httpPart) };
    };
  }

  /**
   * Returns the check of a response. One that does not match its schema is a bug of the server and is not sent. Of long
   * lists the first entries are checked.
   */
  response(route: { schema: TSchema; method: string; url: string; httpStatus?: string }) {
    const { schema, method, url, httpStatus } = route;
    const isValid = this.onUse(schema, httpStatus === '200');
    return (value: unknown) => {
      const isLong = hasLongList(value);
      const checked = isLong ? withFirstEntries(value) : value;
      // The framework sends a stream like a text.
      if (isValid(checked)) return isLong ? (toJsonBody(value) as string) : JSON.stringify(value);
      const faults = Value.Errors(schema, checked).map((error) => `${error.instancePath || '/'} ${error.message}`);
      throw new Error(`response of ${method} ${url} does not match its schema: ${faults.join('; ')}`);
    };
  }

  private onUse(schema: TSchema, isLikely: boolean): (value: unknown) => boolean {
    let uses = 0;
    let compiled: ((value: unknown) => boolean) | undefined;
    const compile = () => {
      if (compiled) return compiled;
      const check = Compile(schema);
      compiled = (value) => check.Check(value);
      return compiled;
    };
    if (isLikely) this.likely.push(compile);
    return (value) => (compiled || ++uses > MAX_INTERPRETED ? compile()(value) : Value.Check(schema, value));
  }
}

function withIntegers(received: unknown, properties: Record<string, { type?: string }>): unknown {
  const out: Record<string, unknown> = { ...(received as Record<string, unknown>) };
  for (const [name, { type }] of Object.entries(properties)) {
    const text = out[name];
    if (type === 'integer' && typeof text === 'string' && /^-?\d{1,15}$/.test(text)) out[name] = Number(text);
  }
  return out;
}

/** Adds the rules for paths on this system. The message of each is the `type` of its fault. */
function usable<S extends TSchema>(path: S) {
  const withoutNul = Type.Refine(
    path,
    (value) => !String(value).includes('\0'),
    () => 'path_nul',
  );
  const absolute = Type.Refine(
    withoutNul,
    (value) => value === '' || isAbsolute(String(value)) || /^~[/\\]/.test(String(value)),
    () => RELATIVE_FAULT,
  );
  return Type.Refine(
    absolute,
    (value) => pathLengthProblem(String(value), process.platform) === undefined,
    () => LENGTH_FAULT,
  );
}

/** `OpenRequest` with the rules for paths on this system, so that one check finds all faults of a body. */
export const OpenBody = Type.Object(
  { ...OpenRequest.properties, path: usable(OpenRequest.properties.path), calibration },
  likeSchema(OpenRequest),
);

/** `PickAndOpenRequest` with the same rules for steps. */
export const PickAndOpenBody = Type.Object(
  { ...PickAndOpenRequest.properties, calibration },
  likeSchema(PickAndOpenRequest),
);

/** `FolderListQuery` with the rules for paths. */
export const FolderPath = Type.Object(
  { ...FolderListQuery.properties, path: Type.Optional(usable(FolderQuery.properties.path)) },
  closed,
);

/** `RecordingQuery` with the rules for paths. */
export const RecordingPath = Type.Object(
  { ...RecordingQuery.properties, path: usable(RecordingQuery.properties.path) },
  likeSchema(RecordingQuery),
);

const FileName = Type.Refine(
  LocateRequest.properties.name,
  (name) => !/[/\\\0]/.test(name) && name !== '.' && name !== '..',
  () => 'file_name',
);

/** `LocateRequest` for a name without a folder. */
export const LocateBody = Type.Object({ ...LocateRequest.properties, name: FileName }, likeSchema(LocateRequest));

/** Replaces `~/`. The result is absolute, because the schemas have checked the path. */
export function expandHome(path: string): string {
  checkPathLength(path, process.platform);
  return /^~[/\\]/.test(path) ? join(homeFolder(), path.slice(2)) : path;
}

const { path: _path, ...withoutPath } = OpenBody.properties;

/** `OpenRequest` without the path, for an upload. */
export const UploadOpenBody = Type.Object(withoutPath, {
  ...closed,
  title: 'UploadOpenRequest',
  description: 'Which part of the upload to open.',
});

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Parses UTF-8 JSON; an empty body is `undefined`. Bytes that are not UTF-8 are refused, not replaced. */
export async function parseJsonBody(_request: FastifyRequest, body: Buffer): Promise<unknown> {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(UTF8.decode(body));
  } catch {
    throw invalidRequest(['body'], 'The body is not valid JSON', 'json_invalid');
  }
}
