import { channelOf, frameSamples } from '../context.js';
import { equal } from '../failure.js';
import { FLOATS } from '../files/kit-files.js';
import type { Check } from '../types.js';

export const data: readonly Check[] = [
  {
    id: 'data.samples',
    api: 'v2',
    level: 'contract',
    title: 'planes are little-endian float32, row by row, with exactly the samples of the file',
    async run(context) {
      const { channels } = await context.openFrame();
      for (const index of [0, 1]) await context.expectPlane(channelOf(channels, index).dataUrl, frameSamples(index));
    },
  },
  {
    id: 'data.floats',
    api: 'v2',
    level: 'contract',
    title: 'float samples are served bit by bit',
    async run(context) {
      const { channels } = await context.open(context.files.floats);
      await context.expectPlane(channelOf(channels, 0).dataUrl, FLOATS.samples);
    },
  },
  {
    id: 'data.headers',
    api: 'v2',
    level: 'contract',
    title: 'planes are octet streams that are not stored',
    async run(context) {
      const { channels } = await context.openFrame();
      const answer = (await context.server.get(channelOf(channels, 0).dataUrl)).expectStatus(200);
      equal(answer.type, 'application/octet-stream', 'the content type of a plane');
      equal(answer.headers['cache-control'], 'no-store', '`Cache-Control` of a plane');
    },
  },
  {
    id: 'data.again',
    api: 'v2',
    level: 'contract',
    title: 'a plane can be read more than once',
    async run(context) {
      const { channels } = await context.openFrame();
      const { dataUrl } = channelOf(channels, 1);
      for (let i = 0; i < 3; i++) await context.expectPlane(dataUrl, frameSamples(1));
    },
  },
];
