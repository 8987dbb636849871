import type { PeerCertificate } from 'node:tls';
import { certificateHolder, mayReadLogs } from '../../../../infra/local/node-agent/logs/client-rights.ts';
import type { KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';

const certificate = (subject: object): PeerCertificate => ({ subject }) as PeerCertificate;

it('a client certificate gives the user by its common name, and the groups of the user by its organizations', () => {
  expect(certificateHolder(certificate({ CN: 'ann', O: ['devs', 'ops'] }))).toEqual({
    name: 'ann',
    groups: ['devs', 'ops'],
  });
  expect(certificateHolder(certificate({ CN: 'ann', O: 'devs' }))).toEqual({ name: 'ann', groups: ['devs'] });
  expect(certificateHolder(certificate({ CN: 'ann' }))).toEqual({ name: 'ann', groups: [] });
});

it.each([
  [{ allowed: true }, true],
  [{ allowed: false }, false],
  [undefined, false],
])(
  'a user can read the logs of a node only if the cluster permits the user get on nodes/proxy: the answer %j means %s',
  async (status, may) => {
    const asked: unknown[] = [];
    const client = {
      request: ({ body }: { body: { spec: unknown } }) => {
        asked.push(body.spec);
        return Promise.resolve({ status });
      },
    } as unknown as KubernetesClient;
    expect(await mayReadLogs(client, 'local')({ name: 'ann', groups: ['devs'] })).toBe(may);
    expect(asked).toEqual([
      {
        user: 'ann',
        groups: ['devs'],
        resourceAttributes: {
          verb: 'get',
          group: '',
          version: 'v1',
          resource: 'nodes',
          subresource: 'proxy',
          name: 'local',
        },
      },
    ]);
  },
);
