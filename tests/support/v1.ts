/** Talks to API v1 of a running server. */
import { expect } from 'vitest';
import type { V1Error, V1OpenSuccess } from '../../packages/client/src/contract/v1.js';

/** Either answer: the test says which it expects. */
export type V1Answer = Omit<V1OpenSuccess, 'ok'> & Omit<V1Error, 'ok'> & { ok: boolean };

/** Sends a POST with `body` as it is, without a content type. */
export async function postV1(
  base: string,
  path: 'open' | 'pick-and-open',
  body: object | string | Uint8Array<ArrayBuffer> = '',
  headers: Record<string, string> = {},
): Promise<{ status: number; json: V1Answer; text: string; headers: Headers }> {
  const payload = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const bytes =
    payload instanceof Uint8Array
      ? (payload as Uint8Array<ArrayBuffer>)
      : new TextEncoder().encode(JSON.stringify(payload));
  const response = await fetch(`${base}/api/v1/${path}`, {
    method: 'POST',
    headers,
    // A Blob without a type sends no Content-Type.
    ...(bytes.length > 0 ? { body: new Blob([bytes]) } : {}),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, json: isJson ? JSON.parse(text) : {}, text, headers: response.headers };
}

/** Opens a file and expects success. */
export async function openV1(base: string, body: object): Promise<V1OpenSuccess> {
  const { status, json, text } = await postV1(base, 'open', body);
  expect(status, text).toBe(200);
  return json as V1OpenSuccess;
}

/** Reads a plane by its address. */
export async function planeV1(base: string, { url }: { url: string }): Promise<Float32Array> {
  const response = await fetch(base + url);
  expect(response.status).toBe(200);
  return new Float32Array(await response.arrayBuffer());
}

/** Expects the three fields of v1's errors and nothing else. */
export function expectV1Error(answer: { status: number; json: V1Answer }, status: number, code: string): void {
  expect(answer.json.error, JSON.stringify(answer.json)).toBe(code);
  expect(answer.status).toBe(status);
  expect(Object.keys(answer.json)).toEqual(['ok', 'error', 'message']);
  expect(answer.json.ok).toBe(false);
  expect(answer.json.message).toMatch(/\S/);
}
