import { describe, expect, it } from '@jest/globals';
import type { FleetFilters, Sort } from '../../page/address/page-address.ts';
import type { ListedJob } from '../../page/api/rows.ts';
import { isShown, withFreshJobs, type JobPages } from '../../page/fleet/jobs/job-rows.ts';

function aRow(uid: string, fields: Partial<ListedJob> = {}): ListedJob {
  const row = {
    cluster: 'east',
    uid,
    namespace: 'default',
    name: uid,
    kubectl_status: 'Running',
    status: 'Running',
    created_at: `2026-11-21T03:00:0${uid.length}Z`,
    first_seen_at: '2026-11-21T03:00:00Z',
    deleted_at: null,
    labels: { team: 'maths' },
    owner_kind: 'CronJob',
    owner_name: 'nightly',
    finished_at: null,
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

const inView = (
  filters: FleetFilters = {},
  sort: Sort = '-created',
): { filters: FleetFilters; sort: Sort } => ({
  filters,
  sort,
});

const namesIn = ({ pages }: JobPages): string[][] =>
  pages.map(({ items }) => items.map(({ name, kubectl_status: status }) => `${name} ${status}`));

describe('a changed Job in the table', () => {
  const pages = loaded([aRow('aaaa'), aRow('bbb')], [aRow('cc')]);

  it('stays in its row, with its new values', () => {
    const now = withFreshJobs(pages, inView(), [aRow('bbb', { kubectl_status: 'Failed' })]);
    expect(namesIn(now)).toEqual([['aaaa Running', 'bbb Failed'], ['cc Running']]);
  });

  it('disappears when the filters no longer match it', () => {
    const now = withFreshJobs(pages, inView({ kubectlStatus: ['Running'] }), [
      aRow('bbb', { kubectl_status: 'Failed' }),
    ]);
    expect(namesIn(now)).toEqual([['aaaa Running'], ['cc Running']]);
  });

  it('disappears when the API no longer has it', () => {
    expect(namesIn(withFreshJobs(pages, inView(), [], new Set(['east/aaaa'])))).toEqual([
      ['bbb Running'],
      ['cc Running'],
    ]);
  });
});

describe('a new Job in the table', () => {
  it('becomes the first row', () => {
    const now = withFreshJobs(loaded([aRow('aaa')]), inView(), [aRow('newest')]);
    expect(namesIn(now)).toEqual([['newest Running', 'aaa Running']]);
  });

  it('is shown in an empty table', () => {
    expect(namesIn(withFreshJobs(loaded([]), inView(), [aRow('first')]))).toEqual([['first Running']]);
  });

  it('is not shown before its page is loaded when it is older than the loaded rows', () => {
    const pages: JobPages = { pages: [{ items: [aRow('newest')], next: 'cursor' }], pageParams: [] };
    expect(namesIn(withFreshJobs(pages, inView(), [aRow('old')]))).toEqual([['newest Running']]);
  });

  it('is not shown when the table has only another namespace', () => {
    const now = withFreshJobs(loaded([]), inView({ namespace: 'batch' }), [aRow('x')]);
    expect(namesIn(now)).toEqual([[]]);
  });
});

describe('in a sorted table of Jobs', () => {
  const ended = (uid: string, at: string | null): ListedJob =>
    aRow(uid, { finished_at: at === null ? null : `2026-11-21T04:00:0${at}Z` });
  const pages = loaded([ended('runs', null), ended('last', '5'), ended('first', '1')]);

  it.each<[Sort, string[]]>([
    ['name', ['first Running', 'last Running', 'new Running', 'runs Running']],
    ['-name', ['runs Running', 'new Running', 'last Running', 'first Running']],
    ['-finished', ['runs Running', 'last Running', 'new Running', 'first Running']],
    ['finished', ['first Running', 'new Running', 'last Running', 'runs Running']],
    ['created', ['new Running', 'last Running', 'runs Running', 'first Running']],
  ])('a new Job has its place when the order is by %s', (sort, expected) => {
    const items = pages.pages.flatMap((page) => page.items);
    const sorted = items.toSorted(
      (a, b) => expected.indexOf(`${a.name} Running`) - expected.indexOf(`${b.name} Running`),
    );
    expect(namesIn(withFreshJobs(loaded(sorted), inView({}, sort), [ended('new', '3')]))).toEqual([expected]);
  });

  it('a Job that ends moves to its new place', () => {
    const now = withFreshJobs(pages, inView({}, '-finished'), [ended('runs', '3')]);
    expect(namesIn(now)).toEqual([['last Running', 'runs Running', 'first Running']]);
  });

  it('a Job that changes stays in the last row of the last loaded page', () => {
    const last: JobPages = { pages: [{ items: [aRow('aaa'), aRow('bb')], next: 'cursor' }], pageParams: [] };
    const now = withFreshJobs(last, inView(), [aRow('bb', { kubectl_status: 'Failed' })]);
    expect(namesIn(now)).toEqual([['aaa Running', 'bb Failed']]);
  });
});

describe('the filters of the table of Jobs', () => {
  it.each([
    [{}, true],
    [{ cluster: 'west' }, false],
    [{ status: ['Failed', 'Running'] }, true],
    [{ text: 'I-' }, true],
    [{ text: 'ip' }, false],
    [{ owner: 'nightly' }, true],
    [{ owner: 'CronJob/nightly' }, true],
    [{ owner: 'Workflow/nightly' }, false],
    [{ owner: 'night' }, false],
    [{ labels: ['team=maths'] }, true],
    [{ labels: ['team=maths', 'team=physics'] }, false],
    [{ labels: ['toString='] }, false],
    [{ from: Date.parse('2026-11-21T03:00:04Z') }, true],
    [{ from: Date.parse('2026-11-21T03:00:04.001Z') }, false],
    [{ before: Date.parse('2026-11-21T03:00:04.001Z') }, true],
    [{ before: Date.parse('2026-11-21T03:00:04Z') }, false],
  ])('show the Job pi-1 with %j: %s', (filters, shown) => {
    expect(isShown(filters, aRow('pi-1'))).toBe(shown);
  });

  it('show deleted Jobs unless the user hides them', () => {
    const deleted = aRow('pi', { deleted_at: '2026-11-21T03:00:00Z' });
    expect([isShown({}, deleted), isShown({ deleted: 'hidden' }, deleted)]).toEqual([true, false]);
  });

  it('compare the reason of a Job without its numbers of pods', () => {
    const failed = aRow('pi', { reason: '137 OOMKilled ×2, exit code 3 ×1: back-off limit reached' });
    expect(isShown({ reason: '137 OOMKilled, exit code 3: back-off limit reached' }, failed)).toBe(true);
    expect(isShown({ reason: '137 OOMKilled' }, failed)).toBe(false);
  });

  it('show only Jobs with one of the requested statuses', () => {
    const pending = aRow('pi', { status: 'Pending' });
    expect([
      isShown({ status: ['Pending', 'Failed'] }, pending),
      isShown({ status: ['Failed'] }, pending),
    ]).toEqual([true, false]);
  });
});
