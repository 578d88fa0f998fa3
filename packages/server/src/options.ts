import { totalmem } from 'node:os';
import { type Static, Type } from 'typebox';
import { defaultStateDir } from './state-folder.js';

const closed = { additionalProperties: false } as const;

/** Who may use a server that several people share. */
const UserOptions = {
  tokensFile: Type.Optional(
    Type.String({ minLength: 1, description: 'File with the hashes of named tokens, one JSON object per line.' }),
  ),
  oidcIssuer: Type.Optional(
    Type.String({ pattern: '^https?://\\S+$', description: 'OpenID Connect issuer whose tokens are accepted.' }),
  ),
  oidcAudience: Type.Optional(Type.String({ minLength: 1, description: 'Audience that those tokens must name.' })),
  oidcJwks: Type.Optional(Type.String({ minLength: 1, description: 'https address of the keys of the issuer.' })),
  userRoots: Type.Array(Type.String({ minLength: 1 }), {
    description: 'Folders of a user of the issuer, with claims in braces: `/data/groups/{groups}`. Inside `roots`.',
  }),
  signOutUrl: Type.Optional(
    Type.String({ pattern: '^(https?://|/)[^\\s]*$', description: 'Address of the proxy where users log out.' }),
  ),
  maxSessionsPerOwner: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Max open sessions of one user.' }),
  opensPerOwner: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Max opens of one user at the same time.' }),
  memoryPerOwnerBytes: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Bytes of planes held for one user; half of the budget when omitted.' }),
  ),
  uploadPerOwnerBytes: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Bytes of the uploads of one user; half of the budget when omitted.' }),
  ),
  auditLog: Type.Optional(
    Type.String({ minLength: 1, description: 'File that gets a line of JSON per open, renewal, end and refusal.' }),
  ),
  auditLogOptional: Type.Boolean({ description: 'Opens files also while the audit log cannot be written.' }),
  trustProxies: Type.Array(Type.String({ pattern: '^[0-9a-fA-F:.]+(/\\d{1,3})?$' }), {
    description: 'Addresses or networks (CIDR) of proxies whose `X-Forwarded-For` is believed.',
  }),
};

/** Settings of a server, for `createServer` and from the command line, a settings file and the environment. */
export const ServerOptions = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      description: 'Address to bind. One that other computers can reach requires a token and a root.',
    }),
    port: Type.Integer({ minimum: 0, maximum: 65_535, description: 'Port to bind; 0 for any free port.' }),
    token: Type.String({ pattern: '^[\\x21-\\x7e]*$', description: 'Bearer token; empty for none.' }),
    ...UserOptions,
    roots: Type.Array(Type.String({ minLength: 1 }), {
      description: 'Real folders that `POST /open` is confined to; empty for any folder.',
    }),
    allowOrigins: Type.Array(Type.String({ pattern: '^https?://[\\w.*:[\\]-]+$' }), {
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
    stallTimeoutSeconds: Type.Number({
      exclusiveMinimum: 0,
      maximum: 86_400,
      description: 'Seconds for which a client may take no byte of its answer before it is disconnected.',
    }),
    decodeWorkers: Type.Integer({ minimum: 0, maximum: 256, description: 'Decode workers; 0 for one per core.' }),
    decodeQueue: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      description: 'Max opens that wait for a worker; further ones get `capacity_exceeded`.',
    }),
    coldStart: Type.Boolean({
      description: 'Does not warm up: less work at the start, and the first opens take longer.',
    }),
    sessionStore: Type.Optional(
      Type.String({
        pattern: '^(rediss?|valkeys?|file):\\S+$',
        description: 'Address of a Valkey or Redis server that keeps the sessions of several instances.',
      }),
    ),
    sessionStoreCa: Type.Optional(
      Type.String({ minLength: 1, description: 'File with the certificate authority of the session store.' }),
    ),
    sessionStoreTimeoutMs: Type.Integer({
      minimum: 10,
      maximum: 60_000,
      description: 'Milliseconds that the session store has to answer.',
    }),
    uploadBudgetBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Bytes of files that pages may send; 0 for none. 8 GB when omitted, and 0 where others can reach the server.',
      }),
    ),
    opsListen: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Address and port of probes and metrics, for example `127.0.0.1:9767`.',
      }),
    ),
    drainSeconds: Type.Number({
      minimum: 0,
      maximum: 3_600,
      description: 'Seconds that the server goes on after a signal to stop, while balancers take it out.',
    }),
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
    userRoots: [],
    maxSessionsPerOwner: 64,
    opensPerOwner: 4,
    auditLogOptional: false,
    trustProxies: [],
    roots: [],
    allowOrigins: [],
    allowHosts: [],
    allowFilePages: false,
    allowExtensions: [],
    sessionTtlSeconds: 600,
    maxSessionTtlSeconds: 86_400,
    maxSessions: 256,
    drainSeconds: 0,
    sessionStoreTimeoutMs: 500,
    memoryBudgetBytes: Math.floor(totalmem() / 4),
    maxPlaneBytes: 2 * 2 ** 30,
    openTimeoutSeconds: 120,
    pickerTimeoutSeconds: 600,
    stallTimeoutSeconds: 30,
    decodeWorkers: 0,
    decodeQueue: 64,
    coldStart: false,
    stateDir: defaultStateDir(env, process.platform),
  };
}
