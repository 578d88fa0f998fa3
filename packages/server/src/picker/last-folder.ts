import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

/** The start folder of the next dialog, stored in the state folder. */
export interface LastFolder {
  /** Returns an absolute path; undefined when the file is missing or invalid. */
  read(): Promise<string | undefined>;
  /** Stores the folder. Never fails: the start folder is not important enough to refuse the user's choice. */
  remember(folder: string): Promise<void>;
}

const MAX_BYTES = 16_384;

export function lastFolder(stateDir: string): LastFolder {
  const file = join(stateDir, 'picker.json');
  return {
    read: () => readFolder(file).catch(() => undefined),
    remember: (folder) => writeFolder(file, folder).catch(() => undefined),
  };
}

async function readFolder(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r');
  try {
    if (!(await handle.stat()).isFile()) return undefined;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    const content: unknown = JSON.parse(buffer.toString('utf8', 0, bytesRead));
    if (typeof content !== 'object' || content === null || !('folder' in content)) return undefined;
    const { folder } = content;
    return typeof folder === 'string' && isAbsolute(folder) && !folder.includes('\0') ? folder : undefined;
  } finally {
    await handle.close();
  }
}

/** Writes a new file and renames it, so that readers never see a part of it. The path is private: mode 0600. */
async function writeFolder(file: string, folder: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${JSON.stringify({ folder })}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
