import { describe, expect, it } from '@jest/globals';
import type { ListedJob } from '../../page/api/rows.ts';
import { isShown, withFreshJobs, type JobPages } from '../../page/fleet/job-rows.ts';

function aRow(uid: string, fields: Partial<ListedJob> = {}): ListedJob {
  const row = {
    cluster: 'east',
    uid,
    namespace: 'default',
    name: uid,
    status: 'Running',
    created_at: `2026-11-21T03:00:0${uid.length}Z`,
    first_seen_at: '2026-11-21T03:00:00Z',
    deleted_at: null,
    labels: { team: 'maths' },
    ...fields,
  };
  return row as ListedJob;
}

function loaded(...pages: ListedJob[][]): JobPages {
  const isLast = (at: number): boolean => at === pages.length - 1;
  return {
    pages: pages.map((items, at) => ({ items, next: isLast(at) ? null : 'cursor' })),
    pageParams: [],
  };
}

const namesIn = ({ pages }: JobPages): string[][] =>
  pages.map(({ items }) => items.map(({ name, status }) => `${name} ${status}`));

describe('a Job that changed', () => {
  const pages = loaded([aRow('aaaa'), aRow('bbb')], [aRow('cc')]);

  it('is shown in its place', () => {
    const now = withFreshJobs(pages, {}, [aRow('bbb', { status: 'Failed' })]);
    expect(namesIn(now)).toEqual([['aaaa Running', 'bbb Failed'], ['cc Running']]);
  });

  it('goes when the filters no longer show it', () => {
    const now = withFreshJobs(pages, { status: ['Running'] }, [aRow('bbb', { status: 'Failed' })]);
    expect(namesIn(now)).toEqual([['aaaa Running'], ['cc Running']]);
  });

  it('goes when the API no longer has it', () => {
    expect(namesIn(withFreshJobs(pages, {}, [], new Set(['east/aaaa'])))).toEqual([
      ['bbb Running'],
      ['cc Running'],
    ]);
  });
});

describe('a new Job', () => {
  it('is shown first', () => {
    const now = withFreshJobs(loaded([aRow('aaa')]), {}, [aRow('newest')]);
    expect(namesIn(now)).toEqual([['newest Running', 'aaa Running']]);
  });

  it('is shown in an empty table', () => {
    expect(namesIn(withFreshJobs(loaded([]), {}, [aRow('first')]))).toEqual([['first Running']]);
  });

  it('that is older than what is loaded waits for its page', () => {
    const pages: JobPages = { pages: [{ items: [aRow('newest')], next: 'cursor' }], pageParams: [] };
    expect(namesIn(withFreshJobs(pages, {}, [aRow('old')]))).toEqual([['newest Running']]);
  });

  it('of another namespace is not shown', () => {
    const now = withFreshJobs(loaded([]), { namespace: 'batch' }, [aRow('x')]);
    expect(namesIn(now)).toEqual([[]]);
  });
});

describe('the filters', () => {
  it.each([
    [{}, true],
    [{ cluster: 'west' }, false],
    [{ status: ['Failed', 'Running'] }, true],
    [{ text: 'I-' }, true],
    [{ text: 'ip' }, false],
    [{ labels: ['team=maths'] }, true],
    [{ labels: ['team=maths', 'team=physics'] }, false],
    [{ labels: ['toString='] }, false],
    [{ from: Date.parse('2026-11-21T03:00:04Z') }, true],
    [{ from: Date.parse('2026-11-21T03:00:04.001Z') }, false],
    [{ before: Date.parse('2026-11-21T03:00:04.001Z') }, true],
    [{ before: Date.parse('2026-11-21T03:00:04Z') }, false],
  ])('%j show pi-1: %s', (filters, shown) => {
    expect(isShown(filters, aRow('pi-1'))).toBe(shown);
  });

  it('show no deleted Job', () => {
    expect(isShown({}, aRow('pi', { deleted_at: '2026-11-21T03:00:00Z' }))).toBe(false);
  });
});
