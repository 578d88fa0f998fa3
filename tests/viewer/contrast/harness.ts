import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { PAGE_POLICY } from '../../../packages/server/src/server/static-folder.js';
import type { ChannelDisplay, ChannelStats } from '../../../packages/viewer/src/model/display.ts';
import type { Rect } from '../../../packages/viewer/src/model/geometry.ts';

const SOURCES = resolve(import.meta.dirname, '../../../packages/viewer/src');
const ENTRY = `${SOURCES}/contrast-harness.tsx`;

/** The panel alone, beside planes that the test makes; `harness` is what the test talks to. */
const PROGRAM = `
import { signal } from '@preact/signals';
import { h, render } from 'preact';
import './style/tokens.css';
import './style/base.css';
import { countStats } from './analysis/stats.ts';
import { autoRange } from './analysis/range.ts';
import { ContrastPanel } from './contrast/contrast-panel.tsx';
import { cardView } from './image/pane-state.ts';
import { PaneView } from './image/pane-view.tsx';
import { lutTable } from './luts/luts.ts';
import { createDocument } from './model/document.ts';
import { createRenderer } from './render/renderer.ts';

async function show(planes, { reference, columns = planes[0].length, image = false } = {}) {
  const axis = (arrayDimension, size) => ({ arrayDimension, name: 'YX'[arrayDimension], size, step: 1, unit: 'Pixels' });
  const paneOf = (all, columns) => ({
    plane: { shape: [all[0].length / columns, columns], axes: [axis(0, all[0].length / columns), axis(1, columns)] },
    channels: all.map((data, index) => ({ index, name: 'Channel ' + (index + 1), byteLength: 4 * data.length, dataUrl: '' })),
  });
  const info = { ...paneOf(planes, columns), reference: reference ? { ...paneOf([reference], reference.length), lineRoi: null, scanPath: null } : null };
  const document = createDocument({ info });
  globalThis.harness = { show, document, lutTable, display: (at) => document.pane.value.channels[at].display.value };
  const luts = signal([]);
  const aside = globalThis.document.querySelector('aside');
  render(null, aside);
  render(h(ContrastPanel, { document, luts }), aside);
  const figure = globalThis.document.querySelector('#image');
  render(null, figure);
  if (image) {
    const pane = document.source.value;
    pane.orientation.value = { transposed: false, upward: false };
    globalThis.harness.view = (card) => cardView(pane, card);
    render(h(PaneView, { document, pane, tools: [], overlays: [], renderer: createRenderer() }), figure);
  }
  const fill = async (pane, all) => {
    for (const [at, data] of all.entries()) {
      const channel = pane.channels[at];
      channel.data.value = Float32Array.from(data);
      channel.load.value = { state: 'ready' };
      channel.stats.value = await countStats(channel.data.value);
      channel.statsPlane.value = new WeakRef(channel.data.value);
      channel.display.value = { ...channel.display.value, ...autoRange(channel.stats.value) };
    }
  };
  await fill(document.source.value, planes);
  if (reference) await fill(document.reference.value, [reference]);
}
globalThis.harness = { show };
`;

const HTML = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Contrast</title>
<link rel="stylesheet" href="/page.css"><link rel="stylesheet" href="/frame.css"><script type="module" src="/page.js"></script>
<body><main><h1>Contrast</h1><h2>Channels</h2><aside aria-label="Sidebar"></aside><div id="image"></div></main></body></html>`;

const FRAME =
  '#image:not(:empty) { height: 300px; } #image > * { height: 100%; } aside { width: 300px; padding: 0 12px; background: var(--surface); }';

export interface ShowOptions {
  readonly reference?: number[];
  /** Of the planes; one row without. */
  readonly columns?: number;
  /** Also the image, below the panel. */
  readonly image?: boolean;
}

export interface Harness {
  show(planes: number[][], options?: ShowOptions): Promise<void>;
  /** What a card shows of its plane. */
  view(card: string): Rect | null;
  display(channel: number): ChannelDisplay;
  lutTable(id: string, invert?: boolean): Uint8Array;
  document: {
    pane: { value: { composite: { value: boolean }; pixelMarks: { value: { clipping: boolean } } } };
    source: { value: { channels: { stats: { value: ChannelStats } }[] } };
  };
}

export type HarnessWindow = { harness: Harness };

let files: Promise<Map<string, string>> | undefined;

async function bundle(): Promise<Map<string, string>> {
  const result = (await build({
    configFile: resolve(SOURCES, '../vite.config.ts'),
    logLevel: 'warn',
    plugins: [
      {
        name: 'harness',
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? PROGRAM : null),
      },
    ],
    build: { write: false, emptyOutDir: false, rolldownOptions: { input: ENTRY } },
  })) as Rolldown.RolldownOutput;
  const served = new Map([
    ['/', HTML],
    ['/frame.css', FRAME],
  ]);
  for (const file of result.output) {
    if (file.type === 'chunk') served.set('/page.js', file.code);
    // Parts of the page that are loaded later have styles of their own.
    else if (file.fileName.endsWith('.css')) served.set('/page.css', `${served.get('/page.css') ?? ''}${file.source}`);
  }
  return served;
}

const TYPES: Record<string, string> = { css: 'text/css', js: 'text/javascript' };

/** The page of the panel, under the policy of the server. */
export async function openHarness(page: Page): Promise<void> {
  files ??= bundle();
  const served = await files;
  await page.route('http://panel.test/**', (route) => {
    const { pathname } = new URL(route.request().url());
    const body = served.get(pathname);
    const contentType = TYPES[pathname.split('.')[1] ?? ''] ?? 'text/html';
    if (body === undefined) return route.fulfill({ status: 404 });
    return route.fulfill({ contentType, headers: { 'content-security-policy': PAGE_POLICY }, body });
  });
  await page.goto('http://panel.test/');
  await page.waitForFunction(() => 'harness' in globalThis);
}
