import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../src/errors.js';
import { REPOSITORY, testApp } from '../support/test-app.js';

const { ask } = await testApp();
const contract = (await ask('GET', '/openapi.json')).json();

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: ErrorSchema }>; headers: object }>;
}
interface ErrorSchema {
  properties?: { error?: { enum: ErrorCode[] } };
}

const operations = Object.entries(contract.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('/openapi.json', () => {
  it('is OpenAPI 3.1 of this version', () => {
    expect(contract.openapi).toBe('3.1.0');
    expect(contract.info.title).toBe('Acquisition Store Server');
  });

  it('has each operation under a stable name', () => {
    const names = operations.map(({ path, method, operation }) => `${method} ${path} ${operation.operationId}`);
    expect(names.sort()).toEqual([
      'delete /api/v2/sessions/{sessionId} deleteSession',
      'get /api/v2 getIndex',
      'get /api/v2/capabilities getCapabilities',
      'get /api/v2/examples listExamples',
      'get /api/v2/health getHealth',
      'get /api/v2/sessions/{sessionId} getSession',
      'get /api/v2/sessions/{sessionId}/channels/{channelIndex}/data getChannelData',
      'get /api/v2/sessions/{sessionId}/reference/channels/{channelIndex}/data getReferenceChannelData',
      'post /api/v2/open openAcquisition',
      'post /api/v2/pick-and-open pickAndOpen',
      'post /api/v2/sessions/{sessionId}/renew renewSession',
    ]);
  });

  it('lists every error code at its status, each at some operation', () => {
    const seen = new Set<ErrorCode>(['cancelled', 'not_found', 'method_not_allowed']);
    for (const { operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        for (const code of response.content?.['application/json']?.schema.properties?.error?.enum ?? []) {
          expect(ERROR_STATUS[code], `${operation.operationId} ${code}`).toBe(Number(status));
          seen.add(code);
        }
      }
    }
    expect([...seen].sort()).toEqual((Object.keys(ERROR_STATUS) as ErrorCode[]).sort());
  });

  it('says which bodies may be left out', () => {
    const required = operations
      .filter(({ operation }) => operation.requestBody)
      .map(({ operation }) => [operation.operationId, operation.requestBody?.required]);
    expect(Object.fromEntries(required)).toEqual({ openAcquisition: true, pickAndOpen: false, renewSession: false });
  });

  it.each(['getChannelData', 'getReferenceChannelData'])('%s answers bytes, whole or in part', (id) => {
    const { responses } = operations.map(({ operation }) => operation).find(({ operationId }) => operationId === id)!;
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

  it('lints clean', () => {
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
