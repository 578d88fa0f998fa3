/** What a check finds out about an opened acquisition, by what the readers state of their warnings and steps. */
import { WARNING_KINDS } from '@acquisition-store/readers/base/warning-kinds.js';
import type { AcquisitionInfo, SceneInfo } from '@acquisition-store/readers/model/acquisition.js';

/** `unreadable`: a file, or some of its planes, cannot be opened here although nothing is known to be corrupted. */
export const FINDING_KINDS = [...WARNING_KINDS, 'unreadable', 'uncalibrated'] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  kind: FindingKind;
  message: string;
}

/** Findings of one file that are listed. */
const MAX_FINDINGS = 100;
const AXES = ['X', 'Y', 'Z', 'T'] as const;
/** Errors by which a file is known to be corrupted, or not to be whole. */
const CORRUPTION: readonly string[] = ['decode_failed', 'companion_missing', 'load_timeout'];

/** Returns what is to be said of all scenes, each text once. */
export function findingsOf({ scenes }: AcquisitionInfo): Finding[] {
  const found = new Map<string, Finding>();
  for (const scene of scenes) {
    for (const kind of WARNING_KINDS) {
      for (const message of scene.warningKinds?.[kind] ?? []) found.set(message, { kind, message });
    }
    const axes = uncalibratedAxes(scene);
    if (axes.length === 0) continue;
    const message = `No calibration along ${axes.join(', ')}.`;
    found.set(message, { kind: 'uncalibrated', message });
  }
  return listed([...found.values()]);
}

/** Returns why a file, or a plane of it, cannot be read. */
export function findingOf({ code, message }: { code: string; message: string }): Finding {
  return { kind: CORRUPTION.includes(code) ? 'corrupted' : 'unreadable', message };
}

/** What is lost comes first, and is cut last. */
export function listed(findings: readonly Finding[]): Finding[] {
  const ordered = FINDING_KINDS.flatMap((kind) => findings.filter((one) => one.kind === kind));
  return ordered.slice(0, MAX_FINDINGS);
}

/** Axes along which there is more than one index and no step. The columns of a plane always count. */
function uncalibratedAxes({ steps, sizes }: SceneInfo): string[] {
  return AXES.filter((axis) => steps[axis].origin === 'default' && (sizes[axis] > 1 || axis === 'X'));
}
