import { describe, expect, it } from '@jest/globals';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { replay, standingDecisions } from '../../../workflows/job/record/replay.ts';
import {
  createModelCluster,
  deliverAll,
  settleDown,
  work,
  type ModelCluster,
} from '../../support/model-cluster.ts';
import { unfounded } from '../../support/model-cluster-verify.ts';

function cluster(): ModelCluster {
  const job = { parallelism: 2, completions: 3 };
  return createModelCluster(job, (creation) => (creation === 1 ? 'Failed' : 'Succeeded'));
}

function settled(): ModelCluster {
  const one = cluster();
  settleDown(one);
  return tellRest(one);
}

/** The last facts were no news, and did not get to the workflow. */
function tellRest(one: ModelCluster): ModelCluster {
  one.workflow.inbox.push(...one.ledger.pending.map(({ fact }) => fact));
  work(one);
  return one;
}

/** The first decision was made, carried out and lost; the same step ran again later. */
function withSuperseded(): ModelCluster {
  const one = cluster();
  deliverAll(one);
  work(one, { decision: 0, command: 9, records: true });
  one.api.now += 5000;
  settleDown(one);
  return tellRest(one);
}

function decisionsIn({ ledger }: ModelCluster): JobEvent[] {
  return ledger.events.filter(({ type }) => type === 'job.decided');
}

describe('the state of a Job from its ledger alone', () => {
  it('is the live state', () => {
    const one = settled();
    expect(replay(one.ledger.events)).toEqual(one.workflow.state);
  });

  it('is the live state also when a decision was superseded', () => {
    const one = withSuperseded();
    expect(replay(one.ledger.events)).toEqual(one.workflow.state);
    expect(decisionsIn(one).length).toBe(standingDecisions(one.ledger.events).length + 1);
  });

  it('holds each decision, the superseded one as well', () => {
    expect(unfounded(withSuperseded().ledger.events)).toEqual([]);
  });

  it('is the same with every record twice', () => {
    const { events } = settled().ledger;
    expect(replay(events.flatMap((event) => [event, event]))).toEqual(replay(events));
  });

  it('is the same when a superseded decision is appended late', () => {
    const { events } = withSuperseded().ledger;
    const [superseded] = events.filter(({ type }) => type === 'job.decided');
    const late = [...events.filter((event) => event !== superseded), ...(superseded ? [superseded] : [])];
    expect(standingDecisions(late).map(({ id }) => id)).toEqual(
      standingDecisions(events).map(({ id }) => id),
    );
    expect(replay(late)).toEqual(replay(events));
  });

  it('does not hold when a decision’s instant was changed', () => {
    const { events } = settled().ledger;
    const changed = events.map((event) =>
      event.type === 'job.decided' && event.data.number === 1
        ? { ...event, data: { ...event.data, now: event.data.now + 1000 } }
        : event,
    );
    expect(unfounded(changed)).not.toEqual([]);
  });
});
