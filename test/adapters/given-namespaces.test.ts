import { z } from 'zod';
import { clustersEnvironment, readConfig } from '../../services/adapters/config.ts';
import { httpEnvironment } from '../../services/api/access/config.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import {
  OtherNamespaceError,
  withinNamespaces,
} from '../../services/adapters/kubernetes/within-namespaces.ts';
import { refusePeopleWithNamespaces } from '../../services/api/access/sources.ts';

const KUBECONFIG = { JOBLEDGER_KUBECONFIG: '/kubeconfig' };

describe('the variable JOBLEDGER_NAMESPACES', () => {
  const namesIn = (text: string): readonly string[] =>
    readConfig(clustersEnvironment, { ...KUBECONFIG, JOBLEDGER_NAMESPACES: text }).JOBLEDGER_NAMESPACES;

  it.each<[string, string, string[]]>([
    ['the whole cluster by default', '', []],
    ['each namespace once, in their order', 'team-b, team-a,,team-b', ['team-b', 'team-a']],
    ['names of up to 63 characters', 'a'.repeat(63), ['a'.repeat(63)]],
  ])('limits the service to the namespaces that it names: %s', (_what, text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it.each(['Team', 'team.a', '-a', 'a-', 'a/b', '*', 'a'.repeat(64)])('may not be %s', (name) => {
    expect(() => namesIn(`team-a,${name}`)).toThrow(
      `JOBLEDGER_NAMESPACES: "${name}" cannot be the name of a namespace; name namespaces, separated by commas`,
    );
  });
});

describe('the sign-in of people to the HTTP API', () => {
  const schema = httpEnvironment.extend(clustersEnvironment.shape).superRefine(refusePeopleWithNamespaces);
  const people = { JOBLEDGER_API_OIDC_ISSUER: 'https://id.example', JOBLEDGER_API_KUBERNETES_TOKENS: 'east' };

  it('cannot be configured for an installation that is limited to given namespaces', () => {
    const config = (): z.infer<typeof schema> =>
      readConfig(schema, { ...KUBECONFIG, ...people, JOBLEDGER_NAMESPACES: 'team-a' });
    expect(config).toThrow(
      /JOBLEDGER_API_OIDC_ISSUER: the sign-in of people needs rights in the whole cluster/,
    );
    expect(config).toThrow(
      /JOBLEDGER_API_KUBERNETES_TOKENS: the sign-in of people needs rights in the whole cluster/,
    );
  });

  it('can be configured for an installation that watches the whole cluster', () => {
    expect(readConfig(schema, { ...KUBECONFIG, ...people }).JOBLEDGER_API_KUBERNETES_TOKENS).toBe('east');
  });
});

describe('a client that is limited to given namespaces', () => {
  const asked: string[] = [];
  const all: KubernetesClient = {
    cluster: 'east',
    request<R>({ path }: ApiRequest) {
      asked.push(path);
      return Promise.resolve({} as R);
    },
    stream: () => Promise.reject(new Error('not played')),
  };
  const client = withinNamespaces(all, ['team-a']);
  const get = (path: string): Promise<unknown> => client.request({ method: 'GET', path });

  it('sends requests to the given namespaces, and requests without a namespace', async () => {
    const paths = [
      '/apis/batch/v1/namespaces/team-a/jobs/x/status',
      '/api/v1/namespaces/team-a/pods?labelSelector=a',
      '/version',
      '/apis/scheduling.k8s.io/v1alpha2',
    ];
    for (const path of paths) await get(path);
    expect(asked).toEqual(paths);
  });

  it('refuses requests to other namespaces before they are sent, and the error permits a retry', async () => {
    asked.length = 0;
    const refused = get('/apis/batch/v1/namespaces/team-b/jobs/x');
    await expect(refused).rejects.toThrow(OtherNamespaceError);
    await expect(refused).rejects.toMatchObject({
      retryable: true,
      message: 'the namespace "team-b" of the cluster "east" is not among JOBLEDGER_NAMESPACES',
    });
    await expect(
      client.stream({ method: 'GET', path: '/api/v1/namespaces/team-ab/pods/p/log' }),
    ).rejects.toThrow(OtherNamespaceError);
    expect(asked).toEqual([]);
  });

  it('has at least one of them: with an empty list, the original client is returned', () => {
    expect(withinNamespaces(all, [])).toBe(all);
  });
});
