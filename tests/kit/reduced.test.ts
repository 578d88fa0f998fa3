/** The kit on a server that lacks fields: what it still has is checked, and counts. */
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHECKS, chooseChecks, runChecks, Target, writeKitFiles } from '../../packages/conformance/src/index.js';
import { MAX_ANSWER_BYTES } from '../../packages/conformance/src/target.js';
import { type FaultyProxy, faultyProxy } from '../support/faulty-proxy.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { absent, field, json, OPEN, V1_OPEN } from './break.js';

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

/** Removes these fields from every JSON answer; `a.b` from the objects at `a`, lists included. */
function without(...paths: string[]) {
  const remove = (value: unknown, [name = '', ...rest]: string[]): void => {
    if (Array.isArray(value)) for (const item of value) remove(item, [name, ...rest]);
    else if (value !== null && typeof value === 'object') {
      const object = value as Record<string, unknown>;
      if (rest.length > 0) remove(object[name], rest);
      else delete object[name];
    }
  };
  const fault = json(/./, (body) => {
    for (const path of paths) remove(body, path.split('.'));
  });
  return {
    ...fault,
    change: (reply: Parameters<typeof fault.change>[0]) => {
      if (reply.headers['content-type']?.startsWith('application/json') && reply.body.length > 0) fault.change(reply);
    },
  };
}

async function check(api: 'v1' | 'v2') {
  const target = new Target(proxy.url, { timeoutSeconds: 30 });
  const results = await runChecks(chooseChecks({ api, additions: false }), { server: target, files });
  const failed = results.filter(({ status }) => status === 'failed');
  return { results, failed: failed.map(({ id }) => id), messages: failed.map(({ message }) => message) };
}

describe('a server without some fields', () => {
  it('fails the checks of these fields alone', async () => {
    proxy.fault = without('header.date', 'header.time', 'header.fileSize', 'plane.layout', 'channels.name', 'details');
    const { results, failed, messages } = await check('v2');
    expect(results).toHaveLength(CHECKS.filter(({ api, level }) => api === 'v2' && level === 'contract').length);
    // `details` of request_validation_failed is a rule of its own.
    expect(failed).toEqual([
      'open.response',
      'open.channels',
      'reference.fields',
      'errors.response',
      'errors.validation',
    ]);
    expect(messages[0]).toMatch(/^the open response is not as described: .*date.*time.*fileSize.*layout/);
    expect(messages[1]).toBe('`channels[0].name` of the open response is missing');
  });

  it('passes what needs only the planes, when whole objects are missing', async () => {
    proxy.fault = without('source', 'header', 'plane', 'reference', 'ok', 'apiVersion', 'message');
    const { failed, results } = await check('v2');
    const passed = results.filter(({ status }) => status === 'passed').map(({ id }) => id);
    expect(passed).toEqual(
      expect.arrayContaining([
        'open.channels',
        'open.order',
        'data.samples',
        'data.floats',
        'session.status',
        'session.ended',
      ]),
    );
    expect(failed).toContain('open.header');
    expect(failed.length).toBeLessThan(results.length / 2);
  });

  it('gets a sentence for an object or a list of another type', async () => {
    proxy.fault = field(OPEN, 'plane', 'row-major');
    expect((await check('v2')).messages).toContain('`plane` of the open response is "row-major"; expected an object');
    proxy.fault = field(OPEN, 'channels', {});
    expect((await check('v2')).messages).toContain('`channels` of the open response is {}; expected a list');
  });

  it('of v1 fails the checks of these fields alone, too', async () => {
    proxy.fault = without('calibration.unitsSource', 'source.dtype', 'reference.dx');
    expect((await check('v1')).failed).toEqual(['v1.open', 'v1.source', 'v1.reference-fields']);
  });
});

describe('a server without the API', () => {
  it.each(absent(V1_OPEN).map((fault, i) => [i, fault] as const))(
    'gets one line, in whatever way it says so (%i)',
    async (_, fault) => {
      proxy.fault = fault;
      const { results, messages } = await check('v1');
      expect(results).toHaveLength(1);
      expect(messages).toEqual([expect.stringMatching(/^No API v1 here: POST \/api\/v1\/open has status \d+, /)]);
      proxy.fault = undefined;
      expect((await check('v1')).failed).toEqual([]);
    },
  );
});

describe('a hostile server', () => {
  let hostile: Server | undefined;
  afterEach(() => {
    hostile?.closeAllConnections();
    hostile?.close();
  });
  const listen = async (answer: RequestListener, timeoutSeconds = 30) => {
    hostile = createHttpServer(answer);
    await new Promise<void>((resolve) => hostile!.listen(0, '127.0.0.1', resolve));
    return new Target(`http://127.0.0.1:${(hostile.address() as AddressInfo).port}`, { timeoutSeconds });
  };

  it.each([{}, { 'content-length': String(2 ** 40) }])(
    'that sends without end (%j) is read up to the limit',
    async (headers) => {
      let sent = 0;
      const closed = new Promise<number>((resolve) => {
        void listen((_, response) => {
          response.writeHead(200, { 'content-type': 'application/json', ...headers });
          response.on('close', () => resolve(sent));
          const more = () => {
            if (response.destroyed) return;
            sent += 2 ** 16;
            response.write(Buffer.alloc(2 ** 16, ' '), () => setImmediate(more));
          };
          more();
        }).then(async (target) => {
          await expect(target.get('/openapi.json')).rejects.toThrow(
            'GET /openapi.json is larger than 16 MiB, the limit of this command',
          );
        });
      });
      // What the buffers of both sockets hold is sent, but not read.
      expect(await closed).toBeLessThan(2 * MAX_ANSWER_BYTES);
    },
  );

  it('may send as much as the limit', async () => {
    const target = await listen((_, response) => response.end(Buffer.alloc(MAX_ANSWER_BYTES)));
    expect((await target.get('/')).body).toHaveLength(MAX_ANSWER_BYTES);
  });

  it('that sends a byte now and then is given up', async () => {
    const target = await listen((_, response) => {
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    }, 1);
    await expect(target.get('/')).rejects.toThrow('GET / has no complete response within 1 s');
  });

  it('does not lead to another server, which would receive the token', async () => {
    const asked: string[] = [];
    const target = await listen((request, response) => {
      asked.push(request.url!);
      response.end();
    });
    for (const address of ['@evil.example/', '.evil.example/', 'http://evil.example/', '', ':1/']) {
      await expect(target.get(address), address).rejects.toThrow('expected a path');
    }
    await target.get('//evil.example/');
    expect(asked).toEqual(['//evil.example/']);
  });
});
