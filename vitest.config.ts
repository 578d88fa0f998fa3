import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

/** Slow, and rarely failing: run by `npm run test:long` alone. The viewer keeps opening, links, saving and pixels in `npm test`. */
export const SLOW = [
  'tests/long/**/*.test.ts',
  'tests/cli/bare-clone.test.ts',
  'tests/scale/dask.test.ts',
  'tests/cli/address.test.ts',
  'tests/cli/export-leftovers.test.ts',
  'tests/cli/export.test.ts',
  'tests/cli/start-limits.test.ts',
  'tests/cli/stop.test.ts',
  'tests/cli/terminal.test.ts',
  'tests/client/browser.test.ts',
  'tests/client/deno.test.ts',
  'tests/client/fiji-plugin.test.ts',
  'tests/client/imagej.test.ts',
  'tests/client/module.test.ts',
  'tests/client/octave.test.ts',
  'tests/client/package.test.ts',
  'tests/client/pages.test.ts',
  'tests/desktop/acquisitions.test.ts',
  'tests/desktop/dialogs.test.ts',
  'tests/desktop/dropping.test.ts',
  'tests/desktop/page.test.ts',
  'tests/desktop/roots.test.ts',
  'tests/http/allowed-formats.test.ts',
  'tests/http/hung-mount.test.ts',
  'tests/http/messages.test.ts',
  'tests/http/named-part.test.ts',
  'tests/kit/reduced.test.ts',
  'tests/package/install.test.ts',
  'tests/page/answers.test.ts',
  'tests/page/large-plane.test.ts',
  'tests/page/many-files.test.ts',
  'tests/page/recordings.test.ts',
  'tests/page/samples.test.ts',
  'tests/page/zarr-store.test.ts',
  'tests/picker/dialogs.test.ts',
  'tests/picker/file-page-v1.test.ts',
  'tests/scale/chaos.test.ts',
  'tests/scale/routing.test.ts',
  'tests/python/conda.test.ts',
  'tests/python/long.test.ts',
  'tests/python/server-wheel.test.ts',
  'tests/python/napari.test.ts',
  'tests/python/notebook.test.ts',
  'tests/site/look.test.ts',
  'tests/unit/tiff/round-trips.test.ts',
  'tests/viewer-v1/page.test.ts',
  'tests/viewer-v1/pixels.test.ts',
  'tests/viewer/analysis/velocity-quality.test.ts',
  'tests/viewer/app/accessible.test.ts',
  'tests/viewer/app/address.test.ts',
  'tests/viewer/app/far-plane.test.ts',
  'tests/viewer/app/page.test.ts',
  'tests/viewer/app/pixels.test.ts',
  'tests/viewer/app/sessions.test.ts',
  'tests/viewer/app/sign-in.test.ts',
  'tests/viewer/contrast/colors.test.ts',
  'tests/viewer/contrast/page.test.ts',
  'tests/viewer/contrast/panel.test.ts',
  'tests/viewer/e2e/access.test.ts',
  'tests/viewer/e2e/agreeing.test.ts',
  'tests/viewer/e2e/composition.test.ts',
  'tests/viewer/e2e/every-state.test.ts',
  'tests/viewer/e2e/far.test.ts',
  'tests/viewer/e2e/figures.test.ts',
  'tests/viewer/e2e/folder-pictures.test.ts',
  'tests/viewer/e2e/gaps.test.ts',
  'tests/viewer/e2e/links.test.ts',
  'tests/viewer/e2e/live-states.test.ts',
  'tests/viewer/e2e/looking.test.ts',
  'tests/viewer/e2e/many-files.test.ts',
  'tests/viewer/e2e/marks.test.ts',
  'tests/viewer/e2e/measured.test.ts',
  'tests/viewer/e2e/measuring.test.ts',
  'tests/viewer/e2e/montage.test.ts',
  'tests/viewer/e2e/movie.test.ts',
  'tests/viewer/e2e/navigation.test.ts',
  'tests/viewer/e2e/orthogonal.test.ts',
  'tests/viewer/e2e/remembering.test.ts',
  'tests/viewer/e2e/shapes.test.ts',
  'tests/viewer/e2e/stacks.test.ts',
  'tests/viewer/e2e/tab-stops.test.ts',
  'tests/viewer/e2e/trace-lanes.test.ts',
  'tests/viewer/e2e/velocity.test.ts',
  'tests/viewer/rois/imagej.test.ts',
  'tests/viewer/engines/flows.test.ts',
  'tests/viewer/image/cards.test.ts',
  'tests/viewer/render/browser.test.ts',
];

/** Minutes to build: run by `npm run test:package`. */
export const PACKAGES = 'tests/desktop/package/**/*.test.ts';

/** The entries of TypeBox that the sources import. */
const TYPEBOX = ['typebox', 'typebox/compile', 'typebox/error', 'typebox/system', 'typebox/value'];

/**
 * Unit tests of plain modules, which share the modules that they import: half the time of loading them for each file anew.
 * Not those that replace modules by `vi.mock`, or load WebAssembly that can start only once.
 */
const TOGETHER = [
  'tests/unit/{analysis,batch,bruker,ims,lif,lsm,metadata,nd2,ndtiff,nwb,oif,oir,ome-xml,paths,planes}/**/*.test.ts',
  'tests/unit/{samples,sessions,storage,tiff,tiff-flavors,uploads}/**/*.test.ts',
  'tests/{conformance,hostile}/{bruker,ims,lif,lsm,nd2,nwb,oif,oir}*.test.ts',
  'tests/unit/io/!(folder-size).test.ts',
  'tests/viewer/{analysis,contrast,export,files,image,live,luts,measure,model,plot,settings,stack}/**/*.test.ts',
];

/** Says that readers run in Node, and removes the folders of tests. */
export const SETUP = ['tests/support/setup.ts'];

/** The packages as they are written, also where one imports another: each module is loaded once. */
const conditions = ['source', ...defaultServerConditions];
export const SOURCE = { resolve: { conditions }, ssr: { resolve: { conditions } } };

export default defineConfig({
  ...SOURCE,
  test: {
    setupFiles: SETUP,
    // Three at a time on two cores: much of the time is spent waiting for servers, dialogs and browsers.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: { name: 'together', include: TOGETHER, exclude: [...SLOW, PACKAGES], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'apart',
          include: ['tests/**/*.test.ts'],
          exclude: [...SLOW, PACKAGES, ...TOGETHER],
        },
      },
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A page on a busy machine may need more than the second that expect.poll has by itself.
    expect: { poll: { timeout: 15_000 } },
    // One file instead of 700, which every test file would load again.
    deps: { optimizer: { ssr: { enabled: true, include: TYPEBOX } } },
  },
});
