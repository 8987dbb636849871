import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { emptyRows, type Rows } from '../../services/projector/projections/rows.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { EVENTS, CRON_JOB_EVENTS, EVENT_IDS } from '../../services/read-model/tables/events.ts';
import type { Column } from '../../services/read-model/tables/table.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { aJob, after, aPod, jobObserved, podObserved } from './builders.ts';

const SCHEMA = readFileSync('services/projector/schema.sql', 'utf8');
const LONG = 'é'.repeat(5000);
const MOST_INTEGER = 2 ** 31 - 1;

/** The columns of btree indexes, by table. A GIN index contains digests. */
function indexedColumns(): Map<string, Set<string>> {
  const indexed = new Map<string, Set<string>>();
  const add = (table: string, expression: string): void => {
    const message = expression.match(/[a-z_]+/g) ?? [];
    indexed.set(table, new Set([...(indexed.get(table) ?? []), ...message]));
  };
  let table = '';
  for (const line of SCHEMA.split('\n')) {
    table = /^create table (\w+)/.exec(line)?.[1] ?? table;
    const key = /PRIMARY KEY \((.*)\)/.exec(line)?.[1];
    if (key !== undefined) add(table, key);
    const index = /^CREATE (?:UNIQUE )?INDEX \w+ ON (?:ONLY )?jobledger\.(\w+) USING btree (.*);/.exec(line);
    if (index?.[1] !== undefined) add(index[1], index[2] ?? '');
  }
  return indexed;
}

/** The text columns of each table of the schema. */
function textColumns(): Map<string, string[]> {
  const columns = new Map<string, string[]>();
  let table = '';
  for (const line of SCHEMA.split('\n')) {
    table = /^create (?:table|view) (\w+)/.exec(line)?.[1] ?? table;
    const name = /^ {2}"?(\w+)"? text\b/.exec(line)?.[1];
    if (name !== undefined) columns.set(table, [...(columns.get(table) ?? []), name]);
  }
  return columns;
}

/** Indexed text that is not cut, with the reason why nobody can make it long. */
const BY_OTHERS: Readonly<Record<string, string>> = {
  'pods.end_event_id': 'the id of an event',
  'migrations.name': 'a file of the program',
  'cluster_watches.cluster': 'the configuration',
  'missed_starts.cluster': 'a column of cron_jobs, which has a limit',
  'missed_starts.cron_job_uid': 'a column of cron_jobs, which has a limit',
  'missed_starts_counted.cluster': 'the configuration',
  'namespace_teams.cluster': 'the configuration',
  'namespace_teams.namespace': 'the configuration',
  'positions.topic': 'the configuration',
  'dead_letters.topic': 'the configuration',
  'sink_positions.sink': 'the configuration',
  'sink_positions.topic': 'the configuration',
  'placements.marked_uid': 'a member_uid, which has a limit',
  'sink_messages.sink': 'the configuration',
  'sink_messages.topic': 'the configuration',
  'sink_messages.type': 'one of three words',
  'sink_messages.cluster': 'the configuration, or that of a Job in the tables',
  'sink_messages.namespace': 'that of a Job in the tables',
};

/** Of events: made by the ingester, which takes no UIDs of more than 64 characters (isUid). */
const OF_EVENTS = new Set<string>(
  [EVENTS, CRON_JOB_EVENTS, EVENT_IDS].flatMap((each) =>
    ['id', 'type', 'cluster', 'job_uid', 'cron_job_uid'].map((column) => `${each.name}.${column}`),
  ),
);

function rowsAfter(...events: LedgerEvent[]): Rows {
  const rows = emptyRows();
  projectAll(rows, events);
  return rows;
}

describe('the limit of texts in the indexes of Postgres', () => {
  const tables = new Map(Object.values(emptyRows()).map(({ table }) => [table.name, table]));
  const texts = textColumns();
  const indexed = [...indexedColumns()].flatMap(([table, columns]) =>
    (texts.get(table) ?? []).filter((each) => columns.has(each)).map((each) => [table, each] as const),
  );

  it('covers all indexes on text of the schema', () => {
    expect(indexed).toEqual(expect.arrayContaining([['jobs', 'owner_name']]));
    expect(indexed.length).toBeGreaterThan(50);
  });

  it.each(indexed)('exists for the index of %s.%s', (table, name) => {
    const column = (tables.get(table)?.columns as Readonly<Record<string, Column>> | undefined)?.[name];
    const isOfText = column !== undefined && 'options' in column.schema;
    // An index of `reason` has the cluster and the UID too: 500, 253 and 64 characters of at most 3 bytes.
    const hasLimit = column?.most === (name === 'reason' ? 500 : 253) || isOfText;
    expect(hasLimit || OF_EVENTS.has(`${table}.${name}`) || `${table}.${name}` in BY_OTHERS).toBe(true);
  });

  it('cuts a longer text into a valid text', () => {
    const job = aJob({ version: 1, status: { conditions: [{ type: LONG, status: 'True', reason: LONG }] } });
    job.metadata.ownerReferences = [
      { apiVersion: 'example.com/v1', kind: LONG, name: LONG, uid: 'other', controller: true },
    ];
    const rows = rowsAfter(jobObserved(1, job));
    const [row] = rows.jobs.changed.values();
    const [condition] = rows.conditions.changed.values();
    expect(row?.owner_name).toBe('é'.repeat(253));
    expect(condition?.type).toBe('é'.repeat(253));
    expect(condition?.reason).toBe(LONG);
  });

  it('leaves a valid text when the cut would be in the middle of a character', () => {
    const job = aJob({
      version: 1,
      status: { conditions: [{ type: '😀'.repeat(200), status: 'True' }] },
    });
    const [condition] = rowsAfter(jobObserved(1, job)).conditions.changed.values();
    expect(condition?.type).toBe(`${'😀'.repeat(126)}\uFFFD`);
  });
});

describe('numbers in events that exceed an integer column', () => {
  it('are stored as the largest integer', () => {
    const pod = aPod({ name: 'pi-a', version: 2 });
    const often = { restartCount: MOST_INTEGER, ready: false, image: '', imageID: '' };
    pod.status = {
      ...pod.status,
      containerStatuses: ['a', 'b', 'c'].map((name) => ({ ...often, name })),
    };
    const rows = rowsAfter(
      jobObserved(1, aJob({ version: 1, spec: { parallelism: 99_999_999_999 } })),
      podObserved(2, pod),
    );
    expect([...rows.pods.changed.values()][0]?.restarts).toBe(MOST_INTEGER);
    expect([...rows.jobs.changed.values()][0]?.parallelism).toBe(MOST_INTEGER);
  });
});

describe('pods that each fail for another reason', () => {
  it('are counted under fifty reasons, and the other pods under "others"', () => {
    const ends = Array.from({ length: 200 }, (_none, at) => {
      const terminated = { exitCode: at, reason: `r${at}`.padEnd(500, 'x'), finishedAt: after(29) };
      const status = { containerStatuses: [{ name: 'main', state: { terminated } }] };
      return podObserved(30, aPod({ name: `pi-${at}`, version: 10 + at, phase: 'Failed', status }));
    });
    const [job] = rowsAfter(jobObserved(1, aJob({ version: 1 })), ...ends).jobs.changed.values();
    const failed = Object.entries(job?.pod_summary.failed ?? {});
    expect(failed).toHaveLength(51);
    expect(job?.pod_summary.failed['others']).toBe(150);
    expect(Math.max(...failed.map(([cause]) => cause.length))).toBe(200);
    expect(job?.reason).toMatch(/^1 r1x{120,} ×1, 10 r10x{120,} ×1, 11 r11x{120,} ×1, others$/);
  });
});
