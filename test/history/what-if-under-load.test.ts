import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { decodeEvent } from '../../services/adapters/events/event-codec.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { isRefused } from '../../workflows/history/refused.ts';
import { whatIf } from '../../workflows/history/what-if/what-if.ts';
import type { JobEvent } from '../../workflows/job/events.ts';

/**
 * A ledger of Jobs on a busy machine: commands took up to thirty seconds, decisions were recorded twice, and Temporal ran steps
 * again, among them some that had ended the Job.
 */
function streams(): Map<string, JobEvent[]> {
  const packed = readFileSync(join(PACKAGE_DIR, 'test/history/under-load.ndjson.gz'));
  const lines = gunzipSync(packed).toString('utf8').trimEnd().split('\n');
  const all = new Map<string, JobEvent[]>();
  for (const line of lines) {
    const event = decodeEvent(line) as JobEvent;
    all.set(event.subject, [...(all.get(event.subject) ?? []), event]);
  }
  return all;
}

describe('a what-if without a change about a Job on a busy machine', () => {
  it.each([
    ['default/job-success', 'Complete', '2026-11-25T11:26:18.483Z'],
    ['team-a/transform-1', 'Complete', '2026-11-25T11:28:12.379Z'],
    ['team-c/indexed-0', 'Failed', '2026-11-25T11:27:59.149Z'],
    ['team-c/indexed-12', 'Failed', '2026-11-25T11:28:03.598Z'],
    ['team-c/indexed-13', 'Failed', '2026-11-25T11:28:06.693Z'],
  ])('gives the recorded result: %s', (job, type, at) => {
    const answer = whatIf(streams().get(job) ?? [], {});
    if (isRefused(answer)) throw new Error(answer.message);
    expect(answer).toMatchObject({ comparison: 'same', actual: { type, at }, podHours: { saved: 0 } });
    expect(answer.counterfactual).toEqual(answer.actual);
  });
});
