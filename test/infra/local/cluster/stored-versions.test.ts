import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseKubernetes, storeVersions } from '../../../../infra/local/cluster/versions.ts';
import { DEFAULT_KUBERNETES } from '../../../../infra/local/tools/kubernetes-versions.ts';
import type { StateDirectory } from '../../../../infra/local/state/state-directory.ts';

let dir: string;
let state: StateDirectory;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'jobledger-versions-'));
  state = { dir, at: (...parts) => path.join(dir, ...parts), release: () => undefined };
});
afterEach(() => {
  delete process.env['JOBLEDGER_LOCAL_KUBERNETES'];
  delete process.env['JOBLEDGER_ETCD'];
  rmSync(dir, { recursive: true, force: true });
});

/** The version chosen at a start with this value of the variable, of a cluster that has these Workloads. */
function chosen(variable?: string, workloads: readonly string[] = []): Promise<string> {
  if (variable !== undefined) process.env['JOBLEDGER_LOCAL_KUBERNETES'] = variable;
  const context = { state, report: () => undefined, signal: new AbortController().signal };
  return chooseKubernetes(context, (_cluster, resources) =>
    Promise.resolve(resources.includes('workloads') ? workloads.map((name) => `workloads ${name}`) : []),
  );
}

/** etcd has run in the state directory. */
function etcdHasRun(): void {
  mkdirSync(path.join(dir, 'cluster', 'local', 'etcd', 'member'), { recursive: true });
}

/** A program that says which etcd it is. */
function etcd(version: string): string {
  const file = path.join(dir, `etcd-${version}`);
  writeFileSync(file, `#!/bin/sh\necho 'etcd Version: ${version}'\n`, { mode: 0o700 });
  return file;
}

describe('a state directory without data of a cluster', () => {
  it('gets the default Kubernetes version, or the version that the variable names', async () => {
    expect(await chosen()).toBe(DEFAULT_KUBERNETES);
    expect(await chosen('1.34')).toBe('1.34');
  });

  it('accepts any Kubernetes version, even if a failed start has stored another version', async () => {
    await storeVersions(state, '1.37', etcd('3.7.0'));
    expect(await chosen('1.34')).toBe('1.34');
  });
});

describe('a state directory with data', () => {
  it('is refused when the file with its versions is missing', async () => {
    etcdHasRun();
    const missing =
      /versions\.json, with the versions of .*, is missing: restore it, or choose another --state-dir$/;
    await expect(chosen()).rejects.toThrow(missing);
    await expect(storeVersions(state, '1.36', etcd('3.6.8'))).rejects.toThrow(missing);
  });

  it('keeps its Kubernetes version by default, and accepts the next version but not an older version', async () => {
    await storeVersions(state, '1.34', etcd('3.6.4'));
    etcdHasRun();
    expect(await chosen()).toBe('1.34');
    expect(await chosen('1.35')).toBe('1.35');
    await storeVersions(state, '1.35', etcd('3.6.5'));
    await expect(chosen('1.34')).rejects.toThrow('its data cannot be downgraded');
  });

  it('accepts Kubernetes 1.37 when it has no objects that Kubernetes 1.37 cannot read', async () => {
    process.env['JOBLEDGER_ETCD'] = etcd('3.6.8');
    await storeVersions(state, '1.36', etcd('3.6.8'));
    etcdHasRun();
    expect(await chosen('1.37')).toBe('1.37');
    await expect(chosen('1.37', ['team-a/train'])).rejects.toThrow(
      'the cluster "local" has objects that Kubernetes 1.37 cannot read: workloads team-a/train; start it with JOBLEDGER_LOCAL_KUBERNETES=1.36 and --gang-scheduling, suspend the Jobs that have a gang, delete the objects (kubectl delete podgroups,workloads --all --all-namespaces), and upgrade again',
    );
    const many = Array.from({ length: 12 }, (_, index) => `team-a/train-${index}`);
    await expect(chosen('1.37', many)).rejects.toThrow('workloads team-a/train-9 and 2 more; start it');
    expect(await chosen('1.36', ['team-a/train'])).toBe('1.36');
  });

  it('is not opened by an older etcd than the etcd that wrote it', async () => {
    await storeVersions(state, '1.36', etcd('3.7.0'));
    etcdHasRun();
    const refused =
      /^etcd 3\.6\.8 \(.*\) cannot open the data in .*, which etcd 3\.7\.0 has written; name an etcd 3\.7 in JOBLEDGER_ETCD, or choose another --state-dir$/;
    await expect(storeVersions(state, '1.36', etcd('3.6.8'))).rejects.toThrow(refused);
    // Also not to look for objects that the next version cannot read.
    process.env['JOBLEDGER_ETCD'] = etcd('3.6.8');
    await expect(chosen('1.37')).rejects.toThrow(refused);
  });
});
