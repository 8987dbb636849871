import { describe, expect, it } from '@jest/globals';
import type { WhyResponse } from '../../page/api/rows.ts';
import { causeText } from '../../page/job/why/cause-text.ts';
import { whyGraph } from '../../page/job/why/why-graph.ts';
import { after, aKilledPod, aPod } from './a-job.ts';

type Cause = WhyResponse['causes'][number];

function aCause(id: string, about: string, message: string, because: string[] = []): Cause {
  return { id, at: after(Number(id.replaceAll(/\D/g, '') || 0)), about, message, rule: 'R-1', because };
}

const KILLED = 'Running → Failed, main exited with 137, no longer ready';
const PODS = [aKilledPod('a-0', 0), aKilledPod('a-1', 1), aKilledPod('b-0', 0)];

/** Two indexes fail, both are tried again after a back-off, and one of the new pods ends the Job. */
const WHY: WhyResponse = {
  job: 'east/default/a',
  about: 'Job a',
  answers: [{ question: 'why it failed', message: 'BackoffLimitExceeded', because: ['e9'] }],
  causes: [
    aCause(
      'e9',
      'decision 9',
      'WriteStatus (failed 2 → 3, FailureTarget=True): 3 failed pods, the limit is 2',
      ['e8'],
    ),
    aCause('e8', 'pod b-0', KILLED, ['n7']),
    aCause('n7', 'answer 7.1', 'CreatePods: created: b-0', ['e6']),
    aCause(
      'e6',
      'decision 6',
      'CreatePods b-0, b-1: 2 missing (index 0,1); the back-off after 2 failures is over',
      ['e5'],
    ),
    aCause('e5', 'decision 5', `waits: no pod before ${after(60)}: back-off after 2 failures in a row`, [
      'n4',
    ]),
    aCause('n4', 'decision 4', 'WriteStatus (failed 0 → 2): counted now: 0 succeeded, 2 failed', [
      'e2',
      'e3',
    ]),
    aCause('e3', 'pod a-1', KILLED, ['e1']),
    aCause('e2', 'pod a-0', KILLED, ['e1']),
    aCause('e1', 'decision 1', 'CreatePods a-0, a-1: 2 missing (index 0,1)', ['e0']),
    aCause('e0', 'job', 'first seen, parallelism 2', []),
  ],
  waits: [],
};

describe('the picture of the causes of a result', () => {
  const whole = whyGraph(WHY, PODS, true);
  const part = whyGraph(WHY, PODS, false);

  it('goes from the first causes on the left to the result on the right', () => {
    const columns = new Map(whole.nodes.map(({ id, column }) => [id, column]));
    for (const [from, to] of whole.edges) expect(columns.get(from)).toBeLessThan(columns.get(to) ?? -1);
    expect(columns.get('e0')).toBe(0);
    expect(columns.get('e9')).toBe(whole.columns - 1);
  });

  it('omits responses of the API and status updates, and links their neighbours', () => {
    expect(whole.nodes.map(({ id }) => id)).not.toEqual(expect.arrayContaining(['n7']));
    expect(whole.edges).toContainEqual(['e6', 'e8']);
    expect(whole.edges).toContainEqual(['e2', 'e5']);
    expect(whole.hidden).toEqual({ others: 0, folded: 2 });
  });

  it('shows, in its short form, the shortest chain of causes in one row, without the middle of the chain', () => {
    const main = part.nodes.filter(({ isMain }) => isMain);
    expect(new Set(main.map(({ row }) => row)).size).toBe(1);
    expect(main.map(({ title }) => title).toSorted()).toEqual(
      ['2 pods created', 'Index 0 failed', 'Job created', 'The Job must fail'].toSorted(),
    );
    expect(part.steps).toBe(3);
    expect(part.edges).toContainEqual(['e0', 'e6']);
    expect(part.hidden.others).toBeGreaterThan(0);
  });

  it('never shows two causes in one place', () => {
    for (const { nodes } of [whole, part])
      expect(new Set(nodes.map(({ column, row }) => `${column} ${row}`)).size).toBe(nodes.length);
  });

  it('is empty when no cause is known', () => {
    expect(whyGraph({ ...WHY, answers: [], causes: [] }, [], false)).toMatchObject({ nodes: [], edges: [] });
  });

  it('shows each cause once, even if causes formed a circle', () => {
    const circle = [aCause('e1', 'job', 'changed', ['e2']), aCause('e2', 'job', 'changed', ['e1'])];
    expect(whyGraph({ ...WHY, answers: [], causes: circle }, [], true).nodes).toHaveLength(2);
  });
});

describe('the text of a cause in the picture', () => {
  it.each([
    ['pod a-0', KILLED, 'Index 0 failed', '137 OOMKilled'],
    ['pod c', 'Running → Succeeded, no longer ready', 'Pod succeeded', 'c'],
    ['pod d', 'Running → Failed, main exited with 143', 'Pod was stopped', 'exit code 143'],
    ['job', 'first seen, parallelism 4', 'Job created', 'parallelism 4'],
    ['decision 1', 'CreatePods x, y: 2 missing', '2 pods created', '2 missing'],
    ['decision 1', 'WriteStatus (Failed=True): FailureTarget stands: deadline', 'Job failed', 'deadline'],
    [
      'decision 1',
      'waits: no pod before T: back-off after 1 failure in a row',
      'Back-off',
      'back-off after 1 failure in a row',
    ],
  ])('is a short title with a detail for %s, %s', (about, message, title, more) => {
    const stopped = aPod('d', { end_message: 'deleted by Jobledger: the Job is suspended', reason: 'Error' });
    expect(causeText(aCause('e', about, message), [...PODS, stopped])).toMatchObject({ title, more });
  });
});
