/** The files in deploy/, loaded by the programs that read them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { Cli, REPOSITORY } from '../support/cli.js';
import { missingProgram, readDeployFile, writeCertificate, writeStoreConfiguration } from '../support/deployment.js';
import { REDIS_PROGRAM, RedisServer } from '../support/redis.js';
import { freePort } from '../support/supervisor.js';
import { tempFolder } from '../support/temp.js';

const base = tempFolder();

/** The test that loads each file: with its program, where it is installed. */
const LOADED_BY: Record<string, string> = {
  Containerfile: 'tests/long/image.test.ts',
  'acqstore@.service': 'tests/scale/deploy.test.ts',
  'conda/recipe.yaml': 'tests/python/conda.test.ts',
  'compose.yaml': 'tests/scale/deploy-files.test.ts',
  'grafana.json': 'tests/scale/deploy.test.ts',
  'haproxy.cfg': 'tests/scale/routing.test.ts',
  'image-root.sh': 'tests/long/image.test.ts',
  'kustomize/base/deployment.yaml': 'tests/scale/deploy-files.test.ts',
  'kustomize/base/kustomization.yaml': 'tests/scale/deploy-files.test.ts',
  'kustomize/base/service.yaml': 'tests/scale/deploy-files.test.ts',
  'kustomize/overlays/one-instance/kustomization.yaml': 'tests/scale/deploy-files.test.ts',
  'kustomize/overlays/with-store/kustomization.yaml': 'tests/scale/deploy-files.test.ts',
  'nginx.conf': 'tests/scale/routing.test.ts',
  'slurm/array.sh': 'tests/long/slurm.test.ts',
  'snakemake/Snakefile': 'tests/scale/batches.test.ts',
  'valkey-acl': 'tests/scale/store.test.ts',
};

it('every file in deploy/ is loaded by a test', () => {
  const entries = readdirSync(join(REPOSITORY, 'deploy'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const names = files.map((path) => relative(join(REPOSITORY, 'deploy'), path).replaceAll('\\', '/'));
  expect(names.sort()).toEqual(Object.keys(LOADED_BY).sort());
});

describe('the files in deploy/', () => {
  const lacking = missingProgram('haproxy', 'nginx', 'openssl');
  if (lacking) console.warn(`NO BALANCER: ${lacking} is not installed; the files in deploy/ were not checked`);
  const { certificate, key, both } = lacking ? { certificate: '', key: '', both: '' } : writeCertificate(base);
  const env = { PATH: `${process.env['PATH']}:/usr/sbin` };

  it.skipIf(lacking)('are valid for HAProxy', () => {
    const file = join(base, 'haproxy.cfg');
    const text = readDeployFile('haproxy.cfg').replace('/etc/haproxy/acqstore.pem', both);
    writeFileSync(file, text);
    // -dW: warnings are errors.
    execFileSync('haproxy', ['-c', '-dW', '-f', file], { env, stdio: 'pipe' });
    writeFileSync(file, text.replace('# hash-balance', 'hash-balance'));
    execFileSync('haproxy', ['-c', '-dW', '-f', file], { env, stdio: 'pipe' });
  });

  it.skipIf(lacking)('are valid for nginx', () => {
    const file = join(base, 'nginx.conf');
    const text = readDeployFile('nginx.conf')
      .replace('/etc/nginx/acqstore.pem', certificate)
      .replace('/etc/nginx/acqstore.key', key)
      .replaceAll('/var/log/nginx', base)
      .replace('events {', 'pid nginx.pid;\nevents {');
    writeFileSync(file, text);
    execFileSync('nginx', ['-t', '-q', '-p', base, '-c', file], { env, stdio: 'pipe' });
  });

  const kubectl = missingProgram('kubectl');
  if (kubectl) console.warn('NO KUBERNETES: kubectl is not installed; the overlays in deploy/ were not built by it');
  it.skipIf(kubectl).each([
    ['one-instance', 1],
    ['with-store', 3],
  ])('are valid for Kubernetes: %s', (overlay, replicas) => {
    const folder = join(REPOSITORY, 'deploy/kustomize/overlays', overlay);
    const built = execFileSync('kubectl', ['kustomize', folder], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const manifests = parseAllDocuments(built).map((document) => document.toJS());
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(['Deployment', 'Service']);
    expect(manifests.find(({ kind }) => kind === 'Deployment').spec.replicas).toBe(replicas);
  });

  const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0;
  if (!hasCompose)
    console.warn('NO COMPOSE: docker compose is not installed; deploy/compose.yaml was not loaded by it');
  it.skipIf(!hasCompose)('are valid for Compose', () => {
    execFileSync('docker', ['compose', '--file', join(REPOSITORY, 'deploy/compose.yaml'), 'config', '--quiet']);
  });

  it.skipIf(!REDIS_PROGRAM)(
    'start an instance by the command and the settings of the unit, with the store of the guide',
    async () => {
      const folder = join(base, 'unit');
      mkdirSync(folder);
      const store = await RedisServer.start('--include', writeStoreConfiguration(folder, 'secret'));
      onTestFinished(() => store.kill());
      const cli = new Cli();
      onTestFinished(() => cli.close());
      const { stdout: token } = await cli.run(['token', 'ana', '--root', folder]);
      writeFileSync(join(folder, 'tokens'), token, { mode: 0o600 });
      writeFileSync(join(folder, 'session-store'), `redis://acqstore:secret@127.0.0.1:${store.port}\n`, {
        mode: 0o600,
      });

      const guide = readFileSync(join(REPOSITORY, 'docs', 'operating.md'), 'utf8');
      const [, settings = ''] = /```text\n(ACQSTORE_HOST=[\s\S]*?)```/.exec(guide) ?? [];
      const [port, opsPort] = [await freePort(), await freePort()];
      const local = settings
        .replace('192.0.2.11:9767', `127.0.0.1:${opsPort}`)
        .replace('192.0.2.11', '127.0.0.1')
        .replace('=/data', `=${folder}`);
      const env = Object.fromEntries(
        local
          .trim()
          .split('\n')
          .map((line) => line.split('=') as [string, string]),
      );
      const [, command = ''] = /^ExecStart=acqstore (.*)$/m.exec(readDeployFile('acqstore@.service')) ?? [];
      const args = command
        .replaceAll(/\$\{CREDENTIALS_DIRECTORY\}/g, folder)
        .replace('/var/lib/acqstore-%i', join(folder, 'state'))
        .replaceAll('%i', String(port));
      const running = cli.start(args.split(' '), env);
      await running.says(/Ctrl-C/);
      expect((await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status).toBe(200);
    },
  );
});
