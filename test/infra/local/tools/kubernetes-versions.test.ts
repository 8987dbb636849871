import { describe, expect, it } from '@jest/globals';
import { goTools } from '../../../../infra/local/tools/catalog.ts';
import {
  DEFAULT_KUBERNETES,
  gangFeatures,
  isOlderMinor,
  KUBERNETES_MINORS,
  kubernetesVersion,
  minorVersion,
  nextKubernetes,
  wantedKubernetes,
} from '../../../../infra/local/tools/kubernetes-versions.ts';

describe('the table of Kubernetes versions', () => {
  it.each(KUBERNETES_MINORS)('has a patch version of %s', (minor) => {
    expect(minorVersion(kubernetesVersion(minor).kubernetes)).toBe(minor);
  });

  it('orders the versions of Kubernetes and of etcd', () => {
    const versions = KUBERNETES_MINORS.map(kubernetesVersion);
    for (const [index, { kubernetes, etcd }] of versions.entries()) {
      const before = versions[index - 1];
      if (before === undefined) continue;
      expect(isOlderMinor(before.kubernetes, kubernetes)).toBe(true);
      expect(isOlderMinor(etcd, before.etcd)).toBe(false);
    }
  });

  it('gives each version its own programs, and every version the same Temporal', () => {
    const [old, current] = [goTools(kubernetesVersion('1.35')), goTools(kubernetesVersion('1.37'))];
    const toolVersion = (tools: typeof old, wanted: string): string | undefined =>
      tools.find(({ name }) => name === wanted)?.version;
    expect([toolVersion(old, 'kube-apiserver'), toolVersion(current, 'kube-apiserver')]).toEqual([
      '1.35.4',
      '1.37.2',
    ]);
    expect([toolVersion(old, 'etcd'), toolVersion(current, 'etcd')]).toEqual(['3.6.5', '3.7.0']);
    expect(toolVersion(old, 'temporal')).toBe(toolVersion(current, 'temporal'));
    expect(current.find(({ name }) => name === 'kubectl')).toMatchObject({
      moduleVersion: 'v1.37.2',
      stagingVersion: 'v0.37.2',
      versionText: 'v1.37.2',
    });
  });
});

describe('the variable for the Kubernetes version', () => {
  it('chooses a version of the table, or the default when it is empty', () => {
    expect(wantedKubernetes('1.34')).toBe('1.34');
    expect(wantedKubernetes('')).toBe(DEFAULT_KUBERNETES);
  });

  it.each(['1.33', '1.36.3', 'latest', 'toString'])(
    'is refused with the valid choices when it is %s',
    (wanted) => {
      expect(() => wantedKubernetes(wanted)).toThrow(
        `JOBLEDGER_LOCAL_KUBERNETES is "${wanted}"; choose one of 1.34, 1.35, 1.36, 1.37`,
      );
    },
  );
});

describe('the Kubernetes version of a state directory', () => {
  it.each([
    ['stays without the variable, also when it is not the default', '1.35', undefined, '1.35'],
    ['stays when the variable is empty', '1.37', '', '1.37'],
    ['stays when the variable names it', '1.35', '1.35', '1.35'],
    ['goes to the next version when the variable names the next version', '1.36', '1.37', '1.37'],
  ])('follows the variable for the version: the version %s', (_case, stored, wanted, version) => {
    expect(nextKubernetes({ dir: '/state', stored, wanted })).toBe(version);
  });

  it.each([
    [
      'does not rise by two minor versions at once',
      '1.34',
      '1.36',
      'the local cluster in /state has Kubernetes 1.34, and JOBLEDGER_LOCAL_KUBERNETES is 1.36: an upgrade goes one minor version at a time; set 1.35 first',
    ],
    [
      'does not go back',
      '1.37',
      '1.36',
      'the local cluster in /state has Kubernetes 1.37, and JOBLEDGER_LOCAL_KUBERNETES is 1.36: its data cannot be downgraded; set 1.37, or choose another --state-dir for a new cluster',
    ],
    ['does not become an unknown version', '1.36', '2.0', 'JOBLEDGER_LOCAL_KUBERNETES is "2.0"; choose one'],
    [
      'cannot be run when a later Jobledger chose it',
      '1.40',
      undefined,
      'the local cluster in /state has Kubernetes 1.40, which this version of Jobledger cannot run',
    ],
  ])('is refused with advice in any other case: the version %s', (_case, stored, wanted, message) => {
    expect(() => nextKubernetes({ dir: '/state', stored, wanted })).toThrow(message);
  });
});

describe('the support of gang scheduling in the local cluster', () => {
  it('has other feature gates and another version of the API in Kubernetes 1.36 than in 1.37', () => {
    expect(gangFeatures('1.36')).toMatchObject({ api: 'scheduling.k8s.io/v1alpha2' });
    expect(gangFeatures('1.36').gates).toContain('GangScheduling');
    expect(gangFeatures('1.37')).toMatchObject({ api: 'scheduling.k8s.io/v1beta1' });
    // This gate would stop its API server.
    expect(gangFeatures('1.37').gates).not.toContain('GangScheduling');
  });

  it.each(['1.34', '1.35'] as const)('is refused for the version %s', (minor) => {
    expect(() => gangFeatures(minor)).toThrow(
      `the local cluster has Kubernetes ${minor}, which schedules no gangs: omit --gang-scheduling (JOBLEDGER_GANG_SCHEDULING), or choose 1.36 or 1.37 with JOBLEDGER_LOCAL_KUBERNETES`,
    );
  });
});
