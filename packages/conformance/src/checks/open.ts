import { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { channelOf } from '../context.js';
import { close, ensure, equal, shorten } from '../failure.js';
import { FRAME, STACK } from '../files/kit-files.js';
import { matchesContract } from '../schema.js';
import type { Check } from '../types.js';

const BYTES = FRAME.rows * FRAME.columns * 4;

export const open: readonly Check[] = [
  {
    id: 'open.response',
    api: 'v2',
    level: 'contract',
    title: 'POST /api/v2/open answers with every field of the contract',
    async run(context) {
      for (const path of [context.files.frame, context.files.stack]) {
        matchesContract(OpenResponse, await context.openAsIs(path), 'the open response');
      }
    },
  },
  {
    id: 'open.source',
    api: 'v2',
    level: 'contract',
    title: '`source` names the file, its sample type and its channels',
    async run(context) {
      const { source } = await context.openFrame();
      equal(source.name, FRAME.name, '`source.name`');
      ensure(
        /^(\/|[A-Za-z]:|\\\\)/.test(source.path),
        `\`source.path\` is ${shorten(source.path)}; expected an absolute path`,
      );
      ensure(source.path.endsWith(FRAME.name), `\`source.path\` is ${shorten(source.path)}; expected …${FRAME.name}`);
      equal(source.sourceDtype, 'uint16', '`source.sourceDtype`');
      equal(source.numChannels, 2, '`source.numChannels`');
      ensure(source.format !== '', '`source.format` is empty');
    },
  },
  {
    id: 'open.header',
    api: 'v2',
    level: 'contract',
    title: '`header` has the channels first and the plane last, with sizes, steps and units aligned',
    async run(context) {
      const { header } = await context.openFrame();
      equal(header.shape, [2, FRAME.rows, FRAME.columns], '`header.shape`');
      equal(header.dims.length, header.shape.length, 'the length of `header.dims`');
      const sizes = Object.fromEntries(header.dims.map((name, i) => [name, header.shape[i]]));
      equal(header.sizes, sizes, '`header.sizes`');
      equal(header.physicalUnits.length, header.dims.length, 'the length of `header.physicalUnits`');
      equal(header.physicalUnitsLabels.length, header.dims.length, 'the length of `header.physicalUnitsLabels`');
      equal(header.dtype, 'uint16', '`header.dtype`');
      equal(header.numChannels, 2, '`header.numChannels`');
    },
  },
  {
    id: 'open.plane',
    api: 'v2',
    level: 'contract',
    title: '`plane` has the rows and columns of the file, and its axes agree with them',
    async run(context) {
      const { plane } = await context.openFrame();
      equal(plane.shape, [FRAME.rows, FRAME.columns], '`plane.shape`');
      const axes = plane.axes.map(({ arrayDimension, size }) => [arrayDimension, size]);
      equal(
        axes,
        [
          [0, FRAME.rows],
          [1, FRAME.columns],
        ],
        '`arrayDimension` and `size` of `plane.axes`',
      );
    },
  },
  {
    id: 'open.steps',
    api: 'v2',
    level: 'contract',
    title: '`plane.axes` and `header.physicalUnits` have the pixel size of the file',
    async run(context) {
      const { plane, header } = await context.openFrame();
      close(plane.axes[0]?.step, FRAME.pixel.height, '`plane.axes[0].step`');
      close(plane.axes[1]?.step, FRAME.pixel.width, '`plane.axes[1].step`');
      close(header.physicalUnits.at(-2), FRAME.pixel.height, '`header.physicalUnits` of the rows');
      close(header.physicalUnits.at(-1), FRAME.pixel.width, '`header.physicalUnits` of the columns');
    },
  },
  {
    id: 'open.channels',
    api: 'v2',
    level: 'contract',
    title: '`channels` lists all channels with their names, lengths and addresses',
    async run(context) {
      const { channels, sessionId } = await context.openFrame();
      equal(
        channels.map(({ index }) => index),
        [0, 1],
        'the indices of `channels`',
      );
      for (const { index, name, byteLength, dataUrl } of channels) {
        ensure(name !== '', `the name of channel ${index} is empty`);
        equal(byteLength, BYTES, `\`byteLength\` of channel ${index}`);
        equal(dataUrl, `/api/v2/sessions/${sessionId}/channels/${index}/data`, `\`dataUrl\` of channel ${index}`);
      }
    },
  },
  {
    id: 'open.order',
    api: 'v2',
    level: 'contract',
    title: '`channelIndices` chooses channels, and the response keeps their order',
    async run(context) {
      const indices = async (channelIndices: number[]) =>
        (await context.openFrame({ channelIndices })).channels.map(({ index }) => index);
      equal(await indices([1, 0]), [1, 0], 'the channels for `channelIndices` [1, 0]');
      equal(await indices([1]), [1], 'the channels for `channelIndices` [1]');
    },
  },
  {
    id: 'open.selected-samples',
    api: 'v2',
    level: 'contract',
    title: 'channels in another order keep their own samples',
    async run(context) {
      const { channels } = await context.openFrame({ channelIndices: [1, 0] });
      for (const index of [0, 1]) await context.expectPlane(channelOf(channels, index).dataUrl, FRAME.channels[index]!);
    },
  },
  {
    id: 'open.no-reference',
    api: 'v2',
    level: 'contract',
    title: '`reference` is null for a file without a reference image',
    async run(context) {
      equal((await context.openFrame()).reference, null, '`reference`');
    },
  },
  {
    id: 'open.sessions',
    api: 'v2',
    level: 'contract',
    title: 'each open creates a session of its own',
    async run(context) {
      const [a, b] = [await context.openFrame(), await context.openFrame()];
      ensure(a.sessionId !== b.sessionId, 'two opens of a file have the same `sessionId`');
    },
  },
  {
    id: 'open.stack',
    api: 'v2',
    level: 'contract',
    title: 'a file with further dimensions opens as one plane',
    async run(context) {
      const { plane, channels } = await context.open(context.files.stack);
      equal(plane.shape, [STACK.rows, STACK.columns], '`plane.shape`');
      await context.expectPlane(channels[0]?.dataUrl ?? '', STACK.plane(0, 0));
    },
  },
];
