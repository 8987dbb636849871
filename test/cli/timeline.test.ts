import { describe, expect, it } from '@jest/globals';
import { foldedLines, gapLine, lineText } from '../../cli/verbs/history/time-line.ts';
import type { TimelineLine } from '../../workflows/history/timeline/line.ts';
import { createNarrator } from '../../workflows/history/timeline/narrator.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import {
  aJob,
  after,
  answered,
  aPod,
  decided,
  deletePods,
  jobObserved,
  jobSubmitted,
  podObserved,
  START,
  submissionReceived,
} from '../projector/builders.ts';
import { aStory } from '../projector/story.ts';

function narrateAll(events: readonly JobEvent[], superseded: string[] = []): TimelineLine[] {
  const narrate = createNarrator(new Set(superseded));
  return events.flatMap(narrate);
}

function narratedText(...events: JobEvent[]): string[] {
  return narrateAll(events).map(({ message }) => message);
}

function pod(version: number, phase?: string): JobEvent {
  return podObserved(version, aPod({ name: 'pi-a', version, ...(phase && { phase }) }));
}

describe('the time line of a Job', () => {
  it('shows facts, decisions with their reason, and outcomes', () => {
    const story = aStory().slice(0, 6);
    expect(narrateAll(story).map(({ about, message, below = [] }) => [about, message, ...below])).toEqual([
      ['job', 'first seen, parallelism 1, completions 1, backoffLimit 6'],
      ['decision 1', '1 command', '→ CreatePods pi-a: 1 of 1 pods is missing [J-5.12]'],
      ['answer 1.1', 'CreatePods: created: pi-a'],
      ['pod pi-a', 'first seen, Running, on node-1, without tracking finalizer'],
      ['job', 'active 0 → 1, Suspended=False (JobResumed)'],
      ['pod pi-a', 'Running → Failed, main exited with 3'],
    ]);
  });

  it('marks a superseded decision', () => {
    const [line] = narrateAll(
      [decided(1, 2, { id: 'a', waiting: { rule: 'J-5.40', message: 'back-off' } })],
      ['a'],
    );
    expect(line?.message).toBe('(superseded: the step ran again) waits: back-off [J-5.40]');
  });

  it('shows the user who submitted the Job', () => {
    expect(narrateAll([jobSubmitted(1)])).toMatchObject([{ about: 'request', message: 'submitted by ann' }]);
    expect(narrateAll([submissionReceived(0)])).toEqual([]);
  });

  it('shows errors of commands', () => {
    const error = { status: 403, reason: 'Forbidden', message: 'pods "pi-a" is forbidden' };
    const outcome = {
      kind: 'DeletePods' as const,
      untrack: false,
      at: START,
      pods: [{ name: 'pi-a', uid: 'uid-pi-a', result: 'failed' as const, error }],
    };
    const decision = decided(1, 1, { commands: [deletePods('1 pod too many', 'pi-a')] });
    expect(narratedText(decision, answered(2, 'decision-1', 0, outcome)).at(-1)).toBe(
      'DeletePods: FAILED with 403 Forbidden: pods "pi-a" is forbidden: pi-a',
    );
  });

  it.each([
    [{ result: 'done', gang: { workload: 'pi-w', podGroup: 'pi-g' } }, 'PodGroup pi-g of Workload pi-w'],
    [
      { result: 'done', gang: { none: 'the Job does not control pi-w' } },
      'no gang: the Job does not control pi-w',
    ],
    [{ result: 'gone' }, 'the Job is gone'],
    [
      { result: 'failed', error: { status: 403, reason: 'Forbidden', message: 'no' } },
      'FAILED with 403 Forbidden: no',
    ],
  ] as const)('shows the gang of a Job, or why the Job has no gang (J-8.3): %j', (result, message) => {
    const workload = { name: 'pi-w', podGroupTemplate: 'pi-pgt-0', minCount: 2 };
    const why = { rule: 'J-8.2', message: 'all 2 indexes run at once' } as const;
    const decision = decided(1, 1, { commands: [{ kind: 'EnsureGang', workload, why }] });
    const outcome = answered(2, 'decision-1', 0, { kind: 'EnsureGang', ...result, at: START });
    const [first, last] = narrateAll([decision, outcome]);
    expect(first?.below).toEqual(['→ EnsureGang pi-w: all 2 indexes run at once [J-8.2]']);
    expect(last?.message).toBe(`EnsureGang: ${message}`);
  });

  it('marks an observation that is old, or shows no change', () => {
    expect(narratedText(pod(5), pod(6), pod(4, 'Pending'), pod(7, 'Succeeded')).slice(1)).toEqual([
      'seen again: no change that matters to the Job',
      'an older version, seen late',
      'Running → Succeeded',
    ]);
  });

  it('shows the fields that were removed from a Job', () => {
    const before = aJob({
      version: 1,
      status: { startTime: after(1), conditions: [{ type: 'X', status: 'True' }] },
    });
    expect(narratedText(jobObserved(1, before), jobObserved(2, aJob({ version: 2 }))).at(-1)).toBe(
      `startTime no longer ${after(1)}, X taken away`,
    );
  });

  it('shows a gap at the time of its end', () => {
    const line = gapLine({ resource: 'pods', since: after(1), until: after(9), reason: '410' });
    expect(lineText(line)).toMatch(
      /^2026-03-31T23:59:09.000Z {2}gap +changes of pods since .* have been missed \(410\)$/,
    );
  });
});

describe('repeated lines of a time line', () => {
  it('are one line with their number and last time, and lines of other objects stay separate', () => {
    const again = 'seen again: no change that matters to the Job';
    const shown: string[] = [];
    const lines = foldedLines((text) => void shown.push(text));
    lines.add({ time: 'T0', about: 'pod a', message: 'deleted' });
    lines.add({ time: 'T1', about: 'pod b', message: 'deleted' });
    for (let at = 2; at < 5000; at += 1)
      lines.add({ time: `T${at}`, about: `pod ${at % 3}`, message: again });
    lines.add({ time: 'T5000', about: 'job', message: again });
    lines.add({ time: 'T5001', about: 'job', message: 'deleted' });
    lines.end();
    expect(shown.map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'T0 | pod a | deleted',
      'T1 | pod b | deleted',
      `T2 | 4 objects | ${again}, 4999 times until T5000`,
      'T5001 | job | deleted',
    ]);
  });
});
