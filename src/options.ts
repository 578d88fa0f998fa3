import { totalmem, userInfo } from 'node:os';
import { parse, posix, win32 } from 'node:path';
import { type Static, Type } from 'typebox';

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

/** Returns the folder for the log and other state of this user's programs. Always absolute. */
export function defaultStateDir(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const { join } = platform === 'win32' ? win32 : posix;
  const folder = (name: string, ...below: string[]) =>
    absolute(env[name], platform) ?? join(homeFolder(env, platform), ...below);
  if (platform === 'win32') return join(folder('LOCALAPPDATA', 'AppData', 'Local'), 'acquisition-store');
  if (platform === 'darwin') {
    return join(homeFolder(env, platform), 'Library', 'Application Support', 'acquisition-store');
  }
  return join(folder('XDG_STATE_HOME', '.local', 'state'), 'acquisition-store');
}

/**
 * Returns the home folder of this user. Always absolute: `os.homedir()` is empty when `HOME` is, and paths below it
 * would then lie in the working directory.
 */
export function homeFolder(env: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): string {
  return absolute(env[platform === 'win32' ? 'USERPROFILE' : 'HOME'], platform) ?? registeredHome();
}

/** Returns the home folder in the system's list of users. Some containers have users without an entry. */
function registeredHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return parse(process.cwd()).root;
  }
}

/** Returns an absolute path; ignores relative values, as the XDG base directory specification requires. */
function absolute(path: string | undefined, platform: NodeJS.Platform): string | undefined {
  const { isAbsolute } = platform === 'win32' ? win32 : posix;
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
