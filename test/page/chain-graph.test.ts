import { describe, expect, it } from '@jest/globals';
import type { JobChain } from '../../page/api/rows.ts';
import { chainGraph, linkText } from '../../page/job/chain/chain-graph.ts';

type Link = JobChain['links'][number];

function aJob(name: string, fields: Partial<JobChain['jobs'][number]> = {}): JobChain['jobs'][number] {
  const times = { started_at: null, finished_at: null, deleted_at: null };
  return {
    uid: `uid-${name}`,
    name,
    status: 'Suspended',
    reason: null,
    waiting_for: null,
    ...times,
    ...fields,
  };
}

function aLink(waiting: string, awaited: string, fields: Partial<Link> = {}): Link {
  return {
    waiting,
    waiting_uid: `uid-${waiting}`,
    awaited,
    awaited_uid: `uid-${awaited}`,
    condition: 'Succeeded',
    condition_status: 'waiting',
    since: null,
    status: 'waiting',
    ...fields,
  };
}

const places = ({ jobs, links }: Pick<JobChain, 'jobs' | 'links'>) =>
  chainGraph({ jobs, links, complete: true }, 'uid-b', 0).nodes.map(({ title, column }) => [title, column]);

describe('the picture of a chain of Jobs', () => {
  it('shows each Job to the right of its predecessors', () => {
    const jobs = ['a', 'b', 'c', 'd'].map((name) => aJob(name));
    const links = [aLink('b', 'a'), aLink('c', 'b'), aLink('d', 'a'), aLink('d', 'c')];
    expect(places({ jobs, links })).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
      ['d', 3],
    ]);
  });

  it('shows a Job that was not observed yet only once, however many Jobs wait for it', () => {
    const links = ['b', 'c'].map((name) =>
      aLink(name, 'x', { awaited_uid: null, condition_status: 'missing' }),
    );
    const { nodes, edges } = chainGraph({ jobs: [aJob('b'), aJob('c')], links, complete: true }, 'uid-b', 0);
    expect(nodes.find(({ id }) => id === 'name x')).toMatchObject({
      title: 'x',
      more: 'not seen yet',
      column: 0,
    });
    expect(edges).toEqual([
      ['name x', 'uid-b'],
      ['name x', 'uid-c'],
    ]);
    expect(nodes.filter(({ isMain }) => isMain).map(({ title }) => title)).toEqual(['b']);
  });

  it('shows each Job of a cycle once', () => {
    const jobs = [aJob('a'), aJob('b')];
    expect(places({ jobs, links: [aLink('a', 'b'), aLink('b', 'a')] })).toHaveLength(2);
  });

  it('shows the status, the reason and the end of a Job', () => {
    const job = aJob('b', { status: 'Failed', reason: 'exit code 1', finished_at: '2026-11-21T03:00:00Z' });
    const [node] = chainGraph({ jobs: [job], links: [], complete: true }, 'uid-b', 0).nodes;
    expect(node).toMatchObject({
      more: 'Failed: exit code 1',
      tone: 'failed',
      when: expect.stringMatching(/21 Nov/),
    });
  });
});

describe('the text for a dependency in a chain of Jobs', () => {
  it.each([
    [{ condition_status: 'met', status: 'resumed' }, 'after a has succeeded: done'],
    [{ condition: 'Finished' }, 'after a has ended: not yet'],
    [{ condition: 'Failed', condition_status: 'unmeetable' }, 'after a has failed: the Job ended otherwise'],
    [
      { condition_status: 'missing', status: 'deleted' },
      'after a has succeeded: no such Job was seen yet; the waiting Job was deleted',
    ],
  ])('names the awaited end, and whether it was reached, for %j', (fields, message) => {
    expect(linkText(aLink('b', 'a', fields))).toBe(message);
  });
});
