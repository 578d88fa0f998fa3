import { ensure } from '../failure.js';
import type { Check } from '../types.js';

/** Statuses of servers for addresses that they do not have. */
const ABSENT = [404, 405, 501];
/** Codes for them of servers that have another API. */
const OF_ADDRESSES = ['not_found', 'method_not_allowed'];

/** The check that an API is there at all. Where it fails, the others say nothing more. */
export function presence(id: string, api: Check['api']): Check {
  return {
    id,
    api,
    level: 'contract',
    isRequired: true,
    title: `the server has API ${api}`,
    async run({ server, files }) {
      const { status, body, what } = await server.post(`/api/${api}/open`, { path: files.frame });
      const fields = parseFields(body);
      const isAbsent = ABSENT.includes(status) ? !hasCode(fields) : status < 300 && Object.keys(fields).length === 0;
      ensure(!isAbsent, `No API ${api} here: ${what} has status ${status}, and is not an answer of it`);
    },
  };
}

/** True for an error of the API, which has these statuses, too, where it does not find a file. */
function hasCode({ error }: Record<string, unknown>): boolean {
  return typeof error === 'string' && /^[a-z]+(_[a-z]+)+$/.test(error) && !OF_ADDRESSES.includes(error);
}

/** Returns the fields of a JSON object; none of another body. */
export function parseFields(body: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
