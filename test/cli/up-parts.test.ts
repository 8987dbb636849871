import { givenParts, openServersWarning, type GivenParts, type UpOptions } from '../../cli/verbs/up/parts.ts';

const parts = (given: Partial<GivenParts>): GivenParts => ({ contexts: [], clusters: [], ...given });

describe('embedded servers without a password', () => {
  it('cause a warning when they control clusters on other machines', () => {
    expect(openServersWarning(parts({ kubeconfig: 'prod.yaml' }))).toBe(
      'warning: the embedded Temporal has no password, so every user of this machine can change the clusters of prod.yaml; on a shared machine set TEMPORAL_ADDRESS (SECURITY.md)',
    );
  });

  it('cause no warning beside the embedded control plane, nor when no server is embedded', () => {
    expect(openServersWarning(parts({}))).toBeNull();
    const given = { kubeconfig: 'prod.yaml', temporalAddress: 'temporal:7233' };
    expect(openServersWarning(parts(given))).toBeNull();
  });
});

describe('the number of embedded clusters', () => {
  it('is refused beside a kubeconfig, which names the clusters', async () => {
    const options = { kubeContext: [], kubeconfig: 'prod.yaml', clusters: 2 } as unknown as UpOptions;
    await expect(givenParts(options, {})).rejects.toThrow(
      '--clusters 2 starts embedded clusters, but --kubeconfig prod.yaml names the clusters to control; leave out one of these options',
    );
  });
});

describe('the option with a name for one cluster', () => {
  it('is refused for several embedded clusters before any process is started', async () => {
    const options = { kubeContext: [], clusterName: 'east', clusters: 2 } as unknown as UpOptions;
    await expect(givenParts(options, {})).rejects.toThrow(
      '--cluster-name east names one cluster, but --clusters 2 starts several clusters; leave out one of these options',
    );
    await expect(givenParts({ ...options, clusters: 1 }, {})).resolves.toMatchObject({ clusters: [] });
  });
});
