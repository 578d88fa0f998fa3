import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { ERROR_MEANING } from '../../packages/client/src/contract/error.js';
import { ERROR_STATUS, type ErrorCode } from '../../packages/readers/src/base/errors.js';
import { REPOSITORY, testApp } from '../support/test-app.js';

const { ask } = await testApp();
const contract = (await ask('GET', '/openapi.json')).json();

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: object }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response & { $ref?: string }>;
}
interface Response {
  description: string;
  content?: Record<string, Media>;
  headers: Record<string, { $ref: string }>;
  'x-error-codes'?: ErrorCode[];
}
interface Media {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}

/** A response, also one that is documented once for all operations. */
function resolved({ $ref, ...response }: Response & { $ref?: string }): Response {
  if ($ref === undefined) return response;
  return contract.components.responses[$ref.replace('#/components/responses/', '')];
}

const operations = Object.entries(contract.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

function byId(id: string): Operation {
  return operations.map(({ operation }) => operation).find(({ operationId }) => operationId === id)!;
}

interface Schema {
  description?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

function refSchema($ref: string): Schema {
  return contract.components.schemas[$ref.replace('#/components/schemas/', '')];
}

/** Fields of a schema and of what stands inline in them, by their path. */
function fieldsOf({ properties = {}, items, anyOf = [] }: Schema): [name: string, schema: Schema][] {
  const own = Object.entries(properties).flatMap(([name, schema]): [string, Schema][] => [
    [name, schema],
    ...fieldsOf(schema).map(([inner, one]): [string, Schema] => [`${name}.${inner}`, one]),
  ]);
  return [...own, ...[...(items ? [items] : []), ...anyOf].flatMap(fieldsOf)];
}

describe('/openapi.json', () => {
  it('is OpenAPI 3.1 of this version', () => {
    expect(contract.openapi).toBe('3.1.0');
    expect(contract.info.title).toBe('Acquisition Store Server');
  });

  it('has each operation under a stable name', () => {
    const names = operations.map(({ path, method, operation }) => `${method} ${path} ${operation.operationId}`);
    expect(names.sort()).toEqual([
      'delete /api/v2/sessions/{sessionId} deleteSession',
      'delete /api/v2/uploads/{uploadId} deleteUpload',
      'get /api/v2 getIndex',
      'get /api/v2/capabilities getCapabilities',
      'get /api/v2/examples listExamples',
      'get /api/v2/folders listFolder',
      'get /api/v2/health getHealth',
      'get /api/v2/recordings describeRecording',
      'get /api/v2/sessions/{sessionId} getSession',
      'get /api/v2/sessions/{sessionId}/0.4.ome.zarr/{key} getOmeZarr04',
      'get /api/v2/sessions/{sessionId}/0.5.ome.zarr/{key} getOmeZarr05',
      'get /api/v2/sessions/{sessionId}/acquisition getAcquisition',
      'get /api/v2/sessions/{sessionId}/channels/{channelIndex}/data getChannelData',
      'get /api/v2/sessions/{sessionId}/channels/{channelIndex}/overview getOverview',
      'get /api/v2/sessions/{sessionId}/channels/{channelIndex}/statistics getStatistics',
      'get /api/v2/sessions/{sessionId}/channels/{channelIndex}/window getWindow',
      'get /api/v2/sessions/{sessionId}/coordinates getCoordinates',
      'get /api/v2/sessions/{sessionId}/events getEvents',
      'get /api/v2/sessions/{sessionId}/planes getPlaneTable',
      'get /api/v2/sessions/{sessionId}/reference/channels/{channelIndex}/data getReferenceChannelData',
      'get /api/v2/user getUser',
      'head /api/v2/sessions/{sessionId}/0.4.ome.zarr/{key} headOmeZarr04',
      'head /api/v2/sessions/{sessionId}/0.5.ome.zarr/{key} headOmeZarr05',
      'head /api/v2/sessions/{sessionId}/channels/{channelIndex}/data headChannelData',
      'head /api/v2/sessions/{sessionId}/events headEvents',
      'head /api/v2/sessions/{sessionId}/reference/channels/{channelIndex}/data headReferenceChannelData',
      'post /api/v2/locate locateFile',
      'post /api/v2/open openAcquisition',
      'post /api/v2/pick-and-open pickAndOpen',
      'post /api/v2/sessions/{sessionId}/channels/{channelIndex}/profile getProfile',
      'post /api/v2/sessions/{sessionId}/channels/{channelIndex}/traces getTraces',
      'post /api/v2/sessions/{sessionId}/renew renewSession',
      'post /api/v2/uploads createUpload',
      'post /api/v2/uploads/{uploadId}/open openUpload',
      'put /api/v2/uploads/{uploadId}/files/{key} uploadFile',
    ]);
  });

  it('lists every error code with its status and meaning, each in some operation', () => {
    const seen = new Set<ErrorCode>(['cancelled', 'not_found', 'method_not_allowed']);
    for (const { operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const { description, 'x-error-codes': codes = [] } = resolved(response);
        for (const code of codes) {
          expect(ERROR_STATUS[code], `${operation.operationId} ${code}`).toBe(Number(status));
          expect(description).toContain(`\`${code}\`: ${ERROR_MEANING[code]}`);
          seen.add(code);
        }
      }
    }
    expect([...seen].sort()).toEqual((Object.keys(ERROR_STATUS) as ErrorCode[]).sort());
  });

  it('references one error schema everywhere', () => {
    for (const { method, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue;
        const { content, headers } = resolved(response);
        const json = { schema: { $ref: '#/components/schemas/Error' } };
        if (method === 'head') expect(content).toBeUndefined();
        else expect(content?.['application/json'], `${operation.operationId} ${status}`).toMatchObject(json);
        expect(Object.keys(headers)).toContain('X-Request-Id');
      }
    }
    const { properties, required } = contract.components.schemas.Error;
    expect(required).toEqual(['ok', 'error', 'message', 'details']);
    expect(properties.error['x-extensible-enum']).toEqual(Object.keys(ERROR_STATUS));
    // A list that ends here would break clients when a code is added.
    expect(properties.error.enum).toBeUndefined();
  });

  it('describes the headers of every response', () => {
    for (const [name, { description, schema }] of Object.entries(
      contract.components.headers as Record<string, { description: string; schema: object }>,
    )) {
      expect(description, name).toMatch(/\.$/);
      expect(schema, name).toHaveProperty('type');
    }
    const { responses } = byId('getChannelData');
    expect(Object.keys(responses['206']!.headers)).toContain('Content-Range');
    expect(Object.keys(responses['416']!.headers)).toContain('Content-Range');
    expect(Object.keys(resolved(responses['503']!).headers)).toContain('Retry-After');
    expect(Object.keys(resolved(responses['401']!).headers)).toContain('WWW-Authenticate');
  });

  it('opens response objects and closes request objects', () => {
    const strict = Object.entries(contract.components.schemas as Record<string, { additionalProperties?: unknown }>)
      .filter(([, schema]) => schema.additionalProperties === false)
      .map(([name]) => name);
    expect(strict.sort()).toEqual([
      'CalibrationOverride',
      'FrameInterval',
      'Interpretation',
      'InterpretedAxes',
      'LocateRequest',
      'NoFields',
      'OpenRequest',
      'PickAndOpenRequest',
      'ProfileRequest',
      'Projection',
      'Region',
      'SectionDistance',
      'Selection',
      'StepOverride',
      'TracesRequest',
      'UploadOpenRequest',
      'UploadRequest',
    ]);
    expect(JSON.stringify(contract.components.responses)).not.toContain('additionalProperties');
    expect(contract.info.description).toContain('Ignore response fields that you do not know');
  });

  it('describes every field, parameter and schema', () => {
    const bare: string[] = [];
    for (const [name, schema] of Object.entries(contract.components.schemas as Record<string, Schema>)) {
      if (!schema.description) bare.push(name);
      for (const [field, own] of fieldsOf(schema)) {
        const { description } = '$ref' in own ? refSchema(own.$ref as string) : own;
        if (!/\S.*[.…]$/s.test(description ?? '')) bare.push(`${name}.${field}`);
      }
    }
    for (const { operation } of operations) {
      for (const { name, description } of operation.parameters ?? []) {
        if (!description) bare.push(`${operation.operationId} ${name}`);
      }
    }
    expect(bare).toEqual([]);
  });

  it('documents HEAD and Range of planes', () => {
    const head = byId('headChannelData');
    expect(Object.keys(head.responses['200']!.headers)).toContain('Content-Length');
    expect(head.responses['200']!.content).toBeUndefined();
    const names = byId('getChannelData').parameters?.map(({ name, in: place, required }) => [name, place, required]);
    expect(names).toEqual([
      ['sessionId', 'path', true],
      ['channelIndex', 'path', true],
      ['T', 'query', false],
      ['Z', 'query', false],
      ['type', 'query', false],
      ['Range', 'header', false],
      ['If-Range', 'header', false],
    ]);
    expect(contract.info.description).toContain('`GET` also answers `HEAD`');
  });

  it('has examples that its own schemas allow', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    (addFormats as unknown as (target: Ajv2020) => void)(ajv);
    ajv.addSchema(contract, 'contract');
    let count = 0;
    for (const { operation } of operations) {
      const { requestBody } = operation;
      const bodies = [requestBody, ...Object.values(operation.responses).map(resolved)];
      for (const { schema, examples = {} } of bodies.flatMap((one) => Object.values(one?.content ?? {}))) {
        const absolute = JSON.stringify(schema).replaceAll('"#/', '"contract#/');
        for (const [name, { value }] of Object.entries(examples)) {
          expect(ajv.validate(JSON.parse(absolute), value), `${name}: ${ajv.errorsText()}`).toBe(true);
          count++;
        }
      }
    }
    expect(count).toBeGreaterThan(15);
    expect(byId('openAcquisition').requestBody?.content['application/json']?.examples).toHaveProperty('whole');
  });

  it('says which bodies are optional', () => {
    const required = operations
      .filter(({ operation }) => operation.requestBody)
      .map(({ operation }) => [operation.operationId, operation.requestBody?.required]);
    expect(Object.fromEntries(required)).toEqual({
      getProfile: true,
      createUpload: true,
      getTraces: true,
      locateFile: true,
      openAcquisition: true,
      openUpload: false,
      pickAndOpen: false,
      renewSession: false,
      uploadFile: false,
    });
  });

  it.each(['getChannelData', 'getReferenceChannelData'])('documents full and partial bytes for %s', (id) => {
    const { responses } = byId(id);
    for (const status of ['200', '206']) {
      expect(responses[status]?.content).toEqual({
        'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
      });
    }
    expect(Object.keys(responses)).toContain('416');
  });

  it('documents the fields of the contract', () => {
    const { schemas } = contract.components;
    expect(schemas.Header.required).toEqual([
      'shape',
      'dims',
      'sizes',
      'dtype',
      'numChannels',
      'physicalUnits',
      'physicalUnitsLabels',
      'date',
      'time',
      'fileSize',
      'calibration',
    ]);
    expect(schemas.OpenRequest.required).toEqual(['path']);
    expect(schemas.OpenRequest.additionalProperties).toBe(false);
    expect(schemas.Channel.required).toEqual(['index', 'name', 'byteLength', 'dataUrl']);
  });

  it('passes the linter', () => {
    const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
    const path = join(folder, 'openapi.json');
    writeFileSync(path, JSON.stringify(contract));
    const cli = resolve(REPOSITORY, 'node_modules/@redocly/cli/bin/cli.js');
    const result = spawnSync(process.execPath, [cli, 'lint', '--format=json', path], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    rmSync(folder, { recursive: true });
    const report = JSON.parse(result.stdout);
    expect(report.problems).toEqual([]);
    expect(report.totals).toMatchObject({ errors: 0, warnings: 0 });
    expect(result.status).toBe(0);
  });
});
