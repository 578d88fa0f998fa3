import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = dirname(fileURLToPath(import.meta.url));

/** The page is at `/demo/` and its files are at `/demo-assets/`, also below the path of a proxy; nothing is inline, as the CSP requires. */
export default defineConfig({
  root: here,
  experimental: {
    renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `../demo-assets/${name}` : { relative: true }),
  },
  build: {
    outDir: resolve(here, 'dist'),
    emptyOutDir: true,
    assetsDir: '',
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
