import { AcqError } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import type { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { asCorrupted, asInconsistent } from '../../base/warning-kinds.js';
import { grouped, subjectFirst } from '../../base/wording.js';
import type { ChannelInfo, SceneInfo, Step } from '../../model/acquisition.js';
import {
  DIFFERENT,
  measuredAxes,
  type NominalStep,
  type ResolvedAxis,
  resolveAxis,
} from '../../model/metadata/axes.js';
import { NO_CLOCK, parseDateTime } from '../../model/metadata/dates.js';
import { spreadIndices } from '../../model/metadata/intervals.js';
import { channelsNamed, cleanName } from '../../model/metadata/names.js';
import { defaultStep } from '../../model/metadata/steps.js';
import type { NdPart, NdScene, NdSet } from './arrange.js';
import { readAs, startSeconds } from './members.js';

/** Files that an open looks into for the times of a scene: fewer of each when there are many scenes. */
const [MAX_TIMES, MIN_TIMES, ALL_TIMES] = [64, 2, 192];
/** Scenes whose times are looked for when a set is opened. */
const MAX_TIMED = 256;

/** Describes the scenes. Reads the start of some files. */
export async function toSceneInfos(set: NdSet, scenes: readonly NdScene[], signal?: AbortSignal): Promise<SceneInfo[]> {
  const infos: SceneInfo[] = [];
  const perScene = Math.max(MIN_TIMES, Math.min(MAX_TIMES, Math.floor(ALL_TIMES / scenes.length)));
  for (const [i, scene] of scenes.entries()) {
    signal?.throwIfAborted();
    infos.push(await toSceneInfo(set, scene, i < MAX_TIMED ? perScene : 0));
  }
  return infos;
}

async function toSceneInfo(set: NdSet, scene: NdScene, times: number): Promise<SceneInfo> {
  const { parts, notes } = scene;
  const [first] = parts;
  const { sizes, sampleType, instrument, date, time } = first.scene;
  addWarnings(scene, notes);
  const T = await timeAxis(set, scene, times);
  const Z = depthAxis(set, scene);
  const clock = date ? { date, time } : (parseDateTime(set.nd.startTime) ?? NO_CLOCK);
  return {
    name: nameOf(set, scene),
    sampleType,
    channels: toChannels(set, parts, notes),
    sizes: { T: scene.T, Z: scene.Z, Y: sizes.Y, X: sizes.X },
    steps: { T: T.step, Z: Z.step, ...pixelSteps(parts, notes) },
    ...measuredAxes({ T, Z }),
    ...(instrument && { instrument }),
    ...clock,
    reference: null,
    warnings: notes.list(),
  };
}

/** What is said of the axes of a file is said anew of those of the set, where it is true of them. */
function addWarnings({ parts }: NdScene, notes: Notes): void {
  for (const { scene, reading } of parts) {
    const { planes = [], ...axes } = scene.axisWarnings ?? {};
    const ofAxes = new Set([...Object.values(axes).flat(), ...(reading === 'as stored' ? [] : planes)]);
    notes.addAll(scene.warnings.filter((warning) => !ofAxes.has(warning)));
  }
}

function nameOf({ nd, files }: NdSet, { stage, inner, innerScenes, shape, parts: [first] }: NdScene): string {
  const position = nd.stages.get(stage) || (files.stages.length > 1 ? `Position ${stage}` : '');
  const name = files.stages.length > 1 || nd.doStage ? position : '';
  const inside = innerScenes > 1 ? first.scene.name || `Position ${inner + 1}` : '';
  return cleanName([name, inside, shape].filter(Boolean).join(' '));
}

/** A file has one channel, named in the `.nd`; of those with several, each has both names. */
function toChannels({ nd, files }: NdSet, parts: readonly NdPart[], notes: Notes): ChannelInfo[] {
  const all = parts.flatMap(({ wave, sizes, scene }) => {
    const said = cleanName(nd.waves.get(wave));
    const inName = cleanName(files.waveText(wave));
    const differs = said !== '' && inName !== '' && inName !== said.replace(/[_/\\()]/g, '-');
    if (differs)
      notes.add(
        asInconsistent(
          `The .nd calls channel ${wave} "${said}", but the names of its files say "${inName}", which is shown.`,
        ),
      );
    const name = differs ? inName : said || inName;
    return Array.from({ length: sizes.C }, (_, i) => {
      const own = scene.channels[i]!;
      const isNumbered = /^CH\d+$/.test(own.name);
      return { own, name: sizes.C === 1 ? name || (isNumbered ? undefined : own.name) : `${name} ${own.name}`.trim() };
    });
  });
  const named = channelsNamed(all.map(({ name }) => name));
  return all.map(({ own }, i) => ({ ...own, name: named[i]!.name }));
}

function pixelSteps(parts: readonly NdPart[], notes: Notes): { Y: Step; X: Step } {
  const calibrated = parts.find(({ scene }) => scene.steps.X.unit === 'micrometer') ?? parts[0]!;
  const { Y, X } = calibrated.scene.steps;
  const other = parts.find(({ scene: { steps } }) => steps.X.unit === X.unit && differs(steps.X.step, X.step));
  if (other)
    notes.add(
      asInconsistent(
        `X step: the files of channel ${calibrated.wave} say ${X.step} µm, but those of channel ${other.wave} say ` +
          `${other.scene.steps.X.step} µm. Showing ${X.step} µm.`,
      ),
    );
  return { Y, X };
}

function differs(a: number, b: number): boolean {
  return Math.abs(a / b - 1) > DIFFERENT;
}

/** Sections are where the focus was, then at the distance that the files say, then at that of the `.nd`. */
function depthAxis({ nd }: NdSet, { parts, Z, notes }: NdScene): ResolvedAxis {
  const part = parts.find(({ sizes }) => sizes.Z === Z);
  if (!part || Z === 1) return { step: defaultStep('Planes') };
  const isStored = part.reading === 'as stored';
  const { steps, coordinates } = part.scene;
  const measured = isStored ? coordinates?.Z : undefined;
  const nominal: NominalStep[] = [];
  if (isStored && !measured && steps.Z.unit === 'micrometer')
    nominal.push({ step: steps.Z.step, what: 'the distance in the files', origin: steps.Z.origin });
  if (nd.zStepSize !== undefined) nominal.push({ step: Math.abs(nd.zStepSize), what: 'ZStepSize' });
  return resolveAxis(
    'Z',
    Z,
    {
      unit: 'micrometer',
      nominal,
      measured: measured?.unit === 'micrometer' ? { at: measured.values, what: measured.source } : undefined,
    },
    notes,
  );
}

/** Time points are files: the first plane of each says when it was taken. */
async function timeAxis(set: NdSet, scene: NdScene, max: number): Promise<ResolvedAxis> {
  const { parts, T, innerT } = scene;
  if (set.files.times === 1) {
    const part = parts.find(({ sizes }) => sizes.T === innerT)!;
    const { coordinates, steps, axisWarnings } = part.scene;
    const warnings = axisWarnings?.T ?? [];
    if (innerT === 1) return { step: defaultStep('Frames') };
    scene.notes.addAll(warnings);
    return {
      step: steps.T,
      ...(coordinates?.T && { coordinates: coordinates.T }),
      ...(warnings.length > 0 && { warnings }),
    };
  }
  if (innerT > 1 || max === 0 || T > LIMITS.coordinates) return { step: defaultStep('Frames') };
  const { at, isSample, quantum } = await readTimes(set, scene, max);
  const planes = T * scene.Z * parts.reduce((sum, { sizes }) => sum + sizes.C, 0);
  const what = quantum === 1 ? 'times of the files' : 'creation times';
  const measured = { at, what, isSample, planes, quantum, origin: 'derived' } as const;
  return resolveAxis('T', T, { unit: 'seconds', measured }, scene.notes);
}

/** Reads the times of some time points of the first channel, and looks whether their files are as the first one. */
async function readTimes({ files, members }: NdSet, { parts, T, notes }: NdScene, max: number) {
  const [part] = parts;
  const recorded = files.timesOf(part.wave, part.stage);
  const chosen = spreadIndices(recorded.length, max).map((index) => recorded[index]!);
  const at = new Float64Array(T).fill(Number.NaN);
  let quantum = 0.001;
  for (const time of chosen) {
    const name = files.at(part.wave, part.stage, time)!;
    try {
      const member = await members.open(name);
      const start = await startSeconds(member, part.inner);
      at[time - 1] = start.at;
      if (start.isRounded) quantum = 1;
      const scene = member.info.scenes[part.inner];
      const planes = scene && readAs(scene, part.reading).Z;
      if (planes !== undefined && planes < part.sizes.Z)
        notes.add(
          asCorrupted(subjectFirst(name, `this file has ${grouped(planes)} of ${grouped(part.sizes.Z)} sections (Z).`)),
        );
    } catch (error) {
      if (!(error instanceof AcqError) || error.code === 'capacity_exceeded') throw error;
      notes.add(asCorrupted(quoteError('The file cannot be read', error)));
    }
  }
  return { at, isSample: chosen.length < recorded.length, quantum };
}
