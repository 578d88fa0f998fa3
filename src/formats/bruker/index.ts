/** Bruker (Prairie) Prairie View: a folder of TIFFs and the XML that describes them. See `docs/formats/bruker.md`. */
import { basename } from 'node:path';
import type { Acquisition, NamedPlane, OpenInput, Reader, SceneInfo } from '../../acquisition.js';
import { companionMissing, decodeFailed, unsupported } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { decodeText } from '../../io/text.js';
import { namedPart } from '../../metadata/named-part.js';
import { arrange, planeOfFile, type ScenePlan } from './arrange.js';
import { MemberFiles, type Shelf } from './files.js';
import { isMaster, mastersAmong } from './magic.js';
import { toScene } from './metadata.js';
import { parseScan, type RawScan } from './parse.js';
import { announcedShape, missingFiles, probeShape, readPlane, type SceneShape } from './planes.js';
import { openReference, type ReferenceImage, readReference } from './reference.js';

export const reader: Reader = { open };

/** Scenes whose files are looked at when the recording is opened; further ones are taken at the word of the XML. */
const PROBED_SCENES = 256;

/** XML files of other names that are looked into, and how far. */
const CANDIDATES = 32;
const HEAD_BYTES = 4096;

interface Scene {
  info: SceneInfo;
  plan: ScenePlan;
  shape: SceneShape;
  reference: ReferenceImage | undefined;
}

/** @throws AcqError `unsupported_format`, `decode_failed`, `companion_missing` */
async function open(input: OpenInput): Promise<Acquisition> {
  const { name, source } = masterOf(input);
  const named = input.part === undefined ? undefined : basename(input.part);
  return openRecording(name, source, input.folder, input.signal, named);
}

/** The recording that the XML `source` describes, with its other files in `folder`; `part` is the one that was named. */
export function openRecording(
  name: string,
  source: ByteSource,
  folder: Shelf,
  signal?: AbortSignal,
  part?: string,
): Acquisition {
  if (source.size > LIMITS.metadataBytes) {
    throw decodeFailed(`${name}: ${source.size} bytes of XML are beyond all reason`);
  }
  const scan = parseScan(decodeText(source.read(0, source.size)));
  if (!scan) throw unsupported(`${name}: is not the XML of a Prairie View recording`);
  return toAcquisition(name, scan, new MemberFiles(folder, name), part, signal);
}

/** The XML that was opened, or the only one of the folder that has planes beside it. */
function masterOf({ probe, source, folder }: OpenInput): { name: string; source: ByteSource } {
  if (source) return { name: probe.name, source };
  const named = mastersAmong(folder.list());
  const masters = named.length > 0 ? named : renamedMasters(folder);
  const [name] = masters;
  if (name === undefined) {
    const advice = 'Copy it there, or open a TIFF by itself.';
    throw companionMissing(probe.name, 'the .xml file that describes the planes', folder.path, advice);
  }
  if (masters.length > 1) {
    throw unsupported(
      `${probe.name}: holds ${masters.length} recordings; open one of their XML files: ${masters.slice(0, 5).join(', ')}`,
    );
  }
  const master = folder.open(name);
  if (!master) throw companionMissing(probe.name, `"${name}"`, folder.path);
  return { name, source: master };
}

/** Of the XML files that are not called like the planes (people rename them), those that describe a recording. */
function renamedMasters(folder: Shelf): string[] {
  const candidates = folder.list().filter((name) => /\.xml$/i.test(name) && !/_Cycle\d+_/i.test(name));
  return candidates.slice(0, CANDIDATES).filter((name) => {
    const source = folder.open(name);
    return source !== undefined && isMaster(source.read(0, Math.min(HEAD_BYTES, source.size)));
  });
}

/** An acquisition over the files of a recording. */
function toAcquisition(
  name: string,
  scan: RawScan,
  files: MemberFiles,
  part: string | undefined,
  signal: AbortSignal | undefined,
): Acquisition {
  const plans = arrange(name, scan);
  const scenes = openScenes(name, plans, scan, files, signal);
  const [problem] = scan.problems;
  if (problem !== undefined) {
    const warning = `The XML is damaged or ends early (${problem.split('\n')[0]?.slice(0, 200)}): scenes (cycles), times, depths or channels may be missing or misplaced.`;
    for (const { info } of scenes) info.warnings.unshift(warning);
  }
  const sceneAt = (index: number): Scene => {
    const scene = scenes[index];
    if (!scene) throw decodeFailed(`${name}: has no scene ${index}`);
    return scene;
  };
  const infos = scenes.map(({ info }) => info);
  const named = namedPart(part, name, infos, (file) => planeOf(scenes, file));
  return {
    info: { format: 'xml', scenes: infos, ...named },
    files: () => filesOf(name, scenes, files),
    scratchBytes: (scene) => sceneAt(scene).shape.scratchBytes,
    readPlane: async (address, target, stop) => {
      const { plan, shape } = sceneAt(address.scene);
      await readPlane(plan, shape, files, address, target, stop);
    },
    readReference: async (index, channel, target, stop) => {
      const { reference } = sceneAt(index);
      if (!reference) throw decodeFailed(`${name}: scene ${index} has no reference image`);
      await readReference(reference, channel, files, target, stop);
    },
  };
}

/** The XML, the images that it names, and the reference images, as the folder spells them. */
function* filesOf(name: string, scenes: readonly Scene[], files: MemberFiles): Generator<string> {
  yield name;
  for (const { plan, reference } of scenes) {
    const images = plan.sequences.flatMap(({ frames }) => frames.flatMap((frame) => frame.files));
    for (const { file } of [...images, ...(reference?.places ?? [])]) {
      const found = files.find(file);
      if (found !== undefined) yield found;
    }
  }
}

/** The first plane that a file belongs to. */
function planeOf(scenes: readonly Scene[], file: string): NamedPlane | undefined {
  for (const [scene, { plan }] of scenes.entries()) {
    const place = planeOfFile(plan, file);
    if (place) return { scene, ...place };
  }
  return undefined;
}

function openScenes(
  name: string,
  plans: readonly ScenePlan[],
  scan: RawScan,
  files: MemberFiles,
  signal: AbortSignal | undefined,
): Scene[] {
  const shapes = shapesOf(plans, scan, files, signal);
  const like = shapes.find(({ shape }) => shape !== undefined)?.shape;
  if (!like) {
    const damage = shapes.find(({ problem }) => problem !== undefined)?.problem;
    if (damage !== undefined) throw damage;
    const [file] = plans.flatMap((plan) => missingFiles(plan, files).names);
    throw file === undefined ? decodeFailed(`${name}: names no image file`) : files.allMissing(file);
  }
  const scenes: Scene[] = [];
  for (const [i, plan] of plans.entries()) {
    signal?.throwIfAborted();
    const { shape = announcedShape(plan, scan, like), problem } = shapes[i] ?? {};
    if (!shape) continue;
    const info = toScene(name, plan, shape, scan, files);
    if (problem !== undefined) info.warnings.push(`${(problem as Error).message}`);
    const first = scenes[0]?.reference;
    const isLines = plan.kind === 'lines';
    const reference = isLines
      ? openReference(plan, scan, files, i < PROBED_SCENES ? undefined : first, info.warnings)
      : undefined;
    info.reference = reference?.info ?? null;
    scenes.push({ info, plan, shape, reference });
  }
  return scenes;
}

/** By the files of the first scenes. A scene whose files are damaged does not keep the others from being opened. */
function shapesOf(plans: readonly ScenePlan[], scan: RawScan, files: MemberFiles, signal: AbortSignal | undefined) {
  const shapes: { shape?: SceneShape | undefined; problem?: unknown }[] = [];
  let found = false;
  for (const [i, plan] of plans.entries()) {
    signal?.throwIfAborted();
    if (i >= PROBED_SCENES && found) break;
    try {
      const shape = probeShape(plan, scan, files);
      shapes.push({ shape });
      found ||= shape !== undefined;
    } catch (problem) {
      shapes.push({ problem });
    }
  }
  return shapes;
}
