import { describe, expect, it } from '@jest/globals';
import { requirePlacedWithin } from '../../services/api/submission/placed-within.ts';
import type { Manifest } from '../../services/api/submission/manifest.ts';
import { allowsNamespace, parseClusters } from '../../services/worker/placement/clusters/allowed-clusters.ts';

function aPlacedJob(clusters?: string): Manifest {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: 'pi',
      namespace: 'team-a',
      ...(clusters !== undefined && { annotations: { 'jobledger.dev/clusters': clusters } }),
    },
    spec: { managedBy: 'jobledger.dev/placement', template: {} },
  };
}

describe('a caller with rights in one namespace of some clusters', () => {
  const places = ['east', 'west'].map((cluster) => ({ cluster, namespace: 'team-a' }));
  const submitted = (clusters?: string) => (): void =>
    requirePlacedWithin({ places }, 'team-a', aPlacedJob(clusters));

  it('can place a Job in these clusters', () => {
    expect(submitted('west, east')).not.toThrow();
  });

  it.each([
    [undefined, 'name only clusters where you do'],
    ['region=eu', 'name only clusters where you do'],
    ['west, north', 'you have no rights in the namespace "team-a" of north'],
  ])('cannot place a Job whose annotation permits other clusters: %s', (clusters, message) => {
    expect(submitted(clusters)).toThrow(message);
  });

  it('can submit any Job that is not placed', () => {
    const ordinary = { ...aPlacedJob(), spec: { template: {} } };
    expect(() => requirePlacedWithin({ places }, 'team-a', ordinary)).not.toThrow();
  });
});

describe('a caller with rights in a namespace of all clusters', () => {
  it.each([[null], [[{ cluster: '*', namespace: 'team-a' }]]])(
    'can place a Job in any cluster when the places of the token are %j',
    (places) => {
      expect(() => requirePlacedWithin({ places }, 'team-a', aPlacedJob())).not.toThrow();
    },
  );
});

describe('a cluster that accepts placed Jobs from all namespaces', () => {
  it('accepts none from a namespace of the system, unless the operator names that namespace', () => {
    const [all, named] = [['*'], ['*', 'kube-system']].map((namespaces) => {
      const clusters = [{ name: 'west', allow: [{ home: 'east', namespaces }] }];
      return parseClusters(JSON.stringify({ clusters }))[0];
    });
    if (all === undefined || named === undefined) throw new Error('not read');
    expect(allowsNamespace(all, 'east', 'team-a')).toBe(true);
    expect(allowsNamespace(all, 'east', 'kube-system')).toBe(false);
    expect(allowsNamespace(named, 'east', 'kube-system')).toBe(true);
    expect(allowsNamespace(named, 'north', 'kube-system')).toBe(false);
  });
});
