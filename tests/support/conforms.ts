import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../packages/readers/src/base/errors.js';

interface Response {
  $ref?: string;
  content?: Record<string, object>;
  headers?: Record<string, object>;
  'x-error-codes'?: ErrorCode[];
}
interface Contract {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
}

export interface Conformity {
  /** Throws when the OpenAPI document does not describe the answer to `method url`. */
  check(method: string, url: string, response: LightMyRequestResponse): void;
}

/**
 * Judges answers by the served OpenAPI document, with a validator that the server does not use. The document lets
 * clients expect further fields; the server of this version must send none that it does not describe.
 */
export function conformity(published: Contract): Conformity {
  const contract = closeObjects(published);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (target: Ajv2020) => void)(ajv);
  ajv.addFormat('binary', true);
  ajv.addSchema(contract, 'contract');
  const validators = new Map<string, ValidateFunction>();
  const templates = Object.keys(contract.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
  }));

  const validator = (pointer: string[]): ValidateFunction => {
    const ref = `contract#/${pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
    let found = validators.get(ref);
    if (!found) {
      found = ajv.compile({ $ref: encodeURI(ref) });
      validators.set(ref, found);
    }
    return found;
  };

  const checkDocumented = (method: string, path: string, response: LightMyRequestResponse) => {
    const verb = method.toLowerCase();
    const status = String(response.statusCode);
    const inline = contract.paths[path]?.[verb]?.responses[status];
    const pointer = inline?.$ref?.split('/').slice(1) ?? ['paths', path, verb, 'responses', status];
    const documented = inline?.$ref === undefined ? inline : contract.components.responses[pointer[2] as string];
    expect(documented, `${method} ${path} may answer ${status}: ${response.body.slice(0, 200)}`).toBeDefined();
    for (const name of Object.keys(documented?.headers ?? {})) {
      if (name !== 'Retry-After') expect(response.headers, `${method} ${path}`).toHaveProperty(name.toLowerCase());
    }
    const codes = documented?.['x-error-codes'];
    if (method === 'HEAD') return;
    const type = String(response.headers['content-type']).split(';')[0] as string;
    expect(Object.keys(documented?.content ?? {})).toContain(type);
    if (type !== 'application/json') return;
    const validate = validator([...pointer, 'content', type, 'schema']);
    expect(validate(response.json()), JSON.stringify(validate.errors)).toBe(true);
    if (codes) expect(codes, `${method} ${path}`).toContain(response.json().error);
  };

  return {
    check(method, url, response) {
      expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      if (response.statusCode >= 400 && method !== 'HEAD') checkEnvelope(response);
      // Dot segments are resolved before the request is made.
      const at = new URL(`http://localhost${url}`).pathname;
      const template = templates.find(({ pattern }) => pattern.test(at))?.path;
      const operation = template === undefined ? undefined : contract.paths[template]?.[method.toLowerCase()];
      if (template !== undefined && operation !== undefined) checkDocumented(method, template, response);
    },
  };
}

/** The same document with every object that lists its fields closed to others. */
function closeObjects<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closeObjects) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closeObjects(item)]));
  return ('properties' in copy ? { additionalProperties: false, ...copy } : copy) as T;
}

function checkEnvelope(response: LightMyRequestResponse): void {
  const body = response.json() as { error: ErrorCode; details: unknown };
  expect(Object.keys(body)).toEqual(['ok', 'error', 'message', 'details']);
  expect(ERROR_STATUS[body.error]).toBe(response.statusCode);
  expect(Array.isArray(body.details)).toBe(body.error === 'request_validation_failed');
}
