import { describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { PROGRAMS, zarrUrl } from '../../../packages/viewer/src/export/open-in.ts';
import { fakeSessions } from '../../support/fake-sessions.js';

const opened = await fakeSessions().open({ path: '/data/scan.oir', options: {}, picked: false });
const tree = `/api/v2/sessions/${opened.sessionId}`;
const info: OpenResponse = { ...opened, zarr: { '0.4': `${tree}/0.4.ome.zarr/2`, '0.5': `${tree}/0.5.ome.zarr/2` } };
const base = 'http://127.0.0.1:8767';

function make(id: (typeof PROGRAMS)[number]['id'], shown: OpenResponse = info, reference = false) {
  const program = PROGRAMS.find((one) => one.id === id)!;
  return program.make({ base, info: shown, reference });
}

/** The state that neuroglancer reads from its address. */
function stateOf(text: string) {
  return JSON.parse(decodeURIComponent(new URL(text).hash.slice(2)));
}

describe('how other programs open an acquisition', () => {
  it('shows each line of a line scan as one pixel in neuroglancer', () => {
    const { text, note } = make('neuroglancer');
    const state = stateOf(text);
    expect(state.layers[0].source).toBe(`zarr://${base}${tree}/0.4.ome.zarr/2`);
    // Steps of 0.5 µm and 2 ms.
    expect(state.relativeDisplayScales).toEqual({ y: 0.000_25 });
    expect(note).toContain('--allow-origin https://neuroglancer-demo.appspot.com');
  });

  it('leaves the scales of other images to neuroglancer', () => {
    const axes = info.plane.axes.map((axis) => ({ ...axis, unit: 'micrometer' as const }));
    const { text } = make('neuroglancer', { ...info, plane: { ...info.plane, axes } });
    expect(stateOf(text)).not.toHaveProperty('relativeDisplayScales');
  });

  it('exports the open scene as a hyperstack for ImageJ', () => {
    const { scenes: _, ...source } = { ...info.source, path: "/data/John's scan.oir" };
    expect(make('imagej', { ...info, source }).text).toBe("acqstore export '/data/John'\\''s scan.oir' --to imagej");
    const scenes = [0, 1, 2].map((index) => ({ index, name: '', sizes: { Y: 1, X: 1 } }));
    const several = {
      ...info,
      source: { ...source, path: '/data/a.czi', scenes },
      selection: { S: 2 },
    } as OpenResponse;
    expect(make('imagej', several).text).toBe("acqstore export '/data/a.czi' --scene 2 --to imagej");
  });

  it('names the reference image when that is shown', () => {
    expect(stateOf(make('neuroglancer', info, true).text).layers[0].source).toMatch(/\/2\/reference$/);
    expect(make('napari', info, true).text).toMatch(/\/0\.4\.ome\.zarr\/2\/reference$/);
  });

  it('links to vizarr, and says which page may then read from the server', () => {
    const { text, note } = make('vizarr');
    const url = new URL(text);
    expect(url.searchParams.get('source')).toBe(`${base}${tree}/0.4.ome.zarr/2`);
    expect(note).toContain(`--allow-origin ${url.origin}`);
  });

  it('opens the address in napari with the plugin for OME-Zarr, and in Python as Zarr 3', () => {
    expect(make('napari').text).toBe(`napari --plugin napari-ome-zarr ${base}${tree}/0.4.ome.zarr/2`);
    expect(make('python').text).toContain(`zarr.open_group("${base}${tree}/0.5.ome.zarr/2", mode="r")`);
  });

  it('has nothing for a server without OME-Zarr', () => {
    expect(zarrUrl({ base, info: opened, reference: false }, '0.4')).toBe('');
  });
});
