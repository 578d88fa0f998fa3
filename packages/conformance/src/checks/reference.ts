import { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { channelOf } from '../context.js';
import { ensure, equal } from '../failure.js';
import { SCAN } from '../files/kit-files.js';
import { matchesContract } from '../schema.js';
import type { Check } from '../types.js';
import { readStatus } from './session.js';

const { rows, columns, samples } = SCAN.reference;

export const reference: readonly Check[] = [
  {
    id: 'reference.fields',
    api: 'v2',
    level: 'contract',
    title: 'the open response of a line scan has every field of the contract, with its reference image',
    async run(context) {
      const opened = await context.openScanAsIs();
      matchesContract(OpenResponse, opened, 'the open response');
      ensure(opened.reference !== null, '`reference` is null for a line scan with an overview image');
    },
  },
  {
    id: 'reference.response',
    api: 'v2',
    level: 'contract',
    title: '`reference` has its own plane and channels',
    async run(context) {
      const { reference: image, sessionId } = await context.openScan();
      equal(image.plane.shape, [rows, columns], '`reference.plane.shape`');
      equal(image.channels.length, 1, 'the length of `reference.channels`');
      const { byteLength, dataUrl } = channelOf(image.channels, 0);
      equal(byteLength, rows * columns * 4, '`byteLength` of the reference channel');
      equal(dataUrl, `/api/v2/sessions/${sessionId}/reference/channels/0/data`, '`dataUrl` of the reference channel');
    },
  },
  {
    id: 'reference.samples',
    api: 'v2',
    level: 'contract',
    title: 'reference planes have exactly the samples of the file',
    async run(context) {
      const { reference: image } = await context.openScan();
      await context.expectPlane(channelOf(image.channels, 0).dataUrl, samples);
    },
  },
  {
    id: 'reference.headers',
    api: 'v2',
    level: 'contract',
    title: 'reference planes are octet streams that are not stored',
    async run(context) {
      const { reference: image } = await context.openScan();
      const answer = (await context.server.get(channelOf(image.channels, 0).dataUrl)).expectStatus(200);
      equal(answer.type, 'application/octet-stream', 'the content type of a reference plane');
      equal(answer.headers['cache-control'], 'no-store', '`Cache-Control` of a reference plane');
    },
  },
  {
    id: 'reference.status',
    api: 'v2',
    level: 'contract',
    title: 'the status of a session lists its reference channels and counts their bytes',
    async run(context) {
      const { sessionId } = await context.openScan();
      const status = await readStatus(context, sessionId);
      equal(status.referenceChannelIndices, [0], '`referenceChannelIndices`');
      const planes = 2 * SCAN.lines * SCAN.pixels + rows * columns;
      equal(status.totalBytes, 4 * planes, '`totalBytes`');
    },
  },
  {
    id: 'reference.line-scan',
    api: 'v2',
    level: 'contract',
    title: 'line scans have one row for each line',
    async run(context) {
      const { plane, channels } = await context.openScan();
      equal(plane.shape, [SCAN.lines, SCAN.pixels], '`plane.shape`');
      for (const index of [0, 1]) await context.expectPlane(channelOf(channels, index).dataUrl, SCAN.channels[index]!);
    },
  },
];
