/** Named tokens of a file, of which the file has only the hashes. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import type { FastifyBaseLogger } from 'fastify';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Identity } from '../caller.js';

/** Bytes of a file: some ten thousand lines. */
const MAX_FILE_BYTES = 4 * 2 ** 20;
/** How long a file is used before it is looked at again. */
const RECHECK_MS = 1_000;
/** Others must not read the file, and only its owner may write it. Secrets of systemd and Kubernetes belong to a group. */
const FORBIDDEN_MODE = 0o027;
/** Makes a token easy to recognize where it does not belong, for programs that look for secrets. */
const PREFIX = 'acqs_';

/** One line of the file. */
const TokenLine = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9._@-]{1,64}$' }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    roots: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 1_000 })),
    expires: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}(T[\\d:.]+(Z|[+-]\\d{2}:\\d{2}))?$' })),
  },
  { additionalProperties: false },
);
export type TokenLine = Static<typeof TokenLine>;

interface NamedToken {
  hash: Buffer;
  /** Milliseconds since 1970. */
  expires: number;
  identity: Identity;
}

/** Creates a token, and the line that lets it in. */
export function createToken(line: Omit<TokenLine, 'sha256'>): { token: string; line: TokenLine } {
  const token = PREFIX + randomBytes(32).toString('base64url');
  const { name, ...rest } = line;
  return { token, line: checkLine({ name, sha256: hashOf(token).toString('hex'), ...rest }) };
}

/** Reads the file again when it has changed. */
export class TokensFile {
  readonly #path: string;
  readonly #logger: FastifyBaseLogger | undefined;
  #tokens: readonly NamedToken[] = [];
  /** Identifies the state of the file that `#tokens` is from. */
  #state = '';
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<void> | undefined;

  constructor(path: string, logger?: FastifyBaseLogger) {
    this.#path = path;
    this.#logger = logger;
  }

  /** @throws AcqError `request_validation_failed` that names the line */
  async load(): Promise<void> {
    const state = await this.#readState().catch((error: NodeJS.ErrnoException) => {
      throw this.#problem(`cannot be read (${error.code})`);
    });
    if (state === this.#state) return;
    this.#tokens = await this.#read();
    this.#state = state;
  }

  /** Returns the user of a token, why it is refused, or nothing for one that the file does not have. */
  async identify(token: string): Promise<Identity | undefined> {
    await this.#refresh();
    const hash = hashOf(token);
    let match: NamedToken | undefined;
    // Compare all of them, each in constant time: the time must not tell which one is nearly right.
    for (const known of this.#tokens) if (timingSafeEqual(known.hash, hash)) match = known;
    if (match && match.expires <= Date.now())
      return { problem: 'The token has expired. Ask the operator for a new one.' };
    return match?.identity;
  }

  #refresh(): Promise<void> {
    if (performance.now() - this.#checkedAt < RECHECK_MS) return Promise.resolve();
    this.#checking ??= this.#tryLoad().finally(() => {
      this.#checkedAt = performance.now();
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** A file that is being edited may be invalid for a moment: its former tokens go on. One that is missing has none. */
  async #tryLoad(): Promise<void> {
    try {
      await this.load();
    } catch (error) {
      if (!(await isThere(this.#path))) {
        this.#tokens = [];
        this.#state = '';
      }
      this.#logger?.error(`${(error as Error).message}. ${this.#tokens.length} tokens are accepted.`);
    }
  }

  async #readState(): Promise<string> {
    const { ino, size, mtimeNs, mode } = await stat(this.#path, { bigint: true });
    return [ino, size, mtimeNs, mode].join();
  }

  async #read(): Promise<NamedToken[]> {
    const file = await open(this.#path, 'r');
    try {
      await this.#check(file);
      const lines = (await file.readFile('utf8')).split('\n');
      return lines.flatMap((text, i) => (/^\s*(#|$)/.test(text) ? [] : [this.#parse(text, i + 1)]));
    } finally {
      await file.close();
    }
  }

  async #check(file: FileHandle): Promise<void> {
    const { mode, size } = await file.stat();
    if (size > MAX_FILE_BYTES)
      throw this.#problem(`has ${grouped(size)} bytes; the limit is ${grouped(MAX_FILE_BYTES)}`);
    // Windows has no such modes.
    if (process.platform === 'win32' || (mode & FORBIDDEN_MODE) === 0) return;
    throw this.#problem(
      `others can read or change it (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${this.#path}`,
    );
  }

  #parse(text: string, number: number): NamedToken {
    try {
      const { name, sha256, roots, expires } = checkLine(JSON.parse(text));
      const user = { owner: `token:${name}`, name, ...(roots ? { folders: roots } : {}), isLogin: false };
      return { hash: Buffer.from(sha256, 'hex'), expires: toTime(expires), identity: { user } };
    } catch (error) {
      throw this.#problem(`line ${number}: ${error instanceof AcqError ? error.message : 'is not a JSON object'}`);
    }
  }

  #problem(text: string): AcqError {
    return new AcqError('request_validation_failed', `--tokens-file ${this.#path}: ${text}`);
  }
}

/** @throws AcqError `request_validation_failed` */
function checkLine(value: unknown): TokenLine {
  const [error] = Value.Errors(TokenLine, value);
  if (error) {
    const field = error.instancePath.slice(1);
    throw invalidLine(field === '' ? error.message : `"${field}" ${RULES[field] ?? error.message}`);
  }
  const line = value as TokenLine;
  if (!(line.roots ?? []).every((folder) => isAbsolute(folder))) throw invalidLine(`"roots" ${RULES['roots']}`);
  if (Number.isNaN(toTime(line.expires))) throw invalidLine(`"expires" ${RULES['expires']}`);
  return line;
}

const RULES: Record<string, string> = {
  name: 'must have 1 to 64 letters, digits and . _ @ -',
  sha256: 'must be the SHA-256 of the token, 64 hexadecimal digits',
  roots: 'must be absolute paths of folders',
  expires: 'must be a date, for example 2027-01-01 or 2027-01-01T12:00:00Z',
};

function invalidLine(message: string): AcqError {
  return new AcqError('request_validation_failed', message);
}

/** Returns milliseconds since 1970; a date alone begins at midnight, UTC. */
function toTime(expires: string | undefined): number {
  return expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires);
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
