import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import fc from 'fast-check';
import { registerExport } from '../../cli/verbs/export/export.ts';
import { isDeletionBefore, isInPeriod, type Period } from '../../cli/verbs/export/period.ts';
import { createSelector, createSelection, type ExportSelection } from '../../cli/verbs/export/selection.ts';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import { isMention, isOfKind, type LedgerEvent } from '../../workflows/ledger-event.ts';
import { aCronJobLife } from '../projector/cron-job-life.ts';
import { createSpool } from '../../cli/verbs/export/spool.ts';
import { writeExport } from '../../cli/verbs/export/write-export.ts';
import { createStreams, type WantedStream } from '../../cli/ledger/streams.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import {
  aJob,
  after,
  aPod,
  clusterGap,
  jobDeleted,
  jobObserved,
  podObserved,
  START,
} from '../projector/builders.ts';

function jobAt(seconds: number, jobUid: string, cluster = 'east'): JobEvent {
  const event = jobObserved(seconds, aJob({ version: seconds, metadata: { uid: jobUid, name: jobUid } }));
  const subject = `default/${jobUid}`;
  return { ...event, subject, data: { ...event.data, cluster, jobUid } } as JobEvent;
}

/** Job a from 1 to 30 s, b at 20 s, c of another cluster at 40 s; a gap at 25 s. */
const LEDGER = [jobAt(1, 'a'), jobAt(20, 'b'), clusterGap(25, 26), jobAt(30, 'a'), jobAt(40, 'c', 'west')];

/** Reads the ledger as the verb does. */
function selected(
  ledger: readonly LedgerEvent[],
  names: WantedStream[] | undefined,
  period: Period,
  { cluster, namespace }: { cluster?: string | undefined; namespace?: string | undefined } = {},
): ExportSelection {
  if (names === undefined) {
    const selector = createSelector(isInPeriod(period), { cluster, namespace, isOfJobs: false });
    for (const event of ledger) selector.add(event);
    return selector.selection();
  }
  const streams = createStreams(names, () => ({ add: () => undefined }));
  for (const event of ledger) streams.add(event);
  return createSelection(streams.chosen());
}

function exported(
  period: Period,
  options: { cluster?: string; namespace?: string; names?: string[] } = {},
  ledger: readonly LedgerEvent[] = LEDGER,
): string[] {
  const { names } = options;
  const selection = selected(
    ledger,
    names?.map((name) => ({ name })),
    period,
    options,
  );
  return ledger
    .filter((event) => selection.has(event))
    .map(({ data }) => ('jobUid' in data ? data.jobUid : `cluster ${data.cluster}`));
}

function between(since: number, until: number): Period {
  return { since: START + since * 1000, until: START + until * 1000 };
}

describe('the selection of an export of the ledger', () => {
  it('has every Job of a namespace, with each Job that had the same name, and the streams of their clusters', () => {
    const inTeam = (event: JobEvent): JobEvent => ({ ...event, subject: 'team-a/nap' });
    const ledger = [...LEDGER, inTeam(jobAt(50, 'd')), inTeam(jobAt(60, 'e'))];
    expect(exported({}, { namespace: 'team-a' }, ledger)).toEqual(['cluster east', 'd', 'e']);
    expect(exported({}, { namespace: 'team' }, ledger)).toEqual([]);
  });

  it('has no Job of another namespace that a pod of the namespace names as its Job', () => {
    const claim = { ...podObserved(50, aPod({ name: 'evil-1', version: 50 })), subject: 'team-a/a' };
    const evil = { ...claim, data: { ...claim.data, jobUid: 'a' } } as JobEvent;
    expect(exported({}, { namespace: 'team-a' }, [...LEDGER, evil])).toEqual(['cluster east']);
    const orphan = { ...evil, data: { ...evil.data, jobUid: 'unseen' } } as JobEvent;
    expect(exported({}, { namespace: 'team-a' }, [...LEDGER, orphan])).toEqual(['cluster east', 'unseen']);
  });

  it('has a Job of the namespace in a period in which only its deletion, without a name, is recorded', () => {
    const observed = { ...jobAt(1, 'd'), subject: 'team-a/nap' };
    const deleted = { ...jobDeleted({ at: 60 }), subject: '/' };
    const ledger = [observed, { ...deleted, data: { ...deleted.data, jobUid: 'd' } } as JobEvent];
    expect(exported(between(50, 70), { namespace: 'team-a' }, ledger)).toEqual(['d', 'd']);
  });

  it('is the whole ledger when the command has no options', () => {
    expect(exported({})).toEqual(['a', 'b', 'cluster east', 'a', 'c']);
  });

  it('contains the whole streams of Jobs with an event in a given period, and of their clusters', () => {
    expect(exported(between(28, 35))).toEqual(['a', 'cluster east', 'a']);
    expect(exported(between(1, 2))).toEqual(['a', 'cluster east', 'a']);
    expect(exported({ since: START + 40_000 })).toEqual(['c']);
  });

  it('includes the first instant of its period and excludes the last', () => {
    expect(exported(between(20, 25))).toEqual(['b', 'cluster east']);
    expect(exported(between(21, 25))).toEqual([]);
    expect(exported(between(15, 20))).toEqual([]);
  });

  it('contains the gaps in its period when no Job has an event in the period', () => {
    expect(exported(between(26, 27))).toEqual(['cluster east']);
  });

  it('contains the stream of a given Job and the stream of its cluster', () => {
    expect(exported({}, { names: ['b'] })).toEqual(['b', 'cluster east']);
  });

  it('contains no event of another cluster when the user gives a cluster', () => {
    expect(exported({}, { cluster: 'west' })).toEqual(['c']);
  });
});

describe('the compact index of an export', () => {
  it('selects the same events as plain sets of strings, for any streams and periods', () => {
    const some = fc.array(fc.tuple(fc.nat(60), fc.nat(300), fc.constantFrom('east', 'west')), {
      maxLength: 400,
    });
    fc.assert(
      fc.property(some, fc.nat(300), fc.nat(300), (all, since, length) => {
        const ledger = all.map(([job, at, cluster]) => jobAt(at, `job-${job}`, cluster));
        const selection = selected(ledger, undefined, between(since, since + length));
        const recordKey = ({ data }: LedgerEvent): string =>
          'jobUid' in data ? `${data.cluster}/${data.jobUid}` : '';
        const inPeriod = ledger.filter(isInPeriod(between(since, since + length)));
        const wanted = new Set(inPeriod.map(recordKey));
        expect(ledger.filter((event) => selection.has(event))).toEqual(
          ledger.filter((event) => wanted.has(recordKey(event))),
        );
        expect(selection.jobs).toBe(wanted.size);
        expect(selection.clusters).toBe(new Set(inPeriod.map(({ data }) => data.cluster)).size);
      }),
      { numRuns: 50 },
    );
  });
});

describe('an export of CronJobs', () => {
  const life = aCronJobLife();
  const ledger = [...LEDGER, ...life];
  const exportStreams = (names: WantedStream[] | undefined, period: Period = {}): ExportSelection =>
    selected(ledger, names, period);

  it('contains their whole streams, with the events of their Jobs', () => {
    const selection = exportStreams([{ name: 'tick', kind: 'cronjob' }]);
    expect(selection).toMatchObject({ jobs: 0, cronJobs: 1, clusters: 1 });
    expect(ledger.filter((event) => selection.has(event) && isOfKind('CronJob', event))).toEqual(life);
    expect(ledger.filter((event) => selection.has(event) && !isOfKind('CronJob', event))).toEqual([
      clusterGap(25, 26),
    ]);
  });

  it('is part of an export of the whole ledger, and of a period', () => {
    expect(exportStreams(undefined)).toMatchObject({ jobs: 3, cronJobs: 1 });
    const instant = Date.parse(life[5]?.time ?? '');
    expect(exportStreams(undefined, { since: instant, until: instant + 1 })).toMatchObject({
      jobs: 0,
      cronJobs: 1,
    });
  });

  it('is empty for a period in which other objects only mention the CronJob, because any user may write such a mention', () => {
    const later = '2035-01-01T00:00:00.000Z';
    const [mention] = life.filter(isMention);
    if (mention === undefined) throw new Error('the life has Jobs');
    const period = { since: Date.parse(later), until: Date.parse(later) + 1 };
    const selection = selected([...ledger, { ...mention, time: later }], undefined, period);
    expect(selection).toMatchObject({ jobs: 0, cronJobs: 0, clusters: 0 });
  });

  it('selects a CronJob as deleted when the CronJob itself was deleted, not when one of its Jobs was deleted', () => {
    const isEnded = (events: readonly CronJobEvent[]): boolean =>
      events.some(isDeletionBefore(Date.parse('2030-01-01T00:00:00Z')));
    const existing = life.filter(({ type }) => type !== 'cronjob.deleted');
    expect(existing.some(({ type }) => type === 'job.deleted')).toBe(true);
    expect([isEnded(life), isEnded(existing)]).toEqual([true, false]);
  });
});

describe('the lines of an export', () => {
  it('are the unchanged records, ordered by partition and then by offset', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobledger-sheaf-'));
    const sheaf = createSpool(folder);
    const record = (partition: number, value: string) => ({
      partition,
      offset: 0n,
      key: '',
      value: Buffer.from(value),
    });
    for (const each of [record(10, '{"a": 1}'), record(2, '{"b":"\u2028"}'), record(10, '{\n"c":1}')])
      sheaf.lay(each);
    const output = new PassThrough();
    const read = text(output);
    await sheaf.bindInto(output);
    output.end();
    expect(await read).toBe('{"b":"\u2028"}\n{"a": 1}\n{ "c":1}\n');
    sheaf.discard();
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

describe('the lines of an export of many partitions', () => {
  it('are written to a file partition by partition, without accumulating listeners', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobledger-test-'));
    const sheaf = createSpool(folder);
    for (let partition = 12; partition > 0; partition -= 1)
      sheaf.lay({ partition, offset: 0n, key: '', value: Buffer.from(String(partition)) });
    const output = createWriteStream(join(folder, 'lines'));
    let most = 0;
    output.on('newListener', () => (most = Math.max(most, output.listenerCount('error'))));
    await sheaf.bindInto(output);
    await finished(output.end());
    const lines = readFileSync(join(folder, 'lines'), 'utf8').trim().split('\n');
    expect(lines.map(Number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(most).toBeLessThan(10);
    sheaf.discard();
    rmSync(folder, { recursive: true });
  });
});

describe('the output file of an export', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'jobledger-export-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function exportTo(file: string): Promise<void> {
    const spool = createSpool(folder);
    spool.lay({ partition: 0, offset: 0n, key: '', value: Buffer.from('{"a":1}') });
    await writeExport(spool, file, null).finally(() => spool.discard());
  }

  it('stays a pipe when it is a pipe, and the reader of the pipe gets the lines', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const read = readFile(pipe, 'utf8');
    // Without a writer the reader would wait for ever.
    await exportTo(pipe).finally(() => {
      if (!lstatSync(pipe).isFIFO()) throw new Error('the pipe was replaced');
    });
    expect(await read).toBe('{"a":1}\n');
    expect(readdirSync(folder)).toEqual(['pipe']);
  });

  it.each([
    ['existing', 'old'],
    ['missing', null],
  ])('is the %s file to which a symbolic link leads', async (_what, content) => {
    const [link, file] = [join(folder, 'link'), join(folder, 'file')];
    if (content !== null) writeFileSync(file, content);
    symlinkSync('file', link);
    await exportTo(link);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('{"a":1}\n');
    expect(readdirSync(folder)).toEqual(['file', 'link']);
  });
});

describe('invalid arguments of an export', () => {
  it.each([
    [['flaky', '--since', after(1)], 'name Jobs or a period, not both'],
    [['--since', '2026-01-01T00:00:00'], 'zone'],
    [['--since', after(2), '--until', after(2)], '--since must be before --until'],
    [['--uid', 'job-1'], '--uid needs the name of a Job'],
    [['-o', '/nowhere/file'], 'cannot write to /nowhere'],
    [['-o', '/dev/null', '--manifest'], '--manifest needs a regular file, but /dev/null is none'],
  ])('are refused before the ledger is read: %j', async (args, message) => {
    const program = new Command('jobledger').exitOverride();
    registerExport(program);
    await expect(program.parseAsync(['export', ...args], { from: 'user' })).rejects.toThrow(message);
  });
});

describe('an export that is interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('leaves no temporary file after %s', async (signal, status) => {
    const folder = mkdtempSync(join(tmpdir(), 'jobledger-interrupted-'));
    const program = `
      import { createSpool } from './cli/verbs/export/spool.ts';
      import { discardAtStop } from './cli/discard-at-stop.ts';
      const spool = createSpool(${JSON.stringify(folder)});
      spool.lay({ partition: 0, value: Buffer.from('{}') });
      discardAtStop(() => spool.discard());
      setTimeout(() => undefined, 60_000);
      process.stdout.write('laid');
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
    await once(child.stdout, 'data');
    expect(readdirSync(folder)).toHaveLength(1);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([status, null]);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});
