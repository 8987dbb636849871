import { describe, expect, it } from '@jest/globals';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { effectiveDecisions } from '../../../workflows/decision/folding.ts';
import { replay } from '../../../workflows/job/record/replay.ts';
import {
  createModelCluster,
  deliverAll,
  settleDown,
  runWorkflowTask,
  type ModelCluster,
} from '../../support/model-cluster.ts';
import { unfoundedDecisions } from '../../support/model-cluster-verify.ts';

function cluster(): ModelCluster {
  const job = { parallelism: 2, completions: 3 };
  return createModelCluster(job, (creation) => (creation === 1 ? 'Failed' : 'Succeeded'));
}

async function settled(): Promise<ModelCluster> {
  const one = cluster();
  await settleDown(one);
  return await tellRest(one);
}

/** The last facts were no news, and did not reach the workflow. */
async function tellRest(one: ModelCluster): Promise<ModelCluster> {
  one.workflow.inbox.push(...one.ledger.pending.map(({ fact }) => fact));
  await runWorkflowTask(one);
  return one;
}

/** The first decision was made, carried out and lost; the same step ran again later. */
async function withSuperseded(): Promise<ModelCluster> {
  const one = cluster();
  deliverAll(one);
  await runWorkflowTask(one, { decision: 0, command: 9, records: true });
  one.api.now += 5000;
  await settleDown(one);
  return await tellRest(one);
}

function decisionsIn({ ledger }: ModelCluster): JobEvent[] {
  return ledger.events.filter(({ type }) => type === 'job.decided');
}

describe('the state of a Job that is folded from its ledger alone', () => {
  it('equals the state in the workflow', async () => {
    const one = await settled();
    expect(replay(one.ledger.events)).toEqual(one.workflow.state);
  });

  it('equals the state in the workflow also when a decision was superseded', async () => {
    const one = await withSuperseded();
    expect(replay(one.ledger.events)).toEqual(one.workflow.state);
    expect(decisionsIn(one).length).toBe(effectiveDecisions(one.ledger.events).length + 1);
  });

  it('follows the later of two decisions with one number, although more decisions had followed the earlier one', () => {
    const decided = (id: string, number: number, predecessor: string | null, now: number): JobEvent =>
      ({ type: 'job.decided', id, data: { number, predecessor, now } }) as JobEvent;
    const [one, two, three] = [decided('1', 1, null, 10), decided('2', 2, '1', 20), decided('3', 3, '2', 30)];
    const again = decided('2 again', 2, '1', 40);
    const effectiveIds = (events: JobEvent[]): string[] => effectiveDecisions(events).map(({ id }) => id);
    expect(effectiveIds([one, two, three, again])).toEqual(['1', '2 again']);
    expect(effectiveIds([one, again, two, three])).toEqual(['1', '2 again']);
  });

  it('gives every recorded decision again when the core decides on it, also superseded decisions', async () => {
    expect(unfoundedDecisions((await withSuperseded()).ledger.events)).toEqual([]);
  });

  it('is the same with every record twice', async () => {
    const { events } = (await settled()).ledger;
    expect(replay(events.flatMap((event) => [event, event]))).toEqual(replay(events));
  });

  it('is the same when a superseded decision is appended after the decision that replaced it', async () => {
    const { events } = (await withSuperseded()).ledger;
    const [superseded] = events.filter(({ type }) => type === 'job.decided');
    const late = [...events.filter((event) => event !== superseded), ...(superseded ? [superseded] : [])];
    expect(effectiveDecisions(late).map(({ id }) => id)).toEqual(
      effectiveDecisions(events).map(({ id }) => id),
    );
    expect(replay(late)).toEqual(replay(events));
  });

  it('shows that a decision is unfounded when its recorded instant was changed', async () => {
    const { events } = (await settled()).ledger;
    const changed = events.map((event) =>
      event.type === 'job.decided' && event.data.number === 1
        ? { ...event, data: { ...event.data, now: event.data.now + 1000 } }
        : event,
    );
    expect(unfoundedDecisions(changed)).not.toEqual([]);
  });
});
