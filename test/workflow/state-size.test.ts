import { gzipSync } from 'node:zlib';
import * as core from '../../workflows/job/core.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { aBigJobsPod, aBigState } from '../support/a-big-job.ts';

/** What Temporal takes in one payload. */
const MAX_PAYLOAD = 2 * 1024 * 1024;
/** What the workflow passes to its next run, in characters of JSON. */
const MAX_PASSED = 5 * 1024 * 1024;

/** The payload of a state that is as long as the workflow passes at most. */
function payloadAtTheLimit(state: JobState): number {
  const text = JSON.stringify(state);
  return (gzipSync(text).length * MAX_PASSED) / text.length;
}

describe('the largest state that a workflow run passes to its next run', () => {
  const indexed = { completionMode: 'Indexed' } as const;

  it.each([
    ['of pods', { ...aBigState(1000), folded: [] }],
    ['of pods with indexes', { ...aBigState(1000, indexed), folded: [] }],
    ['of pods and the facts about them', aBigState(1000)],
    [
      'of facts about few pods',
      core.fold(
        aBigState(10),
        Array.from({ length: 1000 }, (_none, at) =>
          aBigJobsPod(at % 10, { ready: true, version: String(1000 + at) }),
        ),
      ),
    ],
  ])('fits into a payload of Temporal: %s', (_of, state) => {
    expect(payloadAtTheLimit(state)).toBeLessThan(MAX_PAYLOAD);
  });

  it('has at most 120 bytes for an active pod', () => {
    const { pods } = aBigState(1000, indexed);
    expect(JSON.stringify(pods).length / 1000).toBeLessThan(120);
  });
});
