import { leaseName, leaseNames } from '../../services/shards/lease-name.ts';

describe('the name of a Lease', () => {
  it('contains the name of the installation, so that two installations on one cluster have two Leases', () => {
    expect(leaseName('east', '0a1b2c3d4e')).toBe('jobledger-ingester-east-0a1b2c3d4e');
    expect(leaseName('east', 'ffffffffff')).toBe('jobledger-ingester-east-ffffffffff');
  });

  it('ends with the index of the shard, except for the first shard', () => {
    expect(leaseNames('east', '0a1b2c3d4e').slice(0, 3)).toEqual([
      'jobledger-ingester-east-0a1b2c3d4e',
      'jobledger-ingester-east-0a1b2c3d4e-2',
      'jobledger-ingester-east-0a1b2c3d4e-3',
    ]);
  });

  it.each([
    [
      'arn:aws:eks:us-east-1:42:cluster/Prod_1',
      'jobledger-ingester-arn-aws-eks-us-east-1-42-cluster-prod-1-0a1b2c3d4e',
    ],
    ['.odd.', 'jobledger-ingester-odd-0a1b2c3d4e'],
    ['x'.repeat(300), `jobledger-ingester-${'x'.repeat(180)}-0a1b2c3d4e`],
  ])('is valid in the API for the cluster %s', (cluster, name) => {
    expect(leaseName(cluster, '0a1b2c3d4e')).toBe(name);
  });
});
