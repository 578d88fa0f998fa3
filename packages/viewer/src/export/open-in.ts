/** How other programs open the whole acquisition, as OME-Zarr or as a hyperstack, as text to copy. */
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';

/** What `relativeDisplayScales` compares with a second. */
const METERS_PER_MICROMETER = 1e-6;

interface ZarrAddress {
  /** `http://127.0.0.1:8767` */
  readonly base: string;
  readonly info: OpenResponse;
  /** The reference image instead of the scene. */
  readonly reference: boolean;
}

interface OpenText {
  /** A link, a command or a program. */
  readonly text: string;
  /** What must be done before. */
  readonly note: string;
}

export const PROGRAMS = [
  { id: 'neuroglancer', label: 'neuroglancer', make: neuroglancer },
  { id: 'vizarr', label: 'vizarr', make: vizarr },
  { id: 'napari', label: 'napari', make: napari },
  { id: 'python', label: 'Python', make: python },
  { id: 'imagej', label: 'ImageJ', make: imagej },
] as const;

/** Returns the address of the image in a version of OME-Zarr; empty when the server does not have one. */
export function zarrUrl({ base, info, reference }: ZarrAddress, version: '0.4' | '0.5'): string {
  const address = info.zarr?.[version];
  return address === undefined ? '' : `${base}${address}${reference ? '/reference' : ''}`;
}

/** The page compares meters with seconds as plain numbers, so the lines of a line scan get a scale: one line, one pixel. */
function neuroglancer(address: ZarrAddress): OpenText {
  const { info, reference } = address;
  const [y, x] = (reference ? info.reference?.plane : info.plane)?.axes ?? [];
  const isLineScan = y?.unit === 'seconds' && x?.unit === 'micrometer';
  const state = {
    layers: [{ type: 'image', name: info.source.name, source: `zarr://${zarrUrl(address, '0.4')}` }],
    selectedLayer: { layer: info.source.name, visible: true },
    displayDimensions: ['x', 'y', 'z'],
    layout: 'xy',
    ...(isLineScan ? { relativeDisplayScales: { y: (x.step * METERS_PER_MICROMETER) / y.step } } : {}),
  };
  return {
    text: `https://neuroglancer-demo.appspot.com/#!${encodeURIComponent(JSON.stringify(state))}`,
    note: hosted('https://neuroglancer-demo.appspot.com'),
  };
}

function vizarr(address: ZarrAddress): OpenText {
  return {
    text: `https://hms-dbmi.github.io/vizarr/?source=${encodeURIComponent(zarrUrl(address, '0.4'))}`,
    note: hosted('https://hms-dbmi.github.io'),
  };
}

function napari(address: ZarrAddress): OpenText {
  return {
    text: `napari --plugin napari-ome-zarr ${zarrUrl(address, '0.4')}`,
    note: 'Install napari and its plugin once: pip install "napari[all]" napari-ome-zarr.',
  };
}

function python(address: ZarrAddress): OpenText {
  return {
    text: `import zarr

image = zarr.open_group(${JSON.stringify(zarrUrl(address, '0.5'))}, mode="r")
samples = image["0"]  # T, C, Z, Y, X in the sample type of the file; "1", "2", … are reduced levels
print(samples.shape, samples.dtype)
print(image.attrs["ome"]["multiscales"][0]["axes"])
plane = samples[0, 0, 0]  # the first plane, as a NumPy array
`,
    note:
      'Needs zarr 3: pip install "zarr>=3" fsspec aiohttp. Versions before 2.17.2 read zeros when a request fails, ' +
      'for example after the session has ended.',
  };
}

/** The scene that is open, in the shell of Linux and macOS. */
function imagej({ info }: ZarrAddress): OpenText {
  const scene = info.source.scenes ? ` --scene ${info.selection?.['S'] ?? 0}` : '';
  return {
    text: `acqstore export '${info.source.path.replaceAll("'", `'\\''`)}'${scene} --to imagej`,
    note:
      'Run it in a terminal on the computer of the server, and open the TIFF file in ImageJ or Fiji: all channels, sections and ' +
      'time points, with calibration, colors and the measured times.',
  };
}

function hosted(origin: string): string {
  return (
    `Start the server with --allow-origin ${origin}, otherwise the page cannot read from it. Use Chrome, Edge or Firefox on ` +
    'the computer of the server. The link works until the session ends.'
  );
}
