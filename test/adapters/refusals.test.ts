import {
  rethrowAsRefusal,
  createRefusals,
  type Refusals,
} from '../../services/adapters/kubernetes/refusals.ts';
import { InputError, KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { eventually } from '../support/eventually.ts';
import { samplesIn, findSamples } from '../support/metrics.ts';

/** What happens to these clusters, with the real code and short delays. */
function startRefusals(clusters: string[]): {
  refusals: Refusals;
  errors: string[];
  given: string[];
  stop: AbortController;
  shown: () => Promise<Record<string, number>>;
} {
  const [errors, given]: [string[], string[]] = [[], []];
  const log = silentLog();
  log.error = (context: { cluster: string; error: string }) =>
    void errors.push(`${context.cluster}: ${context.error}`);
  const metrics = createMetrics();
  const stop = new AbortController();
  const refusals = createRefusals({
    clusters,
    log,
    metrics,
    signal: stop.signal,
    onRefused: (cluster) => given.push(cluster),
    backoff: { firstMs: 5, longestMs: 10 },
  });
  const shown = async (): Promise<Record<string, number>> =>
    findSamples(samplesIn(await metrics.text()), 'jobledger_cluster_refused');
  return { refusals, errors, given, stop, shown };
}

describe('a cluster that refuses a service while another cluster accepts the service', () => {
  it('gets further requests until it accepts the service, while the other cluster is served and readiness does not wait', async () => {
    const { refusals, errors, given, shown } = startRefusals(['east', 'west']);
    const east = refusals.untilAccepted('east', async (accepted) => {
      accepted();
      return 'east runs';
    });
    expect(await east).toBe('east runs');
    let asked = 0;
    let isLetIn = false;
    const west = refusals.untilAccepted('west', async (accepted) => {
      asked += 1;
      if (!isLetIn) throw new InputError('cluster "west" refuses us: Unauthorized');
      accepted();
      return 'west runs';
    });
    await eventually('west is asked again', 5, async () => (asked >= 3 ? true : undefined));
    expect(await shown()).toEqual({ '{cluster="east"}': 0, '{cluster="west"}': 1 });
    expect(errors).toEqual(['west: cluster "west" refuses us: Unauthorized']);
    expect(given[0]).toBe('west');
    isLetIn = true;
    expect(await west).toBe('west runs');
    expect(await shown()).toEqual({ '{cluster="east"}': 0, '{cluster="west"}': 0 });
  });

  it('is reported again as refusing when a later request fails', async () => {
    const { refusals, shown, stop } = startRefusals(['east']);
    let asked = 0;
    const running = refusals.untilAccepted('east', async (accepted) => {
      asked += 1;
      if (asked === 1) accepted();
      throw new InputError('another cluster answers there');
    });
    await eventually('it is asked again', 5, async () => (asked >= 3 ? true : undefined));
    expect(await shown()).toEqual({ '{cluster="east"}': 1 });
    stop.abort(new Error('stopped'));
    await expect(running).rejects.toThrow(/stopped|another cluster/);
  });
});

describe('the refusal of a service at its start by all of its clusters', () => {
  it('ends the process with the reason of each cluster', async () => {
    const { refusals, stop } = startRefusals(['east', 'west']);
    const attempts = ['east', 'west'].map((cluster) =>
      refusals.untilAccepted(cluster, () => Promise.reject(new InputError(`${cluster} refuses us`))),
    );
    await expect(Promise.race(attempts)).rejects.toThrow('east refuses us\nwest refuses us');
    stop.abort();
    await Promise.allSettled(attempts);
  });

  it('ends the process also when the service has only one cluster', async () => {
    const { refusals } = startRefusals(['east']);
    const refused = refusals.untilAccepted('east', () => Promise.reject(new InputError('east refuses us')));
    await expect(refused).rejects.toThrow('east refuses us');
  });
});

describe('an error that is no refusal', () => {
  it('is not retried as a refusal, and ends the work for the cluster with the error', async () => {
    const { refusals, given } = startRefusals(['east', 'west']);
    const failed = refusals.untilAccepted('east', () => Promise.reject(new Error('a mistake of ours')));
    await expect(failed).rejects.toThrow('a mistake of ours');
    expect(given).toEqual([]);
  });
});

describe('a response of an API server', () => {
  const answer = (status: number): KubernetesApiError =>
    new KubernetesApiError({ status, reason: 'x', message: 'pods is forbidden', causes: [] });

  it.each([
    [
      401,
      'cluster "east" refuses us: pods is forbidden; check the credentials of this context in the kubeconfig',
    ],
    [
      403,
      'cluster "east" refuses us: pods is forbidden; grant our account its rights: kubectl apply -f infra/deploy/kubernetes/rbac.yaml, or for given namespaces the chart with `namespaces`',
    ],
  ])('counts as a refusal, with advice, when its status is %s', (status, message) => {
    expect(() => rethrowAsRefusal('east')(answer(status))).toThrow(new InputError(message));
  });

  it('does not count as a refusal when its status is 404 or 500, or when there is no response', () => {
    for (const error of [answer(404), answer(500), new UnavailableError('away')])
      expect(() => rethrowAsRefusal('east')(error)).toThrow(error);
  });
});
