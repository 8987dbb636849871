import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { Places } from '../../services/adapters/places.ts';
import type { Database } from '../../services/adapters/postgres/database.ts';
import { gapsPage } from '../../services/api/queries/ledger.ts';
import { selectGapsDuring } from '../../services/read-model/streams/stream.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { aJob, after, CLUSTER, clusterGap, JOB_UID, jobObserved } from '../projector/builders.ts';
import {
  aProjector,
  emptied,
  toRecords,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';

jest.setTimeout(120_000);

let postgres: RealPostgres;
let database: Database;

/** Returns a gap of the watch of one namespace, with the name of the namespace as its id. */
function namespaceGap(namespace: string): JobEvent {
  const gap = clusterGap(10, 20);
  if (gap.type !== 'cluster.gap') throw new Error('not a gap');
  return withDigest({ ...gap, id: namespace, data: { ...gap.data, namespace } });
}

beforeAll(async () => {
  postgres = await startPostgres();
  database = postgres.database;
  await emptied(database);
  const ofCluster = { ...clusterGap(10, 20), id: 'of the cluster' };
  const observed = jobObserved(15, aJob({ version: 1 }));
  await aProjector(database).project(
    toRecords([observed, ofCluster, namespaceGap('default'), namespaceGap('secret')]),
  );
});
afterAll(() => postgres.close());

async function seenBy(places: Places): Promise<string[]> {
  const rows = await database.run<{ id: string }>(gapsPage({}, null, 10, places));
  return rows.map(({ id }) => id).toSorted();
}

it('a gap of a namespace is shown to callers with rights in that namespace, and a gap of a cluster to callers with any rights in that cluster', async () => {
  expect(await seenBy(null)).toEqual(['default', 'of the cluster', 'secret']);
  expect(await seenBy([{ cluster: CLUSTER, namespace: '*' }])).toEqual([
    'default',
    'of the cluster',
    'secret',
  ]);
  expect(await seenBy([{ cluster: '*', namespace: 'default' }])).toEqual(['default', 'of the cluster']);
  expect(await seenBy([{ cluster: CLUSTER, namespace: 'other' }])).toEqual(['of the cluster']);
  expect(await seenBy([{ cluster: 'another', namespace: '*' }])).toEqual([]);
});

it('the history of a Job has the gaps of its own namespace and of its whole cluster, and no other gaps', async () => {
  const life = { first_seen_at: after(0), deleted_at: null };
  const rows = await database.run<{ id: string }>(
    selectGapsDuring({ cluster: CLUSTER, uid: JOB_UID, ...life }),
  );
  expect(rows.map(({ id }) => id).toSorted()).toEqual(['default', 'of the cluster']);
});
