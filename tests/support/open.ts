/** Opens acquisitions through the HTTP API of a running server. */
import { expect } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';

/** The response of an open, or its error. */
export type OpenAnswer = OpenResponse & { error?: string; message?: string };

/** Sends `POST /api/v2/open`. Returns the status and the body. */
export async function postOpen<Answer = OpenAnswer>(url: string, body: object): Promise<[status: number, Answer]> {
  const response = await fetch(`${url}/api/v2/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return [response.status, (await response.json()) as Answer];
}

/** Sends `POST /api/v2/open` and expects success. */
export async function openOk(url: string, body: object): Promise<OpenResponse> {
  const [status, answer] = await postOpen(url, body);
  expect(status, JSON.stringify(answer)).toBe(200);
  return answer;
}
