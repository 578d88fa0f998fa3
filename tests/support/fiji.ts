/** Builds the plug-in for ImageJ, and runs programs with it. */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from './cli.js';
import { programPath } from './desktop.js';

const FOLDER = join(REPOSITORY, 'fiji');
const POM = readFileSync(join(FOLDER, 'pom.xml'), 'utf8');
const [, VERSION = ''] = /<version>(.*)<\/version>/.exec(POM) ?? [];
const [, IMAGEJ_VERSION = ''] = /<imagej\.version>(.*)<\/imagej\.version>/.exec(POM) ?? [];
export const PLUGIN_JAR = join(FOLDER, `target/Acquisition_Store-${VERSION}.jar`);
/** The ImageJ that the plug-in is built with, which Maven fetches; or another one to try it with. */
const PLUGIN_IMAGEJ =
  process.env['IMAGEJ_JAR'] ??
  join(homedir(), `.m2/repository/net/imagej/ij/${IMAGEJ_VERSION}/ij-${IMAGEJ_VERSION}.jar`);
const PROBE = join(REPOSITORY, 'tests/support/fiji/Probe.java');

const missing = ['mvn', 'java', 'javac'].filter((name) => !programPath(name));
/** What the plug-in needs and is not there. */
export const PLUGIN_MISSING = missing.at(0);
if (PLUGIN_MISSING !== undefined) {
  console.warn(`NO PLUG-IN FOR IMAGEJ: its tests need ${missing.join(', ')} (Debian: maven, default-jdk-headless)`);
}
export const DISPLAY_MISSING = programPath('xvfb-run') ? undefined : 'xvfb-run';
if (DISPLAY_MISSING) console.warn('NO WINDOWS OF IMAGEJ: their tests need xvfb-run (Debian: xvfb)');

/** Builds the jar with what Maven has, and otherwise from Maven Central. */
export async function buildPlugin(): Promise<void> {
  const build = (...options: string[]) =>
    promisify(execFile)('mvn', ['-q', '-B', ...options, 'package'], { cwd: FOLDER });
  await build('-o').catch(() => build());
  if (!existsSync(PLUGIN_JAR)) throw new Error(`Maven did not write ${PLUGIN_JAR}`);
}

interface Setting {
  env: NodeJS.ProcessEnv;
  /** In a window on a display of its own. */
  hasWindows?: boolean;
}

function start(args: readonly string[], { env, hasWindows = false }: Setting): ChildProcessWithoutNullStreams {
  const java = ['java', `-Djava.awt.headless=${!hasWindows}`, ...args];
  const [program = '', ...rest] = hasWindows ? ['xvfb-run', '-a', ...java] : java;
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith('ACQSTORE_'));
  return spawn(program, rest, { env: { ...Object.fromEntries(clean), ...env } });
}

/** A probe that waits for its next step. */
export interface Steps {
  /** Sends a line, and returns the next line that the probe prints. */
  step(line: string): Promise<string>;
  close(): Promise<void>;
}

const javaArgs = (program: string, args: readonly string[]) => [
  '-cp',
  `${PLUGIN_IMAGEJ}:${PLUGIN_JAR}`,
  program,
  ...args,
];

/** Returns what a program in one file prints. */
export function runJava(program: string, args: readonly string[], setting: Setting): Promise<string> {
  return output(start(javaArgs(program, args), setting));
}

/** Returns what Probe.java prints. */
export function runProbe(args: readonly string[], setting: Setting): Promise<string> {
  return runJava(PROBE, args, setting);
}

/** Returns what ImageJ itself prints. @param args options of ImageJ */
export function runImageJWithPlugin(home: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return output(start(['-jar', PLUGIN_IMAGEJ, '-ijpath', home, ...args], { env, hasWindows: true }));
}

async function output(child: ChildProcessWithoutNullStreams): Promise<string> {
  const text = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text.stdout += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text.stderr += part));
  child.stdin.end();
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0) throw new Error(`exit code ${code}: ${text.stdout}${text.stderr}`);
  return text.stdout;
}

/** Starts a probe of one acquisition, and waits until it is open. */
export async function startSteps(args: readonly string[], setting: Setting): Promise<Steps> {
  const child = start(javaArgs(PROBE, args), setting);
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  let [text, said, wake] = ['', '', () => {}];
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  void ended.then(() => wake());
  const nextLine = async () => {
    while (!text.includes('\n')) {
      if (child.exitCode !== null) throw new Error(`the probe ended: ${said}`);
      await new Promise<void>((done) => (wake = done));
    }
    const [line = '', ...rest] = text.split('\n');
    text = rest.join('\n');
    return line;
  };
  while ((await nextLine()) !== 'ready');
  return {
    step(line) {
      child.stdin.write(`${line}\n`);
      return nextLine();
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

/** A door in front of a server that writes down who came through. */
export interface Door {
  url: string;
  /** Such as `DELETE /sessions/ID 200`, with `ID` for each id. */
  requests: string[];
  close(): Promise<void>;
}

export async function openDoor(target: string): Promise<Door> {
  const { hostname, port, host } = new URL(target);
  const requests: string[] = [];
  const door = createServer((incoming, outgoing) => {
    const options = {
      hostname,
      port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...incoming.headers, host },
    };
    const upstream = request(options as object, (response) => {
      const path = String(incoming.url)
        .replace('/api/v2', '')
        .replace(/[0-9a-f]{32}/, 'ID');
      requests.push(`${incoming.method} ${path} ${response.statusCode}`);
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((done) => door.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    requests,
    close: () => {
      door.closeAllConnections();
      return new Promise((done) => door.close(() => done()));
    },
  };
}
