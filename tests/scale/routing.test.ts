/** The balancers that are shipped: whether they lead the requests of a session to the instance that has its planes. */
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BalancerName, Deployment, HOST, missingProgram, TOKEN } from '../support/deployment.js';
import { samplesOf, User, writeScans } from '../support/deployment-user.js';
import { tempFolder } from '../support/temp.js';

const base = tempFolder();

const OPENS = 200;
const missing = missingProgram('redis-server', 'haproxy', 'nginx', 'openssl');
if (missing) console.warn(`NO BALANCER: ${missing} is not installed; routing was not tried`);

describe.skipIf(missing).each<BalancerName>(['haproxy', 'nginx'])('%s', (balancer) => {
  const root = join(base, balancer);
  let deployment: Deployment;
  let user: User;
  beforeAll(async () => {
    mkdirSync(root);
    deployment = await Deployment.start({ balancer, root, args: ['--max-sessions', '1000'] });
    user = new User(deployment.url);
  });
  afterAll(async () => {
    user?.close();
    await deployment?.close();
  });

  /** The first 8 digits of the sessions whose planes an instance has sent. */
  const sentBy = () =>
    deployment.instances.map(({ answered }) =>
      answered.flatMap(({ url, status }) =>
        status === 200 ? (/sessions\/([0-9a-f]{8})…\/ch/.exec(url)?.[1] ?? []) : [],
      ),
    );

  it('reads the planes of a session where it was opened, and no file twice', async () => {
    const files = writeScans(root, OPENS);
    const ids: string[] = [];
    for (const file of files) ids.push((await user.open(file)).sessionId);
    // Whoever decodes a plane again now cannot.
    for (const file of files) rmSync(file);
    for (const [index, id] of ids.entries()) {
      const { status, bytes } = await user.plane(id);
      expect([index, status]).toEqual([index, 200]);
      expect(bytes.equals(samplesOf(index)), `plane ${index}`).toBe(true);
    }
    await expect.poll(() => sentBy().flat()).toHaveLength(OPENS);
    const origins = await Promise.all(deployment.instances.map((instance) => instance.planes()));
    expect(origins.reduce((sum, { cache = 0 }) => sum + cache, 0)).toBe(OPENS);
    expect(origins.map(({ again = 0 }) => again)).toEqual([0, 0]);
    const sent = sentBy();
    for (const { length } of sent) expect(length, 'share of an instance').toBeGreaterThan(OPENS / 4);
  });

  it('lets no client choose the label, and hides the ids of sessions in its log', async () => {
    const [file] = writeScans(root, 1) as [string];
    const { sessionId } = await user.open(file, { 'x-acqstore-label': 'zzzz' });
    expect(sessionId).toMatch(/^[0-9a-f]{32}$/);
    await user.plane(sessionId);
    await expect.poll(() => deployment.log).toContain(`label=${sessionId.slice(0, 4)}`);
    expect(deployment.log).not.toContain(sessionId.slice(0, 8));
  });

  it('speaks HTTP/2 with browsers, and passes on what the instances check', async () => {
    const connection = connect(deployment.url, { rejectUnauthorized: false });
    const [file] = writeScans(root, 1) as [string];
    const stream = connection.request({
      ...{ ':method': 'POST', ':path': '/api/v2/open', ':authority': HOST, authorization: `Bearer ${TOKEN}` },
      ...{ origin: `https://${HOST}`, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    });
    stream.end(JSON.stringify({ path: file }));
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    const body = (await stream.setEncoding('utf8').toArray()).join('');
    connection.close();
    expect([headers[':status'], body]).toEqual([200, expect.stringContaining('"ok":true')]);
  });

  it('passes on what the instances refuse', async () => {
    const type = { 'content-type': 'application/json' };
    const refused = [
      ['not JSON', 422, 'request_validation_failed'],
      ['{}', 422, 'request_validation_failed'],
      [JSON.stringify({ path: join(base, 'elsewhere.tif') }), 403, 'path_not_allowed'],
    ] as const;
    for (const [body, status, code] of refused) {
      const answer = await user.ask('POST', '/api/v2/open', { body, headers: type });
      expect([answer.status, JSON.parse(answer.bytes.toString()).error]).toEqual([status, code]);
    }
    const stranger = await user.ask('GET', '/api/v2/capabilities', { headers: { host: 'elsewhere.example' } });
    expect(stranger.status).toBe(403);
  });

  it('sends the parts of an upload to one instance', async () => {
    for (let turn = 0; turn < 8; turn++) {
      const { sessionId } = await user.upload(`scan-${turn}.tif`, turn);
      const { status, bytes } = await user.plane(sessionId);
      expect([turn, status, bytes.equals(samplesOf(turn))]).toEqual([turn, 200, true]);
    }
  });

  it('answers like the server when no instance does', async () => {
    const [one, two] = deployment.instances;
    await Promise.all([one.stop('SIGKILL'), two.stop('SIGKILL')]);
    const { status, headers, bytes } = await user.ask('GET', '/api/v2/capabilities');
    expect([status, headers['retry-after'], headers['content-type']]).toEqual([503, '5', 'application/json']);
    expect(JSON.parse(bytes.toString())).toMatchObject({ ok: false, error: 'capacity_exceeded', details: null });
    await Promise.all([one.start(), two.start()]);
    await expect.poll(async () => (await user.ask('GET', '/api/v2/capabilities')).status).toBe(200);
  });
});

describe.skipIf(missing)('haproxy with no instance that is ready', () => {
  it('sends requests to all of them, whose answers say why', async () => {
    const root = join(base, 'unready');
    mkdirSync(root);
    const edit = (text: string) => text.replace('uri /readyz', 'uri /not-ready');
    const deployment = await Deployment.start({ balancer: 'haproxy', root, edit });
    const user = new User(deployment.url);
    try {
      for (const name of ['one', 'two']) await expect.poll(() => deployment.log).toContain(`instances/${name} is DOWN`);
      const files = writeScans(root, 12);
      for (const [index, file] of files.entries()) {
        const { bytes } = await user.plane((await user.open(file)).sessionId);
        expect(bytes.equals(samplesOf(index))).toBe(true);
      }
      const opens = () =>
        deployment.instances.map(({ answered }) => answered.filter(({ method }) => method === 'POST').length);
      await expect.poll(() => opens().reduce((sum, count) => sum + count)).toBe(files.length);
      expect(Math.min(...opens())).toBeGreaterThan(0);
    } finally {
      user.close();
      await deployment.close();
    }
  });
});

describe.skipIf(missing)('haproxy with many many sessions of a file', () => {
  it('opens a file at one instance, for all who look at it', async () => {
    const root = join(base, 'hot');
    mkdirSync(root);
    const deployment = await Deployment.start({ balancer: 'haproxy', root });
    const user = new User(deployment.url);
    try {
      const files = writeScans(root, 24);
      const openAll = async () => {
        const labels: string[] = [];
        for (const file of files) labels.push((await user.open(file)).sessionId.slice(0, 4));
        return labels;
      };
      const labels = await openAll();
      expect(new Set(labels).size).toBeGreaterThan(files.length / 2);
      expect(await openAll()).toEqual(labels);
    } finally {
      user.close();
      await deployment.close();
    }
  });
});
