import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { aDrainedLife } from '../history/a-placed-life.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobledger-verify-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A file as `jobledger admin export` writes it. */
function anExport(name: string, events: readonly LedgerEvent[]): string {
  const file = join(folder, name);
  const text = events.map((event) => `${encodeEvent(event).value}\n`).join('');
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text);
  return file;
}

function verify(...args: string[]): Promise<{ status: number; out: string; error: string }> {
  const { PATH, HOME } = process.env;
  return new Promise((resolve) => {
    const command = ['cli/jobledger.mjs', 'admin', 'verify', ...args];
    execFile('node', command, { env: { PATH, HOME } }, (error, out, stderr) =>
      resolve({ status: Number(error?.code ?? 0), out, error: stderr }),
    );
  });
}

function anOverlap(): LedgerEvent[] {
  const life = aDrainedLife();
  life.pod('west', 1, { index: 1, from: 30, until: 80, phase: 'Failed' });
  return life.events;
}

describe('the command "jobledger admin verify --placements" for an export', () => {
  it('prints each overlap with its Job, index, clusters, time and pods, and fails', async () => {
    const { status, out } = await verify('--placements', '--file', anExport('overlap.ndjson', anOverlap()));
    expect(out.replace(/in [\d.]+ s: \d+ a second/, 'in … s'))
      .toBe(`east/team/pi: index 1 in west and north from 2026-03-01T12:00:45.000Z until 2026-03-01T12:01:20.000Z
  the pod pi-1-14 ran on for 35.0 s after west had lost the Job (stopped)
  pods: pi-1-14, pi-m2-1-12
2 grants of 1 placed Job: 1 finding
16 records read, in … s
`);
    expect(status).toBe(1);
  }, 30_000);

  it('prints no overlap of a clean history, compressed or not, and succeeds', async () => {
    const { events } = aDrainedLife();
    const file = anExport('clean.ndjson.gz', events);
    const { status, out } = await verify('--placements', '-o', 'json', '--file', file);
    expect(JSON.parse(out)).toMatchObject({
      decisions: 0,
      findings: [],
      records: events.length,
      placements: { jobs: 1, grants: 2, findings: [], mayHaveRunTwice: [] },
    });
    expect(status).toBe(0);
  }, 30_000);

  it('names the members whose streams are missing in the export', async () => {
    const home = aDrainedLife().events.filter(({ data }) => 'placedJobUid' in data);
    const { status, out } = await verify('--placements', '--file', anExport('home.ndjson', home));
    expect(out).toContain('members without proof, because their streams were not read:');
    expect(out).toContain('  east/team/pi: the Job pi-m2 in north');
    expect(status).toBe(0);
  }, 30_000);

  it('names a line that is no event', async () => {
    const file = join(folder, 'broken.ndjson');
    writeFileSync(file, `${encodeEvent(aDrainedLife().events[0] as LedgerEvent).value}\n{}\n`);
    const { status, error } = await verify('--placements', '--file', file);
    expect(error).toContain(`${file}, line 2: not a CloudEvent`);
    expect(status).toBe(2);
  }, 30_000);

  it('does not compare an export with a checkpoint', async () => {
    const { status, error } = await verify('--all', '--file', 'x', '--checkpoint', 'y');
    expect([status, error]).toEqual([2, expect.stringContaining('a checkpoint belongs to the ledger')]);
  }, 30_000);
});
