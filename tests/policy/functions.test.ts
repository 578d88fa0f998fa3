import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst, Visitor } from 'vite';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';

const MAX_LINES = 50;

/** Functions that are longer, by folder and file. Remove those that have become shorter, and add none. */
const LONGER = [
  'app/beside.ts createBeside',
  'app/calibration-dialog.tsx CalibrationDialog',
  'app/details-panel.tsx DetailsPanel',
  'app/dialogs.tsx ServerDialog',
  'app/following.ts createFollowing',
  'app/image-menu.tsx ImageMenu',
  'app/keys.ts findAction',
  'app/open-list.tsx Finder',
  'app/opening.ts createOpener',
  'app/panel-edge.tsx PanelEdge',
  'app/planes-dialog.tsx PlanesDialog',
  'app/planes.ts loadOne',
  'app/server.ts createServer',
  'app/start-page.tsx StartPage',
  'app/start.ts startPage',
  'app/tab-list.tsx TabButton',
  'app/workspace.ts createWorkspace',
  'contrast/lut-choice.tsx AddedTables',
  'contrast/smoothing.tsx SmoothingChoice',
  'export/export-dialog.tsx ExportDialog',
  'export/jobs.ts pictureJobs',
  'export/jobs.ts planeJobs',
  'export/pane-figure.ts paneFigure',
  'files/folder-dialog.tsx FolderDialog',
  'files/row-facts.ts createRowFacts',
  'files/ways-in.ts createWaysIn',
  'gl/shaders.ts reduceShader',
  'image/card-view.ts keepImage',
  'image/pane-view.tsx PaneCards',
  'image/tool-menu.tsx ToolMenu',
  'measure/marks-table.tsx MarksTable',
  'measure/marks-table.tsx Row',
  'measure/overview-bar.tsx Bar',
  'measure/velocity-strip.tsx VelocityStrip',
  'model/document.ts createPane',
  'nd2/chunk-file.ts openChunkFile',
  'orthogonal/bar.tsx OrthogonalBar',
  'orthogonal/model.ts createOrthogonal',
  'picker/index.ts createPicker',
  'plot/chart.tsx Chart',
  'plot/u-chart.ts createUChart',
  'routes/discovery.ts discoveryRoutes',
  'routes/sessions.ts sessionRoutes',
  'server/app.ts createApp',
  'server/prometheus.ts createPrometheus',
  'server/start.ts startServer',
  'settings/settings-panel.tsx SettingsList',
  'simd/inflate.ts inflateFunction',
  'simd/lz4.ts lz4Function',
  'simd/snappy.ts snappyFunction',
  'src/client.ts createClient',
  'src/log-panel.tsx LogPanel',
  'src/settings-panel.tsx SettingsPanel',
  'src/updates-card.tsx UpdatesCard',
  'stack/kymograph.ts toInfo',
  'stack/player.ts createPlayer',
  'stack/scrubber.ts createScrubber',
  'stack/trace-strip.tsx Strip',
  'v1/openapi.ts createV1Document',
  'writers/cut.ts cutAcquisition',
];

/** Returns the functions with more lines than allowed, each by the name that it is declared with. */
function findLong(source: string, lang: 'ts' | 'tsx'): string[] {
  const long: string[] = [];
  const names = new Map<unknown, string>();
  const check = (node: { start: number; end: number; id?: { name: string } | null }) => {
    const lines = source.slice(node.start, node.end).split('\n').length;
    if (lines > MAX_LINES) long.push(node.id?.name ?? names.get(node) ?? 'a function without a name');
  };
  new Visitor({
    VariableDeclarator: ({ id, init }) => void (id.type === 'Identifier' && names.set(init, id.name)),
    MethodDefinition: ({ key, value }) => void (key.type === 'Identifier' && names.set(value, key.name)),
    Property: ({ key, value }) => void (key.type === 'Identifier' && names.set(value, key.name)),
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
  }).visit(parseAst(source, { lang }));
  return long;
}

describe('functions', () => {
  it(`have at most ${MAX_LINES} lines, except those that were longer when the rule began`, () => {
    const packages = join(REPOSITORY, 'packages');
    const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => /^[\w-]+\/(page\/)?src\/.*\.tsx?$/.test(name));
    expect(sources.length).toBeGreaterThan(500);
    const long = sources.flatMap((name) => {
      const lang = name.endsWith('x') ? 'tsx' : 'ts';
      const place = name.split('/').slice(-2).join('/');
      return findLong(readFileSync(join(packages, name), 'utf8'), lang).map((found) => `${place} ${found}`);
    });
    expect(long.sort()).toEqual(LONGER);
  });

  it('are named when they are too long, whatever their kind', () => {
    const body = (lines: number) => `{${'\n'.repeat(lines - 1)}}`;
    const source = (lines: number) =>
      [
        `function plain() ${body(lines)}`,
        `export const arrow = async () => ${body(lines)};`,
        `class Kind { method(): void ${body(lines)} }`,
        `const table = { inside: function () ${body(lines)} };`,
        `run(() => ${body(lines)});`,
      ].join('\n');
    expect(findLong(source(MAX_LINES), 'ts')).toEqual([]);
    expect(findLong(source(MAX_LINES + 1), 'ts')).toEqual([
      ...['plain', 'arrow', 'method', 'inside'],
      'a function without a name',
    ]);
  });
});
