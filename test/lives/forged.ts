import { memberName } from '../../workflows/placement/definitions/member-name.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import type { Server } from './a-server.ts';

/** The mark of no grant. */
const FORGED = 'forged';

/** Another client creates a suspended Job with the name that the member of this grant would have, and names the placed Job as its home. */
export function forge(
  server: Server,
  home: { cluster: string; namespace: string; name: string; uid: string },
  { number, at }: { number: number; at: number },
): void {
  const name = memberName(home, { cluster: server.cluster, number });
  if (name === null || server.jobs.has(name)) return;
  const job: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: home.namespace,
      uid: `${server.cluster}-${FORGED}-${at}`,
      resourceVersion: '0',
      generation: 1,
      creationTimestamp: new Date(at).toISOString(),
      annotations: {
        'jobledger.dev/placed-for': [home.cluster, home.namespace, home.name, home.uid].join('/'),
        'jobledger.dev/grant': FORGED,
      },
    },
    spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c' }] } } },
    status: {},
  };
  server.jobs.set(name, job);
  server.touch(job);
}

export function isForged({ metadata }: Job): boolean {
  return metadata.annotations?.['jobledger.dev/grant'] === FORGED;
}
