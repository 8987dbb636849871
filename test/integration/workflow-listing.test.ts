import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  runningIds,
  runningJobWorkflows,
  signalWithStart,
} from '../../services/adapters/temporal/job-workflows.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { eventually } from '../support/eventually.ts';
import { startTemporal, type ATemporal } from '../support/a-temporal.ts';

let temporal: ATemporal;

beforeAll(async () => {
  temporal = await startTemporal();
}, 120_000);

afterAll(() => temporal?.stop(), 60_000);

it('the query for the running workflows of a cluster finds these workflows, whatever the name of the cluster', async () => {
  const clusters = ['east', 'east-2', "o'brien\\'s", 'east/2'];
  for (const cluster of clusters)
    for (const uid of ['one', 'two'])
      await signalWithStart(
        { client: temporal.client, build: 'none' },
        { cluster, uid, namespace: 'default', name: uid, kind: 'Job' },
        { facts: [], settings: DEFAULT_SETTINGS, recall: false },
      );
  await eventually('all are visible', 30, async () => {
    const ids: string[] = [];
    for await (const { id } of runningJobWorkflows(temporal.client)) ids.push(id);
    return ids.length === 8 ? true : undefined;
  });
  for (const cluster of clusters.slice(1))
    expect([...(await runningIds(temporal.client, cluster))].toSorted()).toEqual([
      `${cluster}/one`,
      `${cluster}/two`,
    ]);
  expect([...(await runningIds(temporal.client, 'east'))].toSorted()).toEqual([
    'east/2/one',
    'east/2/two',
    'east/one',
    'east/two',
  ]);
}, 60_000);
