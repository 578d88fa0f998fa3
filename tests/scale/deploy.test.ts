/** What deploy/ has for systemd, containers, Kubernetes and Grafana. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../packages/server/src/cli/setting-list.js';
import { createPrometheus } from '../../packages/server/src/server/prometheus.js';
import { REPOSITORY } from '../support/cli.js';
import { missingProgram, readDeployFile } from '../support/deployment.js';
import { tempFolder } from '../support/temp.js';

const base = tempFolder();
const FLAGS = new Set(SETTINGS.map(({ name }) => `--${name}`));
const flagsIn = (words: readonly string[]) =>
  words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]!);

/** The keys at each path, `*` for the items of a list. A key that Kubernetes does not know is ignored there, silently. */
const KUBERNETES: Record<string, readonly string[]> = {
  Deployment: [
    'apiVersion kind metadata.name metadata.labels.app spec.replicas spec.selector.matchLabels.app',
    'spec.template.metadata.labels.app spec.template.metadata.annotations.prometheus.io/scrape',
    'spec.template.metadata.annotations.prometheus.io/port',
    ...[
      'automountServiceAccountToken terminationGracePeriodSeconds securityContext.runAsNonRoot securityContext.runAsUser',
      'securityContext.runAsGroup securityContext.fsGroup securityContext.seccompProfile.type',
      'volumes.*.name volumes.*.persistentVolumeClaim.claimName volumes.*.persistentVolumeClaim.readOnly',
      'volumes.*.emptyDir volumes.*.secret.secretName volumes.*.secret.defaultMode',
      'containers.*.name containers.*.image containers.*.args.* containers.*.ports.*.name',
      'containers.*.ports.*.containerPort containers.*.livenessProbe.httpGet.path containers.*.livenessProbe.httpGet.port',
      'containers.*.livenessProbe.periodSeconds containers.*.livenessProbe.failureThreshold',
      'containers.*.readinessProbe.httpGet.path containers.*.readinessProbe.httpGet.port',
      'containers.*.readinessProbe.periodSeconds containers.*.readinessProbe.failureThreshold',
      'containers.*.resources.requests.cpu containers.*.resources.requests.memory containers.*.resources.limits.memory',
      'containers.*.securityContext.allowPrivilegeEscalation containers.*.securityContext.readOnlyRootFilesystem',
      'containers.*.securityContext.capabilities.drop.* containers.*.volumeMounts.*.name',
      'containers.*.volumeMounts.*.mountPath containers.*.volumeMounts.*.readOnly',
    ].map((line) => line.replace(/\S+/g, 'spec.template.spec.$&')),
  ],
  Service: [
    'apiVersion kind metadata.name metadata.labels.app spec.clusterIP spec.selector.app',
    'spec.ports.*.name spec.ports.*.port spec.ports.*.targetPort',
  ],
  Kustomization: [
    'apiVersion kind namespace resources.* replicas.*.name replicas.*.count',
    'patches.*.target.kind patches.*.target.name patches.*.patch',
  ],
};

function leaves(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [path];
  return Object.entries(value).flatMap(([key, item]) => {
    const step = Array.isArray(value) ? '*' : key;
    return leaves(item, path === '' ? step : `${path}.${step}`);
  });
}

describe('the unit of systemd', () => {
  const lacking = missingProgram('systemd-analyze');
  if (lacking) console.warn('SKIPPED: the unit in deploy/ is not verified, because systemd-analyze is not installed');
  const unit = readDeployFile('acqstore@.service');

  it('has settings of the server', () => {
    const words = /^ExecStart=(.*)$/m.exec(unit)![1]!.split(' ');
    expect(flagsIn(words).filter((flag) => !FLAGS.has(flag))).toEqual([]);
  });

  it.skipIf(lacking)('has the command by its name, which systemd finds where npm installs it', () => {
    const { bin } = JSON.parse(readFileSync(join(REPOSITORY, 'packages/server/package.json'), 'utf8'));
    expect(Object.keys(bin)).toEqual([/^ExecStart=(\S+) serve /m.exec(unit)?.[1]]);
    const path = execFileSync('systemd-path', ['search-binaries-default'], { encoding: 'utf8' }).trim().split(':');
    // npm of Debian, and npm of other packages of Node.
    expect(path).toEqual(expect.arrayContaining(['/usr/local/bin', '/usr/bin']));
  });

  it.skipIf(lacking)('is valid, and exposes little', () => {
    const file = join(base, 'acqstore@8767.service');
    writeFileSync(file, unit.replace('ExecStart=acqstore ', `ExecStart=${process.execPath} `));
    execFileSync('systemd-analyze', ['verify', '--man=no', file], { stdio: 'pipe' });
    // The exposure that systemd prints, times ten.
    execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file], { stdio: 'pipe' });
  });
});

describe('the manifests of Kubernetes', () => {
  const names = ['base/deployment', 'base/service', 'base/kustomization'];
  for (const overlay of ['one-instance', 'with-store']) names.push(`overlays/${overlay}/kustomization`);

  it.each(names)('have known keys and settings: %s', (name) => {
    const manifest = parse(readDeployFile(`kustomize/${name}.yaml`), { strict: true });
    const known = new Set(KUBERNETES[manifest.kind]!.flatMap((line) => line.split(' ')));
    expect(leaves(manifest).filter((path) => !known.has(path))).toEqual([]);
    const { args = [] } = manifest.spec?.template?.spec.containers[0] ?? {};
    expect(flagsIn(args).filter((flag) => !FLAGS.has(flag))).toEqual([]);
    const folder = join(REPOSITORY, 'deploy', 'kustomize', name, '..');
    for (const resource of manifest.resources ?? []) expect(existsSync(join(folder, resource))).toBe(true);
  });

  it('patch what the base has', () => {
    const overlay = parse(readDeployFile('kustomize/overlays/with-store/kustomization.yaml'));
    const deployment = parse(readDeployFile('kustomize/base/deployment.yaml'));
    const [{ op, path, value }] = parse(overlay.patches[0].patch);
    expect([op, path]).toEqual(['add', '/spec/template/spec/containers/0/args/-']);
    expect(flagsIn([value]).every((flag) => FLAGS.has(flag))).toBe(true);
    expect(overlay.replicas[0].name).toBe(deployment.metadata.name);
    const { volumes, containers } = deployment.spec.template.spec;
    const mounts = containers[0].volumeMounts.map(({ name }: { name: string }) => name);
    expect(mounts).toEqual(volumes.map(({ name }: { name: string }) => name));
  });
});

describe('the files for containers', () => {
  it('are consistent and have settings of the server', () => {
    const { services, secrets, volumes } = parse(readDeployFile('compose.yaml'), { strict: true, merge: true });
    for (const name of ['one', 'two']) {
      const service = services[name];
      expect(flagsIn(service.command).filter((flag) => !FLAGS.has(flag))).toEqual([]);
      expect(service.read_only).toBe(true);
      expect(service.secrets.filter((secret: string) => !(secret in secrets))).toEqual([]);
    }
    expect(services.store.volumes.some((volume: string) => volume.split(':')[0]! in volumes)).toBe(true);
    const image = readDeployFile('Containerfile');
    const [, command] = /^CMD (\[.*\])$/m.exec(image)!;
    expect(flagsIn(JSON.parse(command!)).filter((flag) => !FLAGS.has(flag))).toEqual([]);
    const variables = [...image.matchAll(/ACQSTORE_([A-Z_]+)=/g)].map(
      ([, name]) => `--${name!.toLowerCase().replaceAll('_', '-')}`,
    );
    expect(variables.length).toBeGreaterThan(1);
    expect(variables.filter((flag) => !FLAGS.has(flag))).toEqual([]);
  });
});

describe('metrics', () => {
  const load = {
    usedBytes: 0,
    scratchBytes: 0,
    budgetBytes: 0,
    sessions: 0,
    followers: 0,
    queue: 0,
    workers: { busy: 0, idle: 0, stuck: 0 },
  };
  const served = async () => {
    const prometheus = await createPrometheus({ load: () => load, roots: () => [true], isDraining: () => false });
    return new Set([...(await prometheus.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
  };
  const namesIn = (text: string) => [
    ...new Set([...text.matchAll(/\bacqstore_[a-z0-9_]+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, ''))),
  ];

  it('of the dashboard are served', async () => {
    const dashboard = JSON.parse(readDeployFile('grafana.json'));
    const queries = dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets);
    const names = namesIn(queries.map(({ expr }: { expr: string }) => expr).join('\n'));
    const known = await served();
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it('of the documentation are those that are served', async () => {
    const table = /## Metrics\n([\s\S]*?)\n## /.exec(
      readFileSync(join(REPOSITORY, 'docs', 'operating.md'), 'utf8'),
    )![1]!;
    const documented = namesIn([...table.matchAll(/^\| `(acqstore_[a-z_]+)/gm)].map(([, name]) => name!).join('\n'));
    const own = [...(await served())].filter((name) => !/^acqstore_(process|nodejs)_/.test(name));
    expect(documented.sort()).toEqual(own.sort());
  });
});
