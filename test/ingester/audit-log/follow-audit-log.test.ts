import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiRequestAudited } from '../../../workflows/job/events.ts';
import { silentLog } from '../../../services/adapters/process/log.ts';
import { createBudget } from '../../../services/audit-log/budget.ts';
import { followAuditLog } from '../../../services/ingester/audit-log/follow-audit-log.ts';
import { createLogReader, type LogPosition } from '../../../services/ingester/audit-log/read-lines.ts';
import { anAuditRecord, aPatch, SECRET } from '../../audit-log/an-audit-record.ts';
import { pause } from '../../../services/adapters/waiting/pause.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-log-'));
  file = join(folder, 'audit.log');
});
afterEach(() => rmSync(folder, { recursive: true }));

const line = (record: unknown): string => `${JSON.stringify(record)}\n`;

/** Waits until the expectation holds, at most two seconds. */
async function soon(holds: () => boolean): Promise<void> {
  for (let left = 400; left > 0 && !holds(); left -= 1) await pause(5, new AbortController().signal);
  expect(holds()).toBe(true);
}

/** A follower of the file, what it recorded, and what it counted. */
interface Following {
  events: ApiRequestAudited[];
  positions: LogPosition[];
  counted: Record<string, number>;
  refused: (string | null)[];
  stop: () => Promise<void>;
}

function following(options: { position?: LogPosition | null; failures?: number } = {}): Following {
  const stop = new AbortController();
  const [events, positions, refused]: [ApiRequestAudited[], LogPosition[], (string | null)[]] = [[], [], []];
  const counted: Record<string, number> = {};
  let failures = options.failures ?? 0;
  const followed = followAuditLog({
    scope: {
      cluster: 'east',
      ownUsers: new Set(),
      namespaces: [],
      mayExist: () => true,
      recordedName: (name) => name,
    },
    file,
    position: options.position ?? null,
    async record(found, position) {
      failures -= 1;
      if (failures >= 0) throw new Error('Kafka is away');
      events.push(...found);
      positions.push(position);
    },
    budget: createBudget(),
    count: (result, by) => void (counted[result] = (counted[result] ?? 0) + by),
    onRefused: (reason) => void refused.push(reason),
    log: silentLog(),
    signal: stop.signal,
    pollMs: 5,
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await followed;
  };
  return { events, positions, counted, refused, stop: end };
}

describe('the audit log of an API server', () => {
  it('is read from its beginning, as it grows, and an incomplete line waits for its end', async () => {
    writeFileSync(file, line(anAuditRecord()));
    const found = following();
    await soon(() => found.events.length === 1);
    const [half, rest] = [
      line(aPatch({ spec: { suspend: true } })).slice(0, 100),
      line(aPatch({ spec: { suspend: true } })).slice(100),
    ];
    appendFileSync(file, half);
    appendFileSync(file, rest);
    await soon(() => found.events.length === 2);
    await found.stop();
    expect(found.events.map(({ data }) => [data.verb, data.by])).toEqual([
      ['create', 'ann'],
      ['patch', 'bob'],
    ]);
    expect(JSON.stringify(found.events)).not.toContain(SECRET);
  });

  it('is read on from the position of the last ingester, also in a file that was renamed since then', async () => {
    writeFileSync(file, line(anAuditRecord()));
    const first = following();
    await soon(() => first.events.length === 1);
    await first.stop();
    appendFileSync(file, line(aPatch({ spec: { suspend: true } })));
    renameSync(file, join(folder, 'audit-2026-11-30T08-00-00.000.log'));
    writeFileSync(file, line(aPatch({ spec: { parallelism: 3 } }, { auditID: 'patch-2' })));
    const second = following({ position: first.positions.at(-1) ?? null });
    await soon(() => second.events.length === 2);
    await second.stop();
    expect(second.events.map(({ data }) => data.fields)).toEqual([['spec.suspend'], ['spec.parallelism']]);
  });

  it('is read again from the oldest remaining file when the file of the position was deleted', async () => {
    writeFileSync(join(folder, 'audit-2026-11-30T08-00-00.000.log'), line(anAuditRecord()));
    writeFileSync(file, line(aPatch({ spec: { suspend: true } })));
    const found = following({ position: { inode: '1', offset: 77, start: '' } });
    await soon(() => found.events.length === 2);
    await found.stop();
    expect(found.events.map(({ data }) => data.verb)).toEqual(['create', 'patch']);
  });

  it('is recorded after an outage of Kafka, with the same events', async () => {
    writeFileSync(file, line(anAuditRecord()));
    const found = following({ failures: 1 });
    await soon(() => found.events.length === 1);
    await found.stop();
    expect(found.positions).toHaveLength(1);
  });

  it('is reported when it cannot be read, and read when it becomes readable', async () => {
    const found = following();
    await soon(() => found.refused.length > 0);
    expect(found.refused[0]).toContain(`${file} cannot be read`);
    writeFileSync(file, line(anAuditRecord()));
    await soon(() => found.events.length === 1);
    await found.stop();
    expect(found.refused.at(-1)).toBeNull();
  });

  it('is read on after lines that are no records, which the ingester counts', async () => {
    const lines = [
      'no JSON\n',
      '\n',
      line({ kind: 'Event' }),
      line(anAuditRecord({ stage: 'RequestReceived' })),
    ];
    writeFileSync(file, lines.join('') + line(anAuditRecord()));
    const found = following();
    await soon(() => found.events.length === 1);
    await found.stop();
    expect(found.counted).toEqual({ unreadable: 2, ignored: 1, recorded: 1 });
  });
});

describe('a new audit log file that has the inode of the earlier file', () => {
  it('is read from its beginning, together with older files', async () => {
    writeFileSync(file, line(anAuditRecord()).repeat(3));
    const first = following();
    await soon(() => first.positions.length === 1);
    await first.stop();
    // The inode stays.
    writeFileSync(file, line(aPatch({ spec: { suspend: true } })).repeat(5));
    writeFileSync(join(folder, 'audit-2026-11-30T08-00-00.000.log'), line(aPatch({}, { verb: 'update' })));
    const second = following({ position: first.positions.at(-1) ?? null });
    await soon(() => second.events.length === 6);
    await second.stop();
    expect(second.events.map(({ data }) => data.verb)).toEqual(['update', ...Array(5).fill('patch')]);
  });

  it('is also read if the old file ended at the same position', async () => {
    writeFileSync(file, 'old\n');
    const reader = createLogReader(file);
    const { position } = await reader.next(null);
    writeFileSync(file, 'new\n');
    const read = await reader.next(position);
    expect([read.lines.map(String), read.lost, read.position.offset]).toEqual([['new'], true, 4]);
    expect(read.position).not.toEqual(position);
    appendFileSync(file, 'more\n'.repeat(100));
    expect((await reader.next(read.position)).lines).toHaveLength(100);
  });
});

describe('a line that is longer than a read buffer', () => {
  it('is read completely, together with the lines around it', async () => {
    const long = 'b'.repeat(1_000_000);
    writeFileSync(file, `a\n${long}\nc\n`);
    const reader = createLogReader(file);
    const lengths: number[] = [];
    for (let position: LogPosition | null = null, isEnd = false; !isEnd;) {
      const read = await reader.next(position);
      lengths.push(...read.lines.map((each) => each.length));
      ({ position, isEnd } = read);
    }
    expect(lengths).toEqual([1, 1_000_000, 1]);
  });
});

describe('a line that is longer than the limit of a line', () => {
  it('is omitted when it has ended, and memory stays within the limit', async () => {
    const reader = createLogReader(file, 64);
    writeFileSync(file, 'a'.repeat(1000));
    expect(await reader.next(null)).toMatchObject({ lines: [], tooLong: 0, isEnd: true });
    appendFileSync(file, '\nshort\n');
    const left = await reader.next(null);
    expect(left).toMatchObject({ lines: [], tooLong: 1, isEnd: false, position: { offset: 1001 } });
    const next = await reader.next(left.position);
    expect(next.lines.map(String)).toEqual(['short']);
  });
});
