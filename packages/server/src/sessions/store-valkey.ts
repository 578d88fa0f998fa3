/**
 * Sessions in Valkey or Redis, for several instances. All keys have one hash tag, so that scripts may touch several of them
 * on a cluster too. The number in them is the version of the record: sessions of another shape are not found, and clients
 * open their files again.
 */
import { createHash } from 'node:crypto';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import type { Fingerprint } from '../platform-node/file-source.js';
import { checkCount, checkOwnCount } from './limits.js';
import type { SessionLimits, SessionStore, StoredRecord, StoredSession } from './store.js';
import { parseJson } from './stored-record.js';
import type { Script, ValkeyClient } from './valkey-client.js';

const PREFIX = '{acqstore}:1';
const INDEX = `${PREFIX}:i`;
/** Max bytes of the list of files of a session. */
const MAX_BYTES = 4 * 2 ** 20;
/** In the place of the digest of an owner. */
const NOBODY = '-';

/** The record follows the digest of its owner: with it, a script finds the set of the owner's sessions. */
const OWNER_OF = `local owner = string.match(value, '^[^%s]+')
local own = '${PREFIX}:o:' .. owner
local hasOwner = owner ~= '${NOBODY}'`;
const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * KEYS: record, files, index. ARGV: value, files, time to live, max, max of the owner, member. \`SET\` is the first write:
 * after one that frees memory, the server would no longer refuse at its limit.
 */
const ADMIT = toScript(`local value = ARGV[1]
${OWNER_OF}
${NOW}
local from = string.format('%.0f', now)
if redis.call('ZCOUNT', KEYS[3], from, '+inf') >= tonumber(ARGV[4]) then return 'total' end
if hasOwner and redis.call('ZCOUNT', own, from, '+inf') >= tonumber(ARGV[5]) then return 'owner' end
if not redis.call('SET', KEYS[1], value, 'PX', ARGV[3], 'NX') then return 'taken' end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
local expiry = string.format('%.0f', now + tonumber(ARGV[3]))
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', '(' .. from)
redis.call('ZADD', KEYS[3], expiry, ARGV[6])
if hasOwner then
  redis.call('ZREMRANGEBYSCORE', own, '-inf', '(' .. from)
  redis.call('ZADD', own, expiry, ARGV[6])
end
return 'added'`);

/** Answer for a key that somebody else has given another type: nothing that a session can be read from. */
const NO_TEXT = 'no text';
const READ_VALUE = `local value = redis.pcall('GET', KEYS[1])
if type(value) == 'table' then
  if value.err and string.find(value.err, 'WRONGTYPE', 1, true) then return '${NO_TEXT}' end
  return value
end`;

/** KEYS: record, or files. */
const READ = toScript(`${READ_VALUE}
if not value then return false end
return {value, redis.call('PTTL', KEYS[1])}`);

/** KEYS: record, files, index. ARGV: time to live, member. */
const RENEW = toScript(`${READ_VALUE}
if not value then return false end
${OWNER_OF}
${NOW}
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
local expiry = string.format('%.0f', now + tonumber(ARGV[1]))
redis.call('ZADD', KEYS[3], 'XX', expiry, ARGV[2])
if hasOwner then redis.call('ZADD', own, 'XX', expiry, ARGV[2]) end
return {value, tonumber(ARGV[1])}`);

/** KEYS: record, files, index. ARGV: member. */
const REMOVE = toScript(`${READ_VALUE}
if not value then return 0 end
${OWNER_OF}
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
if hasOwner then redis.call('ZREM', own, ARGV[1]) end
return 1`);

export class ValkeyStore implements SessionStore {
  private readonly client: ValkeyClient;

  /** @param client owned by the store, which closes it */
  constructor(client: ValkeyClient) {
    this.client = client;
  }

  async add(record: StoredRecord, files: readonly Fingerprint[], limits: SessionLimits): Promise<void> {
    const { member, keys } = keysOf(record.id);
    const { ttlMs, total, perOwner } = limits;
    const list = JSON.stringify(files);
    if (list.length > MAX_BYTES) throw tooManyFiles(files.length);
    const owner = record.owner === undefined ? NOBODY : sha256(record.owner);
    // The id is not stored: who reads the store cannot read planes.
    const { id: _id, ...facts } = record;
    const args = [`${owner} ${JSON.stringify(facts)}`, list, wholeMs(ttlMs), total, finite(perOwner), member];
    const answer = await this.client.run(ADMIT, keys, args);
    if (answer === 'total') checkCount(total, { maxSessions: total });
    if (answer === 'owner') checkOwnCount(perOwner, { maxSessionsPerOwner: perOwner });
    if (answer !== 'added') throw new Error(`the session store answered ${String(answer)}`);
  }

  async find(id: string): Promise<StoredSession | undefined> {
    const { keys } = keysOf(id);
    return toStored(id, await this.client.run(READ, [keys[0]!], []));
  }

  async files(id: string): Promise<unknown> {
    const answer = await this.client.run(READ, [keysOf(id).keys[1]!], []);
    if (answer === NO_TEXT) return null;
    return Array.isArray(answer) ? (parseJson(String(answer[0])) ?? null) : undefined;
  }

  async renew(id: string, ttlMs: number): Promise<StoredSession | undefined> {
    const { member, keys } = keysOf(id);
    return toStored(id, await this.client.run(RENEW, keys, [wholeMs(ttlMs), member]));
  }

  async remove(id: string): Promise<boolean> {
    const { member, keys } = keysOf(id);
    return (await this.client.run(REMOVE, keys, [member])) === 1;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function keysOf(id: string): { member: string; keys: string[] } {
  const member = sha256(id);
  return { member, keys: [`${PREFIX}:s:${member}`, `${PREFIX}:f:${member}`, INDEX] };
}

function toStored(id: string, answer: unknown): StoredSession | undefined {
  if (answer === NO_TEXT) return { record: undefined, remainingMs: 0 };
  if (!Array.isArray(answer)) return undefined;
  const [value, remainingMs] = answer as [string, number];
  const facts = parseJson(value.slice(value.indexOf(' ') + 1));
  const record = typeof facts === 'object' && facts !== null ? { ...facts, id } : undefined;
  return { record, remainingMs: Number(remainingMs) };
}

function toScript(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function wholeMs(ms: number): number {
  return Math.max(1, Math.round(ms));
}

function finite(count: number): number {
  return Number.isFinite(count) ? count : Number.MAX_SAFE_INTEGER;
}

function tooManyFiles(count: number): AcqError {
  const message = `The acquisition has ${grouped(count)} files, more than the session store keeps for one session. Open a part of it.`;
  return new AcqError('capacity_exceeded', message);
}
