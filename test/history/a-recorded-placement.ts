import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { outcomeId } from '../../workflows/decision/decision-id.ts';
import type { PlacementDecided, PlacementEvent } from '../../workflows/placement/events.ts';
import type { PlacementOutcome } from '../../workflows/placement/outcomes.ts';
import type { Candidate } from '../../workflows/placement/settings.ts';
import * as core from '../../workflows/placement/core.ts';
import { step } from '../../workflows/placement/step.ts';
import type { PlacementState } from '../../workflows/placement/state.ts';
import { aMember } from '../placement/a-placed-job.ts';
import { at, jobObject, START } from '../support/builders.ts';

const OF = { cluster: 'east', jobUid: 'home-uid', placedJobUid: 'home-uid' };
const DECIDER = { ...OF, subject: 'default/pi', firstRunId: 'chain' };

/** West is cheaper than north. */
const CANDIDATES: Candidate[] = [
  { cluster: 'west', price: 0.1, room: 5 },
  { cluster: 'north', price: 0.2, room: 5 },
];

/** A placed Job that west, the cheapest, refuses, so that north gets it: recorded as by a worker. `isLookedUp`: no pod is ready for two minutes, so the member is looked up. */
export function aRecordedPlacement({ isLookedUp = false } = {}): PlacementEvent[] {
  const events: PlacementEvent[] = [];
  let state: PlacementState = core.INITIAL_STATE;
  let last: PlacementDecided | null = null;
  const record = <E extends PlacementEvent>(
    after: number,
    event: Pick<E, 'id' | 'type'> & { data: object },
  ): E => {
    const whole = { source: 'test', subject: 'default/pi', time: at(after), ...event };
    const recorded = withDigest<PlacementEvent>(whole as unknown as PlacementEvent);
    events.push(recorded);
    return recorded as E;
  };
  const fold = (event: PlacementEvent): void => {
    state = core.fold(state, [core.compact(event) ?? []].flat());
  };
  const decide = (after: number): void => {
    const now = START + after * 1000;
    const settings = { candidates: { readAt: now, clusters: CANDIDATES } };
    const taken = step({ decider: DECIDER, state, now, settings });
    if (taken.decision === null) throw new Error('it decides nothing');
    state = taken.state;
    last = record<PlacementDecided>(after, taken.decision.decided);
  };
  const answer = (after: number, command: number, outcome: object): void => {
    const answered = { ...outcome, at: START + after * 1000 } as PlacementOutcome;
    const data = { ...OF, decision: last?.id ?? '', command, attempt: 1, outcome: answered };
    fold(record(after, { id: outcomeId(data.decision, command, data), type: 'outcome.recorded', data }));
  };
  const object = jobObject({
    uid: 'home-uid',
    version: '101',
    managedBy: 'jobledger.dev/placement',
    completionMode: 'Indexed',
    completions: 4,
  });
  object.metadata.finalizers = ['jobledger.dev/placement'];
  fold(record(0, { id: 'east/home-uid/101', type: 'job.observed', data: { ...OF, object } }));
  decide(1);
  answer(2, 0, {
    kind: 'CreateMember',
    result: 'failed',
    error: { status: 403, message: 'the quota of the namespace is used up' },
  });
  decide(3);
  answer(3, 0, { kind: 'EndGrant' });
  decide(4);
  const member = aMember({}, { cluster: 'north', name: 'pi-m2', namespace: 'default' });
  answer(5, 0, { kind: 'CreateMember', result: 'created', member });
  if (!isLookedUp) return events;
  decide(130);
  answer(131, 0, { kind: 'LookUpMember', result: 'done', member, pods: { open: 1 }, listedAt: '900' });
  return events;
}
