import { describe, expect, it } from '@jest/globals';
import type { ApiReadiness, ListedCluster } from '../../page/api/rows.ts';
import { clusterHealth, leaderHost, shownParts, type Health } from '../../page/clusters/health.ts';
import { listVersions } from '../../page/clusters/versions.ts';
import { after } from './a-job.ts';

const NOW = Date.parse(after(600));

function shard(index: number, leader: string | null, version = '0.1.0') {
  return { shard: index, leader, since: leader === null ? null : after(0), version };
}

function aCluster(fields: Partial<ListedCluster> = {}): ListedCluster {
  return {
    name: 'east',
    last_connected_at: after(0),
    unfinished_count: 1,
    dead_letter_count: 0,
    shards: [shard(1, 'node-1_77_1700000000000')],
    jobs_received_at: after(580),
    pods_received_at: after(590),
    ...fields,
  } as ListedCluster;
}

function ready(status: 'ok' | 'down' | null = 'ok'): ApiReadiness {
  return {
    status: 'degraded',
    parts: {
      ...(status !== null && { 'cluster east': { status } }),
      kafka: { status: 'ok' },
      projection: { status: 'behind', detail: 'late' },
      temporal: { status: 'down' },
    },
  };
}

function health(fields: Partial<ListedCluster> = {}, readiness = ready()): Health {
  return clusterHealth(aCluster(fields), readiness, NOW);
}

describe('the health of a cluster on the page', () => {
  it('is good while an ingester records the cluster and its watches receive events', () => {
    expect(health()).toEqual({ tone: 'succeeded', message: 'Reached', advice: null });
    expect(health({}, ready(null))).toEqual({ tone: 'succeeded', message: 'Watched', advice: null });
    expect(health({ shards: null, jobs_received_at: null, pods_received_at: null }).message).toBe('Reached');
  });

  it.each<[string, Partial<ListedCluster>, RegExp, RegExp]>([
    ['Never connected', { last_connected_at: null }, /ingester/, /logs deployment\/jobledger-ingester/],
    [
      'Not watched',
      { shards: [] },
      /^No ingester leads this cluster, so none .* are recorded/,
      /component=ingester$/,
    ],
    [
      'Not watched',
      { shards: [shard(1, 'a'), shard(2, null)] },
      /^An ingester of this cluster is missing, so some .* are not recorded/,
      /component=ingester$/,
    ],
    [
      'Silent',
      { jobs_received_at: after(240) },
      /no message for 6 min/,
      /logs deployment\/jobledger-ingester/,
    ],
  ])('is an error with advice and the text "%s": %j', (message, fields, sentence, command) => {
    expect(health(fields)).toEqual({
      tone: 'failed',
      message,
      advice: { message: expect.stringMatching(sentence), command: expect.stringMatching(command) },
    });
  });

  it('is an error when the API does not reach its API server', () => {
    expect(health({}, ready('down'))).toMatchObject({
      tone: 'failed',
      message: 'Not reached',
      advice: {
        message: expect.stringContaining('kubeconfig'),
        command: 'kubectl --context east get --raw /readyz',
      },
    });
  });

  it('has a warning, with the command that shows the records, when records could not be used', () => {
    expect(health({ dead_letter_count: 3 })).toMatchObject({
      tone: 'waiting',
      advice: {
        message: expect.stringMatching(/^3 records could not be used/),
        command: 'jobledger admin dead-letters',
      },
    });
    expect(health({ dead_letter_count: null }).message).toBe('Reached');
  });

  it('is no error when the cluster is not watched any more and has no unfinished Job', () => {
    expect(health({ shards: [], unfinished_count: 0 }, ready(null))).toEqual({
      tone: 'off',
      message: 'Not configured here',
      advice: null,
    });
    expect(health({ shards: [] }, ready(null)).tone).toBe('failed');
    expect(health({ shards: [shard(1, 'a'), shard(2, null)], unfinished_count: 0 }, ready(null)).tone).toBe(
      'failed',
    );
  });
});

describe('the shared servers on the page', () => {
  it('are shown with a diagnostic command when they are not healthy', () => {
    expect(
      shownParts(ready()).map(({ name, message, detail, advice }) => [
        name,
        message,
        detail,
        advice?.command,
      ]),
    ).toEqual([
      ['Ledger (Kafka)', 'Well', null, undefined],
      [
        'Lag of the tables',
        'Behind',
        'late',
        'kubectl --namespace jobledger logs deployment/jobledger-projector --tail 20',
      ],
      ['Workflows (Temporal)', 'Down', null, 'jobledger admin check worker'],
    ]);
  });
});

describe('the ingesters on the page', () => {
  it.each([
    ['node-1_77_1700000000000', 'node-1'],
    ['my_host_77_1700000000000', 'my_host'],
    ['other', 'other'],
  ])('are shown with their host, which is part of their name: %s runs on %s', (leader, host) => {
    expect(leaderHost(leader)).toBe(host);
  });

  it('have versions, and the page lists each version once', () => {
    const clusters = [
      { shards: [shard(1, 'a', '0.2.0'), shard(2, 'b')] },
      { shards: [shard(1, 'c')] },
      { shards: null },
    ];
    expect(listVersions(clusters)).toEqual(['0.1.0', '0.2.0']);
  });
});
