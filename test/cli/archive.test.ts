import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { encodeEvent, eventKey } from '../../services/adapters/events/event-codec.ts';
import { readCheckedManifest } from '../../cli/ledger/archive-manifest.ts';
import { createSpool } from '../../cli/verbs/export/spool.ts';
import { writeExport } from '../../cli/verbs/export/write-export.ts';
import { jobsBeforeHorizon } from '../../cli/verbs/import/before-horizon.ts';
import { readContent } from '../../cli/verbs/import/content.ts';
import { readLines } from '../../cli/ledger/lines.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { after, aJob, jobObserved } from '../projector/builders.ts';
import { aStory } from '../projector/story.ts';
import { isDeletionBefore } from '../../cli/verbs/export/period.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-archive-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A story whose repeats with later times are left out: it ends 92 seconds after its start. */
const STORY = aStory().filter((event, at, all) => all.findIndex(({ id }) => id === event.id) === at);
const OPEN = jobObserved(0, aJob({ version: 2, metadata: { uid: 'open', name: 'slow' } }), 'open');
const MANIFEST = {
  events: STORY.length,
  jobs: 1,
  cronJobs: 0,
  clusters: 1,
  endedBefore: after(93),
  writtenAt: after(100),
};

async function written(name: string, events: readonly JobEvent[] = STORY): Promise<string> {
  const file = join(folder, name);
  const spool = createSpool(folder);
  events.forEach((event, offset) => {
    const { key, value } = encodeEvent(event);
    spool.lay({ partition: 0, offset: BigInt(offset), key, value: Buffer.from(value) });
  });
  await writeExport(spool, file, MANIFEST);
  spool.discard();
  return file;
}

describe('an archive of an export', () => {
  it('is compressed when its file name has the ending of a compressed file, and can be read with or without compression', async () => {
    const [compressed, plain] = [await written('a.ndjson.gz'), await written('a.ndjson')];
    expect(gunzipSync(readFileSync(compressed))).toEqual(readFileSync(plain));
    expect(readFileSync(compressed).length).toBeLessThan(readFileSync(plain).length / 3);
    for (const file of [compressed, plain]) expect((await readContent(readLines(file))).jobs()).toBe(1);
  });

  it('is checked against its manifest, and a damaged archive is refused', async () => {
    const file = await written('b.ndjson.gz');
    expect(await readCheckedManifest(file)).toEqual({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      ...MANIFEST,
    });
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(file, bytes);
    await expect(readCheckedManifest(file)).rejects.toThrow(
      /b\.ndjson\.gz is damaged: its SHA-256 is .*its manifest says/,
    );
    await expect(readContent(readLines(file))).rejects.toThrow('cannot be read');
  });

  it('can be read without its manifest', async () => {
    const file = join(folder, 'c.ndjson');
    writeFileSync(file, '');
    expect(await readCheckedManifest(file)).toBeNull();
  });
});

describe('a Job that was deleted before the horizon', () => {
  const isEnded = (events: readonly JobEvent[], before: string): boolean =>
    events.some(isDeletionBefore(Date.parse(before)));

  it('is recognised by its deletion, whatever was recorded about the Job later', () => {
    expect(isEnded(STORY, after(93))).toBe(true);
    expect(isEnded(aStory(), after(93))).toBe(true);
    expect(isEnded(STORY, after(92))).toBe(false);
    expect(isEnded([OPEN], after(93))).toBe(false);
  });

  it('is excluded from an import into an installation with that horizon', async () => {
    const lines = (): ReturnType<typeof readLines> => readLines(join(folder, 'd.ndjson'));
    await written('d.ndjson', [OPEN, ...STORY]);
    const { jobs, isBeforeHorizon } = await jobsBeforeHorizon(lines(), after(93));
    expect(jobs).toBe(1);
    expect(isBeforeHorizon(OPEN)).toBe(false);
    expect(STORY.filter((event) => eventKey(event) !== 'east').every(isBeforeHorizon)).toBe(true);
    expect((await readContent(lines(), isBeforeHorizon)).jobs()).toBe(1);
    expect(await jobsBeforeHorizon(lines(), after(92))).toMatchObject({ jobs: 0 });
    expect(await jobsBeforeHorizon(lines(), null)).toMatchObject({ jobs: 0 });
  });
});
