import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { loadAllYaml } from '../support/yaml.ts';
import { KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { missingNamespaces, whatIsMissing, type Preflight } from '../../cli/verbs/up/preflight.ts';
import { reportClusters, reportNamespaces } from '../../cli/verbs/up/report-clusters.ts';
import { RIGHTS } from '../../cli/verbs/up/rights.ts';

interface Review {
  spec: { resourceAttributes: { verb: string; group: string; resource: string; namespace?: string } };
}

interface Played {
  /** `verb resource` that we may not do. */
  forbidden?: readonly string[];
  hasNamespace?: boolean;
  /** These namespaces do not exist. */
  without?: readonly string[];
  version?: string;
  /** The claim is `all`. */
  claimsAll?: boolean;
  gangs?: boolean;
  /** The answer to every request. */
  failure?: Error;
}

function aPreflight({ forbidden = [], hasNamespace = true, failure, ...others }: Played): {
  preflight: Preflight;
  asked: ApiRequest[];
} {
  const asked: ApiRequest[] = [];
  const client: KubernetesClient = {
    cluster: 'east',
    async request<R>(request: ApiRequest): Promise<R> {
      asked.push(request);
      if (failure !== undefined) throw failure;
      if (request.path.endsWith('selfsubjectaccessreviews')) {
        const { verb, resource } = (request.body as Review).spec.resourceAttributes;
        return { status: { allowed: !forbidden.includes(`${verb} ${resource}`) } } as R;
      }
      if (request.path === '/version') return { gitVersion: others.version ?? 'v1.37.2' } as R;
      if (request.path === '/apis') return { groups: [] } as R;
      const [, name = ''] = /\/namespaces\/([^/]+)\/events\?dryRun=All$/.exec(request.path) ?? [];
      if (name !== '' && forbidden.includes('create events')) throw answer(403, 'forbidden');
      if (others.without?.includes(name) === true) throw answer(404, `namespaces "${name}" not found`);
      if (!hasNamespace) throw answer(404, 'namespaces "jobledger" not found');
      if (forbidden.includes('create leases')) throw answer(403, 'forbidden');
      return {} as R;
    },
    stream: () => Promise.reject(new Error('not played')),
  };
  const preflight: Preflight = {
    client,
    server: '127.0.0.1:6443',
    namespace: 'jobledger',
    namespaces: [],
    claim: others.claimsAll === true ? 'all' : 'managed',
    controllers: ['job'],
    gangs: others.gangs === true,
    placement: false,
    signal: new AbortController().signal,
  };
  return { preflight, asked };
}

function answer(status: number, message: string): KubernetesApiError {
  const details = status === 404 ? { kind: 'namespaces', name: 'jobledger' } : {};
  return new KubernetesApiError({ status, reason: 'NotFound', message, causes: [], details });
}

const MISSING =
  'the namespace team-b of --namespaces does not exist: create it, or correct --namespaces (JOBLEDGER_NAMESPACES); until the namespace exists, Jobledger controls no Job in it';
const MANIFESTS =
  'kubectl apply -f infra/deploy/kubernetes/namespace.yaml -f infra/deploy/kubernetes/rbac.yaml';

describe('the preflight check of a cluster', () => {
  it.each<[string, Played, string[]]>([
    ['nothing', {}, []],
    [
      'the namespace of the Lease',
      { hasNamespace: false },
      [`the namespace jobledger is missing; ${MANIFESTS}`],
    ],
    [
      'rights, each with verb and resource',
      { forbidden: ['watch pods', 'patch pods', 'create leases'] },
      [
        `the account of Jobledger may not watch/patch pods, create leases.coordination.k8s.io in jobledger; ${MANIFESTS}`,
      ],
    ],
    [
      'spec.managedBy, in an old cluster',
      { version: 'v1.31.4-eks-1' },
      [
        'before Kubernetes 1.32, spec.managedBy needs the feature gate JobManagedBy; without it only --claim all works',
      ],
    ],
    ['no spec.managedBy, when the claim `all` does not need it', { version: 'v1.31.4', claimsAll: true }, []],
    [
      'PodGroups, when gang scheduling is on',
      { gangs: true },
      ['no gangs: the cluster serves neither scheduling.k8s.io/v1beta1 nor scheduling.k8s.io/v1alpha2'],
    ],
    [
      'an answer of the API server, with the reason',
      { failure: new UnavailableError('no answer', { cause: new Error('connect ECONNREFUSED') }) },
      ['127.0.0.1:6443 does not answer (connect ECONNREFUSED); waiting for it'],
    ],
    [
      'credentials that the API server accepts',
      { failure: answer(401, 'Unauthorized') },
      ['127.0.0.1:6443 refuses us (Unauthorized); check the credentials of this context in the kubeconfig'],
    ],
  ])('reports exactly what is missing: %s', async (_name, played, lines) => {
    expect(await whatIsMissing(aPreflight(played).preflight)).toEqual(lines);
  });

  it('leaves no object behind in the cluster', async () => {
    const { preflight, asked } = aPreflight({});
    await whatIsMissing(preflight);
    const writes = asked.filter(
      ({ method, path }) => method !== 'GET' && !path.endsWith('selfsubjectaccessreviews'),
    );
    expect(writes.map(({ path }) => path)).toEqual([
      '/apis/coordination.k8s.io/v1/namespaces/jobledger/leases?dryRun=All',
    ]);
  });

  it('omits rights that no service needs in the cluster', async () => {
    const forbidden = ['delete jobs', 'create jobs'];
    const { preflight } = aPreflight({ forbidden });
    expect(await whatIsMissing(preflight)).toEqual([]);
    const all = { ...preflight, claim: 'all' as const, controllers: ['job', 'ttl'] as const };
    expect(await whatIsMissing(all)).toEqual([
      `the account of Jobledger may not delete jobs.batch, create/delete jobs.batch in jobledger; ${MANIFESTS}`,
    ]);
  });
});

describe('the report of what a cluster lacks', () => {
  it('is printed again at growing intervals', async () => {
    jest.useFakeTimers();
    try {
      const ended = new AbortController();
      const { preflight } = aPreflight({ hasNamespace: false });
      const began = performance.now();
      const seconds: number[] = [];
      const over = reportClusters([preflight], {
        report: () => seconds.push(Math.floor((performance.now() - began) / 1000)),
        signal: ended.signal,
      });
      await jest.advanceTimersByTimeAsync(240_000);
      ended.abort();
      await jest.advanceTimersByTimeAsync(0);
      await over;
      expect(seconds).toEqual([0, 32, 94, 216]);
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('the preflight check in given namespaces', () => {
  it('reports the rights in each namespace, and the chart that gives them', async () => {
    const { preflight, asked } = aPreflight({ forbidden: ['watch jobs', 'get namespaces'] });
    const given = { ...preflight, namespaces: ['team-a', 'team-b'], claim: 'all' as const };
    expect(await whatIsMissing(given)).toEqual([
      'the account of Jobledger may not watch jobs.batch in team-a, watch jobs.batch in team-b, get namespaces "jobledger" in jobledger, watch jobs.batch in jobledger; install the chart with these `namespaces` (docs/operate/install.md)',
    ]);
    const wide = asked
      .filter(({ path }) => path.endsWith('selfsubjectaccessreviews'))
      .filter(({ body }) => (body as Review).spec.resourceAttributes.namespace === undefined);
    expect(wide).toEqual([]);
  });

  it('names the namespaces that do not exist, with advice, and changes nothing', async () => {
    const { preflight, asked } = aPreflight({ without: ['team-b'] });
    const given = { ...preflight, namespaces: ['team-a', 'team-b'] };
    expect(await whatIsMissing(given)).toEqual([MISSING]);
    expect(asked.filter(({ path }) => path.includes('/events')).map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/team-a/events?dryRun=All',
      '/api/v1/namespaces/team-b/events?dryRun=All',
    ]);
    const refused = aPreflight({ without: ['team-b'], forbidden: ['create events'] });
    expect(await missingNamespaces({ ...refused.preflight, namespaces: ['team-b'] })).toEqual([]);
  });

  it('names once the namespaces that an embedded cluster lacks', async () => {
    const { preflight } = aPreflight({ without: ['team-b'] });
    const lines: string[] = [];
    await reportNamespaces([{ ...preflight, namespaces: ['team-b'] }], (line) => lines.push(line));
    expect(lines).toEqual([`cluster "east": ${MISSING}`]);
  });
});

describe('the rights in the preflight check', () => {
  interface Role {
    kind: string;
    rules?: { apiGroups: string[]; resources: string[]; resourceNames?: string[]; verbs: string[] }[];
  }

  it('are the rights of all services in infra/deploy/kubernetes/rbac.yaml', () => {
    const objects = loadAllYaml(readFileSync('infra/deploy/kubernetes/rbac.yaml', 'utf8')) as Role[];
    const granted = objects.flatMap(({ kind, rules = [] }) =>
      rules.flatMap(({ apiGroups, resources, resourceNames = [''], verbs }) =>
        verbs.map((verb) => message(verb, [...apiGroups, ...resources, ...resourceNames], kind === 'Role')),
      ),
    );
    const asked = RIGHTS.flatMap(({ group, resource, subresource, name = '', verbs, own }) =>
      verbs.map((verb) => {
        const what = subresource === undefined ? resource : `${resource}/${subresource}`;
        return message(verb, [group, what, name], own === true);
      }),
    );
    expect(asked.length).toBeGreaterThan(20);
    expect(new Set(asked)).toEqual(new Set(granted));
  });

  function message(verb: string, what: readonly string[], isOwn: boolean): string {
    return [verb, ...what, isOwn ? 'own' : 'all'].join(' ');
  }
});
