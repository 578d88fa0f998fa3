import { totalmem } from 'node:os';
import { type Static, Type } from 'typebox';
import { defaultStateDir } from './state-folder.js';

const closed = { additionalProperties: false } as const;

/** Settings of a server, for `createServer` and from the command line, a settings file and the environment. */
export const ServerOptions = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      description: 'Address to bind. One that other computers can reach requires a token and a root.',
    }),
    port: Type.Integer({ minimum: 0, maximum: 65_535, description: 'Port to bind; 0 for any free port.' }),
    token: Type.String({ pattern: '^[\\x21-\\x7e]*$', description: 'Bearer token; empty for none.' }),
    roots: Type.Array(Type.String({ minLength: 1 }), {
      description: 'Real folders that `POST /open` is confined to; empty for any folder.',
    }),
    allowOrigins: Type.Array(Type.String({ pattern: '^https?://[^/\\s]+$' }), {
      description: 'Additional origins: exact, or `https://*.lab.example`.',
    }),
    allowHosts: Type.Array(Type.String({ pattern: '^[^\\s/:]+$' }), {
      description: 'Additional `Host` names, without a port.',
    }),
    allowFilePages: Type.Boolean({ description: 'Lets pages with `Origin: null` open files by path.' }),
    allowExtensions: Type.Array(Type.String({ pattern: '^\\.[^\\s/\\\\]+$' }), {
      description: 'Extensions that can be opened, each with its dot; empty for all supported ones.',
    }),
    sessionTtlSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000 }),
    maxSessionTtlSeconds: Type.Number({
      minimum: 1,
      maximum: 31_536_000,
      description: 'Longest life that a request can give a session; at least that of all sessions.',
    }),
    maxSessions: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    memoryBudgetBytes: Type.Integer({ minimum: 1, description: 'Bytes of planes held in memory.' }),
    maxPlaneBytes: Type.Integer({ minimum: 4, description: 'Bytes of one float32 plane.' }),
    openTimeoutSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }),
    pickerTimeoutSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }),
    decodeWorkers: Type.Integer({ minimum: 0, maximum: 256, description: 'Decode workers; 0 for one per core.' }),
    decodeQueue: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'Max opens that wait for a worker; further ones get `capacity_exceeded`.',
    }),
    uploadBudgetBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Bytes of files that pages may send; 0 for none. 8 GB when omitted, and 0 where others can reach the server.',
      }),
    ),
    stateDir: Type.String({
      minLength: 1,
      description: "Folder for the log, the instance file, uploads and the picker's last folder.",
    }),
  },
  closed,
);
export type ServerOptions = Static<typeof ServerOptions>;

/** Returns the default settings. */
export function defaultOptions(env: NodeJS.ProcessEnv = process.env): ServerOptions {
  return {
    host: '127.0.0.1',
    port: 8767,
    token: '',
    roots: [],
    allowOrigins: [],
    allowHosts: [],
    allowFilePages: false,
    allowExtensions: [],
    sessionTtlSeconds: 600,
    maxSessionTtlSeconds: 86_400,
    maxSessions: 256,
    memoryBudgetBytes: Math.floor(totalmem() / 4),
    maxPlaneBytes: 2 * 2 ** 30,
    openTimeoutSeconds: 120,
    pickerTimeoutSeconds: 600,
    decodeWorkers: 0,
    decodeQueue: 64,
    stateDir: defaultStateDir(env, process.platform),
  };
}
