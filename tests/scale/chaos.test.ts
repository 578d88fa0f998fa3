/** Instances and the store of their sessions end and come back while people work: nobody gets wrong bytes, nobody loses a session. */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BalancerName, Deployment, missingProgram } from '../support/deployment.js';
import { Refused, samplesOf, User, writeScans } from '../support/deployment-user.js';
import { tempFolder } from '../support/temp.js';

const base = tempFolder();
const missing = missingProgram('redis-server', 'haproxy', 'nginx', 'openssl');
if (missing) console.warn(`NO CHAOS: ${missing} is not installed; instances were not killed`);

const [USERS, KEPT, FILES] = [5, 60, 12];
/** Instances connect again within this time after the store is back. */
const BACK_MS = 1500;
const REPEATED = 'end: 404 session_not_found';
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const HASHES = Array.from({ length: FILES }, (_, index) => hash(samplesOf(index)));

interface Tally {
  rounds: number;
  wrongBytes: number;
  /** Answers that are errors, by status and code, and connections that broke. */
  errors: Map<string, number>;
  /** Times of `session_store_unavailable`, on the clock of `performance`. */
  withoutStore: number[];
}

/** Opens, looks, reads, renews and ends, until `isOver`. */
async function work(url: string, files: readonly string[], tally: Tally, isOver: () => boolean): Promise<void> {
  const user = new User(url);
  let step = '';
  const now = <Result>(name: string, work: Promise<Result>): Promise<Result> => {
    step = name;
    return work;
  };
  while (!isOver()) {
    const index = Math.floor(Math.random() * files.length);
    try {
      const { sessionId } = await now('open', user.open(files[index]!));
      await now('look', user.json('GET', `/sessions/${sessionId}`));
      for (let reads = 0; reads < 3; reads++) {
        const { status, bytes } = await now('read', user.plane(sessionId));
        if (status !== 200) throw new Refused(status, codeOf(bytes), 'plane');
        if (hash(bytes) !== HASHES[index]) tally.wrongBytes++;
      }
      await now('renew', user.json('POST', `/sessions/${sessionId}/renew`, {}));
      await now('end', user.json('DELETE', `/sessions/${sessionId}`));
      tally.rounds++;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code === 'session_store_unavailable') {
        tally.withoutStore.push(performance.now());
        await pause(100);
      } else {
        const what = `${step}: ${error.status} ${error.code}`;
        tally.errors.set(what, (tally.errors.get(what) ?? 0) + 1);
      }
    }
    await pause(10);
  }
  user.close();
}

const codeOf = (bytes: Buffer) => /"error":"(\w+)"/.exec(bytes.toString())?.[1] ?? 'no code';

describe.skipIf(missing).each<BalancerName>(['haproxy', 'nginx'])('behind %s', (balancer) => {
  const root = join(base, balancer);
  let deployment: Deployment;
  let keeper: User;
  beforeAll(async () => {
    mkdirSync(root);
    deployment = await Deployment.start({ balancer, root, args: ['--drain-seconds', '2'] });
    keeper = new User(deployment.url);
  });
  afterAll(async () => {
    keeper?.close();
    await deployment?.close();
  });

  /** Kills one instance, restarts the other, and kills the store. Returns when the store was away. */
  async function disturb(): Promise<{ from: number; to: number }> {
    const [one, two] = deployment.instances;
    await pause(1500);
    await one.stop('SIGKILL');
    await pause(1500);
    await one.start();
    // Longer than nginx avoids an instance that has failed (fail_timeout).
    await pause(2500);
    await two.stop('SIGTERM');
    await two.start();
    await pause(1500);
    const from = performance.now();
    await deployment.store.kill();
    await pause(1000);
    await deployment.store.start();
    const to = performance.now();
    await pause(3000);
    return { from, to };
  }

  it('keeps every session and every byte while an instance is killed, one is restarted, and the store is away', async () => {
    const files = writeScans(root, FILES);
    const kept: { sessionId: string; index: number }[] = [];
    for (let at = 0; at < KEPT; at++) {
      const index = at % FILES;
      kept.push({ sessionId: (await keeper.open(files[index]!)).sessionId, index });
    }
    const tally: Tally = { rounds: 0, wrongBytes: 0, errors: new Map(), withoutStore: [] };
    let over = false;
    const working = Array.from({ length: USERS }, () => work(deployment.url, files, tally, () => over));
    const away = await disturb();
    over = true;
    await Promise.all(working);

    const lost: string[] = [];
    for (const { sessionId, index } of kept) {
      const { status, bytes } = await keeper.plane(sessionId);
      if (status !== 200) lost.push(`${status} ${codeOf(bytes)}`);
      else if (hash(bytes) !== HASHES[index]) tally.wrongBytes++;
    }
    const errors = Object.fromEntries(tally.errors);
    const { rounds, withoutStore } = tally;
    console.info(`${balancer}: ${rounds} rounds, ${withoutStore.length} times without the store, errors:`, errors);
    expect(tally.wrongBytes).toBe(0);
    expect(lost).toEqual([]);
    // A DELETE is sent again when an instance ended after it had deleted the session, before it answered.
    const { [REPEATED]: repeated = 0, ...others } = errors;
    expect(others).toEqual({});
    expect(repeated).toBeLessThanOrEqual(2 * USERS);
    expect(rounds).toBeGreaterThan(100);
    expect(withoutStore.length).toBeGreaterThan(0);
    for (const time of withoutStore) expect(time).toSatisfy(() => time > away.from && time < away.to + BACK_MS);
  });
});
