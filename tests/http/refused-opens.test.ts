/** An open whose answer is refused leaves no session. */
import { expect, it } from 'vitest';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import { expectError, testApp } from '../support/test-app.js';

it.each(['/api/v2/open', '/api/v2/uploads/7/open'])(
  '%s takes its session back when there is no memory for the answer',
  async (address) => {
    const server = await testApp();
    const taken: string[] = [];
    const { open, takeBack } = server.sessions;
    const name = 'x'.repeat(20_000);
    Object.assign(server.sessions, {
      open: async (request: Parameters<typeof open>[0]) => {
        const opened = await open(request);
        return { ...opened, source: { ...opened.source, name } };
      },
      takeBack: (id: string) => {
        taken.push(id);
        return takeBack(id);
      },
      memory: {
        ...server.sessions.memory,
        reserve: async () => {
          throw new AcqError('capacity_exceeded', 'There is no memory.');
        },
      },
    });
    const body = address.endsWith('uploads/7/open') ? {} : { path: '/a.tif' };
    const refused = await server.ask('POST', address, { body });
    expectError(refused, 'capacity_exceeded');
    expect(taken).toEqual(['1'.padStart(32, '0')]);
    expect(server.sessions.isOpen(taken[0]!)).toBe(false);
  },
);
