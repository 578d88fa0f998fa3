/** Programs for Windows, run by Wine in an installation of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

export class Wine {
  readonly folder = mkdtempSync(join(tmpdir(), 'acqstore-wine-'));
  /** What is `C:\` for its programs. */
  readonly drive = join(this.folder, 'prefix', 'drive_c');
  /** Where programs keep what is of one user and one computer. */
  readonly localAppData = join(this.drive, 'users', userInfo().username, 'AppData', 'Local');
  readonly roamingAppData = join(this.localAppData, '..', 'Roaming');
  readonly env: NodeJS.ProcessEnv;
  private readonly children: ChildProcess[] = [];
  private runs = 0;

  constructor(env: NodeJS.ProcessEnv = {}) {
    this.env = {
      PATH: process.env['PATH'],
      HOME: this.folder,
      WINEPREFIX: join(this.folder, 'prefix'),
      WINEARCH: 'win64',
      WINEDEBUG: '-all',
      // Do not ask to install what no program of ours needs.
      WINEDLLOVERRIDES: 'mscoree=;winemenubuilder.exe=',
      ...env,
    };
    const boot = spawnSync('wineboot', ['--init'], { env: this.env, stdio: 'ignore' });
    if (boot.status !== 0) throw new Error(`wineboot ended with exit code ${boot.status}`);
    // Node 22 refuses the Windows 7 that Wine 8 claims to be.
    this.mustRun('reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f');
  }

  /** Runs a program to its end. @param program path on this computer, or a name of Wine's own */
  run(program: string, ...args: string[]): Outcome {
    const files = this.newFiles();
    const stdio = this.open(files);
    const { status } = spawnSync('wine', [program, ...args], { env: this.env, cwd: this.folder, stdio });
    for (const file of stdio.slice(1)) closeSync(file as number);
    return { status, stdout: readFileSync(files.stdout, 'utf8'), stderr: readFileSync(files.stderr, 'utf8') };
  }

  /** @throws Error when the program fails */
  mustRun(program: string, ...args: string[]): string {
    const { status, stdout, stderr } = this.run(program, ...args);
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: exit code ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Starts a program. @returns what reads its output so far */
  start(program: string, ...args: string[]): { child: ChildProcess; output: () => string } {
    const files = this.newFiles();
    const stdio = this.open(files);
    const child = spawn('wine', [program, ...args], { env: this.env, cwd: this.folder, stdio });
    for (const file of stdio.slice(1)) closeSync(file as number);
    this.children.push(child);
    return { child, output: () => readFileSync(files.stdout, 'utf8') + readFileSync(files.stderr, 'utf8') };
  }

  /** Ends everything that runs in this installation, and removes it. */
  stop(): void {
    spawnSync('wineserver', ['--kill'], { env: this.env });
    spawnSync('wineserver', ['--wait'], { env: this.env });
    for (const child of this.children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private newFiles(): { stdout: string; stderr: string } {
    const folder = join(this.folder, 'output', String(++this.runs));
    mkdirSync(folder, { recursive: true });
    return { stdout: join(folder, 'stdout'), stderr: join(folder, 'stderr') };
  }

  /** Node for Windows cannot write to the sockets that Node gives its children as pipes: it ends with EBADF in Wine. */
  private open({ stdout, stderr }: { stdout: string; stderr: string }): ('ignore' | number)[] {
    return ['ignore', openSync(stdout, 'w'), openSync(stderr, 'w')];
  }
}

/** Returns how programs for Windows name a file of this computer. */
export function windowsPath(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}
