import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { applyChange, emptyLiveSet, type LiveSet } from '../../services/ingester/live-set/live-set.ts';
import { countInitialLiveSet, changeCounter } from '../../services/ingester/metrics/changes.ts';
import { showGaps, showWatches } from '../../services/ingester/metrics/watches.ts';
import {
  translateJobDeletion,
  translateJob,
  translatePodDeletion,
  translatePod,
  type Translated,
} from '../../services/ingester/translate/translate.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import { at, CLUSTER, jobObject, podObject, type PodFields } from '../support/builders.ts';
import { after, clusterGap } from '../projector/builders.ts';
import { samplesIn, findSamples } from '../support/metrics.ts';
import { REDACTION } from '../support/redaction.ts';

const SCOPE = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };

/** What one ingester counts in a story; `again`: what another one counts at its start. */
async function counted(
  story: ((live: LiveSet) => Translated)[],
  { again = false } = {},
): Promise<Record<string, number>> {
  const live = emptyLiveSet();
  let metrics = createMetrics();
  const count = changeCounter(metrics, 'managed');
  for (const append of story)
    for (const change of append(live).changes) {
      count(live, change);
      applyChange(live, change);
    }
  if (again) {
    metrics = createMetrics();
    countInitialLiveSet(changeCounter(metrics, 'managed'), live);
  }
  return findSamples(samplesIn(await metrics.text()), 'job_controller_');
}

const seen = (managedBy: string, uid: string) => () =>
  translateJob(SCOPE, jobObject({ managedBy, uid, name: uid }), at(0));
const deleted = (uid: string) => (live: LiveSet) =>
  translateJobDeletion(SCOPE, live, uid, { resourceVersion: '999', time: at(0) });
const pod = (fields: PodFields) => (live: LiveSet) =>
  translatePod(SCOPE, live, podObject({ name: 'one', ...fields }), at(0));
const podGone = (live: LiveSet) =>
  translatePodDeletion(SCOPE, live, 'uid-of-one', { resourceVersion: '999', time: at(0) });

describe('Jobs of other controllers (J-11.3)', () => {
  const story = [
    seen('example.com/a', 'one'),
    seen('example.com/a', 'one'),
    seen('example.com/a', 'two'),
    seen(OWN_MANAGER, 'three'),
    deleted('one'),
  ];

  it('count in the metric when they are first seen', async () => {
    expect(await counted(story)).toEqual({
      'jobs_by_external_controller_total{controller_name="example.com/a"}': 2,
    });
  });

  it('count again in a new ingester, while they exist', async () => {
    expect(await counted(story, { again: true })).toEqual({
      'jobs_by_external_controller_total{controller_name="example.com/a"}': 1,
    });
  });
});

describe('the names of controllers that a user invents', () => {
  it('produce a bounded number of series', async () => {
    const story = Array.from({ length: 200 }, (_none, each) => seen(`example.com/c${each}`, `u${each}`));
    const samples = await counted(story);
    const series = Object.keys(samples).filter((name) => name.includes('controller_name'));
    expect(series).toHaveLength(51);
    expect(samples['jobs_by_external_controller_total{controller_name="other"}']).toBe(150);
  });
});

describe('ended pods with a tracking finalizer (J-11.3)', () => {
  it('count in the metric when they end, and leave it when they lose the finalizer', async () => {
    const story = [pod({}), pod({ phase: 'Failed' }), pod({ phase: 'Failed' })];
    const added = { 'terminated_pods_tracking_finalizer_total{event="add"}': 1 };
    const ceased = { ...added, 'terminated_pods_tracking_finalizer_total{event="delete"}': 1 };
    expect(await counted(story)).toEqual(added);
    expect(await counted(story, { again: true })).toEqual(added);
    expect(await counted([...story, pod({ phase: 'Failed', untracked: true })])).toEqual(ceased);
    expect(await counted([...story, podGone])).toEqual(ceased);
  });
});

describe('objects that the ingester cannot record', () => {
  it('are counted by cluster and resource, in counters that begin at 0', async () => {
    const metrics = createMetrics();
    showWatches(metrics, { clusters: ['east'], shards: 1 }).notRecorded('east', 'pods');
    const shown = findSamples(samplesIn(await metrics.text()), 'jobledger_objects_not_recorded_total');
    expect(shown).toEqual({
      '{cluster="east",resource="jobs"}': 0,
      '{cluster="east",resource="pods"}': 1,
      '{cluster="east",resource="cronjobs"}': 0,
    });
  });
});

describe('the gaps in the metrics of an ingester', () => {
  it('are shown by cluster, with the time of their record', async () => {
    const metrics = createMetrics();
    const note = showGaps(metrics, ['east', 'west']);
    note([clusterGap(60, 90), clusterGap(20, 30)]);
    const shown = findSamples(samplesIn(await metrics.text()), 'jobledger_last_gap_timestamp_seconds');
    expect(shown).toEqual({ '{cluster="east"}': Date.parse(after(30)) / 1000, '{cluster="west"}': 0 });
  });
});
