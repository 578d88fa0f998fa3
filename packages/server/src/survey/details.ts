import type { RecordingDetails } from '@acquisition-store/client/contract/recordings.js';
import type { Survey } from './survey.js';

/** Returns what lists show of a survey: without the names of its files, of which there may be thousands. */
export function toDetails({ path: _, files, findings: __, ...survey }: Survey): RecordingDetails {
  return { ok: true, ...survey, files: files?.length ?? null };
}
