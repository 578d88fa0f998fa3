/** What the XML of an exported image says of the files that were joined: calibration, times, channels, instrument. */
import { Notes } from '../base/notes.js';
import { asIncomplete, asInconsistent } from '../base/warning-kinds.js';
import { grouped } from '../base/wording.js';
import { readExportedScenes } from '../formats/lif/exported.js';
import type { SceneInfo, Step } from '../model/acquisition.js';
import type { LeicaExport } from './leica-export.js';

/** Share by which two values for one step may differ before it is said. */
const SAME_STEP = 0.01;
const COUNTED = { T: 'time points', Z: 'sections' } as const;

/**
 * Describes scenes by the XML of the export. Returns nothing when it is the XML of other images.
 * @param scenes of the joined files
 */
export function describeExport(
  scenes: readonly SceneInfo[],
  { xml, text, names: { numbers } }: LeicaExport,
): SceneInfo[] | undefined {
  const said = readExportedScenes(text);
  const isSame = ({ sizes: { X, Y } }: SceneInfo) => said[0]?.sizes.X === X && said[0].sizes.Y === Y;
  if (!scenes.every(isSame)) return undefined;
  const isNext = (axis: 'T' | 'Z') => (numbers[axis] ?? []).every((number, i, all) => number === all[0]! + BigInt(i));
  return scenes.map((scene, i) => {
    const notes = new Notes();
    const from = said.length === scenes.length ? said[i]! : said[0]!;
    const described = describe(scene, from, { xml, notes, isNext });
    return { ...described, warnings: [...scene.warnings, ...notes.list()] };
  });
}

interface Description {
  xml: string;
  notes: Notes;
  /** True when the files have all numbers of an axis from the first to the last. */
  isNext: (axis: 'T' | 'Z') => boolean;
}

function describe(scene: SceneInfo, from: SceneInfo, { xml, notes, isNext }: Description): SceneInfo {
  for (const axis of ['T', 'Z'] as const) {
    const [is, was] = [scene.sizes[axis], from.sizes[axis]];
    const what = `${xml} describes ${grouped(was)} ${COUNTED[axis]} (${axis}), but there are files of ${grouped(is)}.`;
    if (is !== was) notes.add(is < was ? asIncomplete(what) : asInconsistent(what));
  }
  const hasTimes = scene.sizes.T === from.sizes.T && isNext('T') && scene.sizes.T > 1;
  const hasDepths = scene.sizes.Z > 1 && isNext('Z');
  const { T, ...others } = scene.coordinates ?? {};
  const coordinates = { ...others, ...(hasTimes ? from.coordinates?.T && { T: from.coordinates.T } : T && { T }) };
  const { coordinates: _, ...rest } = scene;
  return {
    ...rest,
    ...(from.instrument && { instrument: from.instrument }),
    ...(from.date === '' ? {} : { date: from.date, time: from.time }),
    channels: scene.channels.length === from.channels.length ? from.channels : scene.channels,
    steps: {
      X: chooseStep('X', scene.steps.X, from.steps.X, xml, notes),
      Y: chooseStep('Y', scene.steps.Y, from.steps.Y, xml, notes),
      Z: hasDepths ? chooseStep('Z', scene.steps.Z, from.steps.Z, xml, notes) : scene.steps.Z,
      T: hasTimes && from.steps.T.unit === 'seconds' ? from.steps.T : scene.steps.T,
    },
    ...(Object.keys(coordinates).length > 0 && { coordinates }),
    ...(hasTimes && from.axisWarnings?.T && { axisWarnings: { ...scene.axisWarnings, T: from.axisWarnings.T } }),
  };
}

/** The program that recorded the image wrote the XML; a TIFF may have any resolution. */
function chooseStep(axis: string, own: Step, said: Step, xml: string, notes: Notes): Step {
  if (said.unit !== 'micrometer') return own;
  if (own.unit === said.unit && Math.abs(own.step / said.step - 1) > SAME_STEP) {
    const values = `the files say ${own.step} µm, but ${xml} says ${said.step} µm. Showing ${said.step} µm.`;
    notes.add(asInconsistent(`${axis} step: ${values}`));
  }
  return said;
}
