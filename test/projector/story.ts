import type { JobEvent } from '../../workflows/job/events.ts';
import {
  aJob,
  anEndedPod,
  answered,
  aPod,
  clusterGap,
  createPods,
  decided,
  jobDeleted,
  jobObserved,
  podDeleted,
  podObserved,
  podsCreated,
} from './builders.ts';

const suspended = {
  type: 'Suspended',
  status: 'False',
  reason: 'JobResumed',
  lastTransitionTime: '2026-04-01T00:00:01Z',
};
const complete = {
  type: 'Complete',
  status: 'True',
  reason: 'CompletionsReached',
  lastTransitionTime: '2026-04-01T00:01:00Z',
};

/**
 * One Job from creation to deletion, over the end of a month: a pod fails, the second succeeds, one decision is made
 * twice, a relist repeats records with later times and an old version.
 */
export function aStory(): JobEvent[] {
  const created = jobObserved(1, aJob({ version: 5 }));
  const running = podObserved(4, aPod({ name: 'pi-a', version: 11 }));
  return [
    created,
    decided(2, 1, { commands: [createPods('pi-a')] }),
    answered(3, 'decision-1', 0, podsCreated(3, 'pi-a')),
    running,
    jobObserved(5, aJob({ version: 12, status: { active: 1, ready: 0, conditions: [suspended] } })),
    podObserved(30, anEndedPod({ name: 'pi-a', version: 20, exitCode: 3, endedAt: 29 })),
    { ...created, time: '2026-05-03T00:00:00.000Z' },
    decided(31, 2, {
      id: 'decision-2a',
      predecessor: 'decision-1',
      waiting: { rule: 'J-5.40', message: 'back-off' },
    }),
    decided(32, 2, {
      id: 'decision-2b',
      predecessor: 'decision-1',
      waiting: { rule: 'J-5.40', message: 'back-off' },
    }),
    decided(41, 3, { predecessor: 'decision-2b', commands: [createPods('pi-b')] }),
    answered(42, 'decision-3', 0, podsCreated(42, 'pi-b')),
    podDeleted(43, { name: 'pi-a', version: 21 }),
    podObserved(70, anEndedPod({ name: 'pi-b', version: 30, exitCode: 0, endedAt: 69 })),
    jobObserved(71, aJob({ version: 31, status: { succeeded: 1, failed: 1, conditions: [complete] } })),
    jobObserved(72, aJob({ version: 12, status: { active: 1, ready: 0, conditions: [suspended] } })),
    clusterGap(80, 90),
    { ...running, time: '2026-06-01T00:00:00.000Z' },
    podDeleted(91, { name: 'pi-b', version: 30, seen: false }),
    jobDeleted({ at: 92, version: 40 }),
  ];
}
