import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { LiveRecord } from '../../services/live-topic/live-topic.ts';
import { encodeEvent, withDigest } from '../../services/adapters/events/event-codec.ts';
import { appendMissing } from '../../cli/verbs/import/append-missing.ts';
import { compareWithLedger, type ImportComparison } from '../../cli/verbs/import/comparison.ts';
import { readContent, type Content } from '../../cli/verbs/import/content.ts';
import { manifestPath } from '../../cli/ledger/archive-manifest.ts';
import { programWith } from '../../cli/main.ts';
import { readLines } from '../../cli/ledger/lines.ts';
import type { ClusterConnected } from '../../workflows/ledger/cluster-events.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { aStory } from '../projector/story.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-import-test-'));
const file = join(folder, 'export.ndjson');
afterAll(() => rmSync(folder, { recursive: true }));

function connected(cluster: string, uid: string): JobEvent {
  const time = '2026-03-31T23:58:00.000Z';
  const data = { cluster, uid, version: 'v1.36.3' };
  const id = `${cluster}/connected/${uid}/${time}`;
  return withDigest<ClusterConnected>({
    id,
    type: 'cluster.connected',
    source: cluster,
    subject: cluster,
    time,
    data,
  });
}

function written(...events: JobEvent[]): string {
  writeFileSync(file, events.map((event) => `${encodeEvent(event).value}\n`).join(''));
  return file;
}

function identity(cluster: string, value: string): LiveRecord {
  return { cluster, kind: 'identity', key: 'uid', value };
}

async function content(...events: JobEvent[]): Promise<Content> {
  return readContent(readLines(written(...events)));
}

async function comparison(
  events: readonly JobEvent[],
  ledger: readonly JobEvent[],
  live: readonly LiveRecord[] = [],
): Promise<ImportComparison> {
  const compared = compareWithLedger(await content(...events), live);
  for (const event of ledger) compared.add(event);
  return compared;
}

const STORY = [connected('east', 'uid-1'), ...aStory()];
/** Some events occur twice in the story. */
const DISTINCT = new Set(STORY.map(({ id }) => id)).size;

describe('an imported file with a changed record', () => {
  it('is refused with its line, because the digest does not match the content', async () => {
    const [first, ...others] = STORY.map((event) => encodeEvent(event).value);
    writeFileSync(file, `${[first?.replace('v1.36.3', 'v1.36.4'), ...others].join('\n')}\n`);
    await expect(readContent(readLines(file))).rejects.toThrow(
      /^nothing was imported:\n {2}line 1: east\/connected\/uid-1\/\S+ was changed after it was recorded: its digest is [\da-f]+, but its content has the digest [\da-f]+$/,
    );
  });
});

describe('an imported file without events', () => {
  const imported = async (): Promise<unknown> => {
    const program = await programWith(['admin', 'import']);
    return program.parseAsync(['admin', 'import', file, '--state-dir', folder], { from: 'user' });
  };

  it('is refused, unless its manifest has no events either', async () => {
    writeFileSync(file, '\n');
    await expect(imported()).rejects.toThrow('nothing was imported, because the file is empty');
    const about = { events: 0, jobs: 0, cronJobs: 0, clusters: 0, endedBefore: null, writtenAt: '' };
    const sha256 = createHash('sha256').update('\n').digest('hex');
    writeFileSync(manifestPath(file), JSON.stringify({ ...about, sha256 }));
    await expect(imported()).rejects.toThrow('no address for Kafka');
    rmSync(manifestPath(file));
  });
});

describe('the reader of an imported file', () => {
  it('splits lines only at line feeds', async () => {
    writeFileSync(file, '\n{"a":"\u2028\u0085"}\r\n\n{}');
    const lines = [];
    for await (const line of readLines(file)) lines.push(line);
    expect(lines).toEqual([
      { number: 2, text: '{"a":"\u2028\u0085"}' },
      { number: 4, text: '{}' },
    ]);
  });

  it('refuses a line that is longer than any record', async () => {
    writeFileSync(file, `{}\n${'a'.repeat(4 * 1024 * 1024 + 1)}`);
    await expect(readContent(readLines(file))).rejects.toThrow('line 2 is longer than 4194304 bytes');
  });

  it('names every line without an event by its number', async () => {
    const [first] = aStory();
    const unknown = JSON.stringify({ ...first, specversion: '1.0', type: 'dev.jobledger.job.lost.v1' });
    writeFileSync(file, `${encodeEvent(first as JobEvent).value}\n{"spec\nhello\n${unknown}\n`);
    await expect(readContent(readLines(file))).rejects.toThrow(
      'nothing was imported:\n  line 2: the record is not JSON\n  line 3: the record is not JSON\n  line 4: dev.jobledger.job.lost.v1 is unknown to this version of Jobledger: start a newer one',
    );
  });

  it('fails when the file does not exist', async () => {
    await expect(readContent(readLines(join(folder, 'none')))).rejects.toThrow(
      /none cannot be read: .*ENOENT/,
    );
  });
});

describe('the comparison of a file with a ledger', () => {
  it('reports each event of the file as missing, once, for an empty ledger', async () => {
    expect((await comparison(STORY, [])).missing()).toBe(DISTINCT);
    expect(DISTINCT).toBeLessThan(STORY.length);
  });

  it('finds the missing events of a partial ledger, and no missing event in a complete ledger', async () => {
    expect((await comparison(STORY, STORY.slice(0, 3))).missing()).toBe(DISTINCT - 3);
    expect((await comparison(STORY, STORY)).missing()).toBe(0);
  });

  it('fails when the ledger has the name of the cluster for another cluster', async () => {
    const here = [connected('east', 'uid-2')];
    const refusal =
      'nothing was imported:\n  "east" is the cluster uid-2 in this ledger, but uid-1 in the file';
    const compared = await comparison(STORY, here);
    expect(() => compared.missing()).toThrow(refusal);
    const watching = await comparison(STORY, [], [identity('east', 'uid-2')]);
    expect(() => watching.missing()).toThrow(refusal);
  });

  it('fails when the ledger has the cluster under another name', async () => {
    const compared = await comparison(STORY, [connected('west', 'uid-1')]);
    expect(() => compared.missing()).toThrow(
      'the cluster "east" of the file has the name "west" in this ledger',
    );
  });

  it('fails when the ledger has the name of the cluster and the file lacks its identity', async () => {
    const compared = await comparison(aStory(), [connected('east', 'uid-1')]);
    expect(() => compared.missing()).toThrow(
      'the file has no cluster.connected event that identifies the cluster "east"',
    );
    expect((await comparison(aStory(), [])).missing()).toBe(DISTINCT - 1);
  });

  it('fails when the file and the ledger have different content under one id', async () => {
    const [first, second] = STORY;
    const altered = { ...second, digest: '0123456789abcdef' } as JobEvent;
    const compared = await comparison([first, second] as JobEvent[], [altered]);
    expect(() => compared.missing()).toThrow(
      `${second?.id} has the digest 0123456789abcdef in this ledger, but ${second?.digest} in the file`,
    );
  });

  it('fails when the file has more events of a cluster that the installation watches', async () => {
    const live = [
      identity('east', 'uid-1'),
      { cluster: 'east', kind: 'position' as const, key: 'jobs', value: { resourceVersion: '9' } },
    ];
    const lacking = await comparison(STORY, STORY.slice(0, -1), live);
    expect(() => lacking.missing()).toThrow('"east" is watched by this installation');
    expect(lacking.missing(true)).toBeGreaterThan(0);
    expect((await comparison(STORY, STORY, live)).missing()).toBe(0);
  });
});

describe('the import of a file', () => {
  it('appends the missing events, each line unchanged, in the order of the file', async () => {
    const compared = await comparison(STORY, STORY.slice(0, 3));
    const records: unknown[] = [];
    let appended = 0;
    const appender = {
      write: (topic: string, messages: readonly object[]) => {
        expect(topic).toBe('ledger');
        records.push(...messages);
        return Promise.resolve();
      },
    };
    await appendMissing(readLines(file), compared, { appender, topic: 'ledger' }, (events) => {
      appended += events;
    });
    const firsts = STORY.filter((event, at) => STORY.findIndex(({ id }) => id === event.id) === at);
    expect(records).toEqual(firsts.slice(3).map(encodeEvent));
    expect(appended).toBe(DISTINCT - 3);
  });
});
