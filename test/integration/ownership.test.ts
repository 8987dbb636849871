import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { playKubelet, type PlayedKubelet } from '../support/played-kubelet.ts';
import { RESERVED_FINALIZER } from '../../workflows/kubernetes/names.ts';

// In the built-in controller's place, on a cluster without a kubelet: the tests play it.
let installation: Installation;
let kubelet: PlayedKubelet;

beforeAll(async () => {
  installation = await install({
    claim: 'all',
    node: false,
    environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '100' },
  });
  await installation.startServices();
  kubelet = playKubelet(installation.cluster.client);
}, 240_000);

afterAll(() => installation.stop(), 60_000);

describe('a Job that names no controller', () => {
  it('is driven to its end, its pods tracked by the reserved finalizer (J-15.10, J-4.33)', async () => {
    const { cluster } = installation;
    await cluster.createJob('plain', {}, {});
    await cluster.jobWhere('plain', 'has a pod', ({ status }) => status?.active === 1);
    const [pod] = await cluster.podsOf('plain');
    expect(pod?.metadata.finalizers).toEqual([RESERVED_FINALIZER]);
    const name = pod?.metadata.name ?? '';
    await kubelet.ready(name);
    await cluster.jobWhere('plain', 'has a ready pod', ({ status }) => status?.ready === 1);
    await kubelet.succeed(name);
    const { status } = await cluster.finished('plain');
    expect(status).toMatchObject({ succeeded: 1, ready: 0, terminating: 0 });
    await eventually('its pod is free', 5, async () => {
      const [left] = await cluster.podsOf('plain');
      return left?.metadata.finalizers === undefined ? true : undefined;
    });
  });
});
