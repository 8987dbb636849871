import { describe, expect, it } from '@jest/globals';
import type { ListedCluster, ListedPlacement } from '../../page/api/rows.ts';
import { placementAdvice } from '../../page/clusters/placement-advice.ts';
import { placementEnd, placementRowEnd, placementRows } from '../../page/job/placement/placement-text.ts';

const there = {
  ended_at: null,
  stopping: null,
  end_reason: null,
  refused: null,
  end_message: null,
  overlapped: false,
} as ListedPlacement;
const ended = { ...there, ended_at: '2026-11-21T03:12:00Z' };

describe('the text about the end of a placement', () => {
  it.each<[string, Partial<ListedPlacement>, string]>([
    ['the cluster has the Job', there, ''],
    ['it is drained', { ...there, stopping: 'drain' }, 'the member is being stopped: the cluster is drained'],
    [
      'it was stopped',
      { ...ended, end_reason: 'stopped', end_message: 'it is drained' },
      'stopped: it is drained',
    ],
    [
      'it was refused',
      { ...ended, end_reason: 'refused', refused: 'exceeded quota' },
      'refused: exceeded quota',
    ],
    [
      'it came back',
      { ...ended, end_reason: 'time', end_message: 'no answer', overlapped: true },
      'time: no answer; the later work of the member overlaps with that of another cluster',
    ],
  ])('has the reason, and the message if there is one, when %s', (_when, fields, message) => {
    expect(placementEnd(fields as ListedPlacement)).toBe(message);
  });
});

describe('the list of placements', () => {
  const refusedBy = (cluster: string, number: number): ListedPlacement => ({
    ...ended,
    grant_number: number,
    placed_in: cluster,
    member_uid: null,
    given_at: `2026-11-21T03:0${number}:00Z`,
    end_reason: 'refused',
    refused: `quota ${number}`,
  });
  const runsIn = (cluster: string, number: number): ListedPlacement => ({
    ...there,
    grant_number: number,
    placed_in: cluster,
    member_uid: 'uid',
    given_at: '2026-11-21T03:09:00Z',
  });
  const shown = (...placements: ListedPlacement[]): string[] =>
    placementRows(placements).map(
      (row) =>
        `${row.placement.placed_in} from ${row.placement.given_at.slice(14, 16)}: ${placementRowEnd(row)}`,
    );

  it('has one row for consecutive refusals of a cluster, whatever other clusters refused between them', () => {
    expect(
      shown(
        refusedBy('west', 1),
        refusedBy('north', 2),
        refusedBy('west', 3),
        refusedBy('north', 4),
        refusedBy('west', 5),
      ),
    ).toEqual([
      'west from 01: 3 times in a row, the last refused: quota 5',
      'north from 02: 2 times in a row, the last refused: quota 4',
    ]);
  });

  it('begins another row after a cluster has had a member', () => {
    expect(shown(refusedBy('west', 1), runsIn('north', 2), refusedBy('west', 3))).toEqual([
      'west from 01: refused: quota 1',
      'north from 09: ',
      'west from 03: refused: quota 3',
    ]);
  });
});

describe('a cluster in the list for placed Jobs', () => {
  const at = '2026-11-21T03:12:00Z';
  const advice = (
    availability: ListedCluster['availability'],
    placed = 2,
  ): { message: string; command: string } | null =>
    placementAdvice({ name: 'west', placed_count: placed, availability } as ListedCluster);
  const nothing = { cordoned: null, lost: null, silent_since: null };

  it('has no advice while it has no override and is not silent, or while this is unknown', () => {
    expect([advice(nothing), advice(null)]).toEqual([null, null]);
  });

  it('shows who drained or cordoned it, how many placed Jobs are left, and the command to undo this', () => {
    const drained = advice({ ...nothing, cordoned: { by: 'anna', at, drain: true } });
    expect(drained?.message).toMatch(
      /^Drained by anna at .*: .*move to other clusters. 2 placed Jobs left in this cluster/,
    );
    expect(drained?.command).toBe('jobledger clusters uncordon west');
    expect(advice({ ...nothing, cordoned: { by: 'anna', at, drain: false } }, 0)?.message).toMatch(
      /^Cordoned by anna .*No placed Job is in this cluster/,
    );
  });

  it('shows silence rather than a drain, and an override lost rather than either', () => {
    const drained = { by: 'anna', at, drain: true };
    const silent = { cordoned: drained, lost: null, silent_since: at };
    expect(advice(silent)).toMatchObject({ command: 'jobledger clusters lost west' });
    expect(advice({ ...silent, lost: { by: 'anna', at } })).toMatchObject({
      message: expect.stringContaining('anna declared') as unknown,
      command: 'jobledger clusters found west',
    });
  });
});
