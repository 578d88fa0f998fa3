/** The errors of API v1 for those of the sessions, of which v2 has more. */
import { describe, expect, it } from 'vitest';
import { V1_ERROR_STATUS } from '../../packages/client/src/contract/v1.js';
import { ERROR_STATUS, type ErrorCode } from '../../packages/readers/src/base/errors.js';
import { testApp } from '../support/test-app.js';
import { expectV1Error } from '../support/v1.js';

const { ask, sessions } = await testApp();
const open = async (path: string) => {
  const response = await ask('POST', '/api/v1/open', { payload: JSON.stringify({ path }) });
  return { status: response.statusCode, json: response.json() };
};

/** Codes that v1 does not have, and what it answers. */
const TRANSLATED: Partial<Record<ErrorCode, string>> = {
  request_validation_failed: 'path_not_found',
  session_not_found: 'path_not_found',
  channel_not_found: 'path_not_found',
  reference_channel_not_found: 'path_not_found',
  source_changed: 'path_not_found',
  path_not_readable: 'decode_failed',
  companion_missing: 'decode_failed',
  picker_unavailable: 'decode_failed',
};

describe('errors of an open in v1', () => {
  it.each((Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => code !== 'cancelled'))(
    '%s has a code and a status',
    async (code) => {
      const expected = TRANSLATED[code] ?? code;
      const status = (V1_ERROR_STATUS as Record<string, number>)[expected] ?? ERROR_STATUS[code];
      expectV1Error(await open(`/${code}`), status, expected);
    },
  );

  it('a step that is not a number is calibration_unavailable, and leaves no session', async () => {
    const { open: openSession } = sessions;
    const ids: string[] = [];
    sessions.open = async (request) => {
      const opened = await openSession(request);
      ids.push(opened.sessionId);
      const [y, x] = opened.plane.axes;
      return { ...opened, plane: { ...opened.plane, axes: [{ ...y!, step: Number.NaN }, x!] } };
    };
    expectV1Error(await open('/a.tif'), 422, 'calibration_unavailable');
    sessions.open = openSession;
    expect(ids).toHaveLength(1);
    expect(() => sessions.channelOrder(ids[0]!, 'v1')).toThrow('no session');
  });

  it('an unexpected error is one, and reveals nothing', async () => {
    const answer = await open('/crash');
    expectV1Error(answer, 500, 'internal_error');
    expect(answer.json.message).not.toContain('secret');
  });
});
