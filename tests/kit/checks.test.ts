/** The checks of the conformance kit: this server passes each, and each fails on a server that breaks its rule. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECKS, runChecks, Target, writeKitFiles } from '../../packages/conformance/src/index.js';
import { type FaultyProxy, faultyProxy } from '../support/faulty-proxy.js';
import { some } from '../support/long.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { ADDITION_FAULTS } from './addition-faults.js';
import { CONTRACT_FAULTS } from './faults.js';
import { V1_FAULTS } from './v1-faults.js';

const FAULTS = { ...CONTRACT_FAULTS, ...ADDITION_FAULTS, ...V1_FAULTS };

const folder = tempFolder();
const { files } = writeKitFiles(folder);
let server: RunningServer;
let proxy: FaultyProxy;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
  proxy = await faultyProxy(server.url);
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

async function run(id: string) {
  const check = CHECKS.filter((candidate) => candidate.id === id);
  const target = new Target(proxy.url, { timeoutSeconds: 30 });
  const [result] = await runChecks(check, { server: target, files });
  return result;
}

describe('the conformance kit', () => {
  it('has checks with different ids, and at least one fault for each', () => {
    const ids = CHECKS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(FAULTS).sort()).toEqual([...ids].sort());
    for (const id of ids) expect(FAULTS[id]?.length, id).toBeGreaterThan(0);
  });

  it.each(some(CHECKS, 3).map(({ id, title }) => [id, title]))('%s: %s', async (id) => {
    proxy.fault = undefined;
    expect(await run(id)).toMatchObject({ status: 'passed', message: '' });
    for (const [i, fault] of (FAULTS[id] ?? []).entries()) {
      proxy.fault = fault;
      const result = await run(id);
      expect(result?.status, `fault ${i} of ${id}`).toBe('failed');
      expect(result?.message, `fault ${i} of ${id}`).toMatch(/\S/);
    }
  });
});
