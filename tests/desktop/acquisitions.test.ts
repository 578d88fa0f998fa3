/** What the control page learns of open sessions, and what nobody else does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SAMPLE } from '../support/cli.js';
import { Desk, send } from '../support/supervisor.js';

const ID = /[0-9a-f]{32}/;
let desk: Desk;
beforeEach(() => {
  desk = new Desk();
});
afterEach(() => desk.close());

const list = () => desk.state.open?.list ?? [];

async function openFor(origin: string): Promise<string> {
  const { url } = await desk.until('running');
  const headers = { 'content-type': 'application/json', ...(origin === '' ? {} : { origin }) };
  const reply = await send(`${url}/api/v2/open`, 'POST', headers, JSON.stringify({ path: SAMPLE }));
  return (JSON.parse(reply.body) as { sessionId: string }).sessionId;
}

describe('open acquisitions', () => {
  it('are listed for the page by numbers, with who opened them, and end with the server', async () => {
    await desk.start();
    const id = await openFor('');
    await openFor('http://localhost:5173');
    await desk.post('open', { path: SAMPLE });
    await expect.poll(() => list().map(({ openedBy }) => openedBy.kind)).toEqual(['window', 'trusted-page', 'program']);
    const [, page, program] = list();
    expect(page).toMatchObject({ openedBy: { origin: 'http://localhost:5173' }, planes: 2, canView: true });
    expect(new Set(list().map(({ number }) => number)).size).toBe(3);
    expect(desk.state.open).toMatchObject({ usedBytes: program!.bytes });
    // The log has the ids of other things.
    expect(JSON.stringify(desk.events.filter(({ kind }) => kind === 'state'))).not.toMatch(ID);

    const viewed = await desk.post('acquisitions/view', { number: program!.number });
    expect(viewed.json['viewer']).toMatch(new RegExp(`/demo/v2/\\?session=${id}$`));
    expect((await desk.post('acquisitions/end', { number: program!.number })).status).toBe(200);
    const { url } = await desk.until('running');
    expect((await fetch(`${url}/api/v2/sessions/${id}`)).status).toBe(404);
    await expect.poll(() => list().length).toBe(2);
    for (const number of [program!.number, 0, 99, '1', null, id]) {
      expect((await desk.post('acquisitions/end', { number })).json, String(number)).toMatchObject({ error: 'ended' });
    }
    expect(list().length).toBe(2);

    await desk.post('stop');
    await expect.poll(() => desk.state.open).toBeNull();
    expect((await desk.post('acquisitions/view', { number: page!.number })).status).toBe(400);
  });

  it('are nothing that a page without the token, or of another origin or host, can see or end', async () => {
    await desk.start();
    const id = await openFor('');
    await expect.poll(() => list().length).toBe(1);
    const { base, token } = desk;
    const body = JSON.stringify({ number: list()[0]!.number });
    const good = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const foreign: Record<string, string>[] = [
      { authorization: '' },
      { authorization: `Bearer ${token.slice(0, -1)}` },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: (await desk.until('running')).url },
      { host: 'evil.example' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) {
      for (const [method, path] of [
        ['GET', 'events'],
        ['POST', 'acquisitions/end'],
        ['POST', 'acquisitions/view'],
      ] as const) {
        const sent = { ...good, ...headers };
        const reply = await send(`${base}/api/${path}`, method, sent, method === 'GET' ? undefined : body);
        expect([401, 403], JSON.stringify(headers)).toContain(reply.status);
        expect(reply.body).not.toContain('vessel');
        expect(reply.body).not.toMatch(ID);
      }
    }
    for (const path of ['acquisitions', 'sessions', 'state']) {
      expect((await send(`${base}/api/${path}`, 'GET', good)).status).toBe(404);
    }
    const { url } = await desk.until('running');
    expect((await fetch(`${url}/api/v2/sessions/${id}`)).status).toBe(200);
  });
});
