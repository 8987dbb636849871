import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import type { MemberFacts, PlacedJobFacts } from '../../workflows/placement/facts.ts';
import { parsePreferences } from '../../workflows/placement/observe/preferences.ts';
import type { CompactedPlacement } from '../../workflows/placement/observe/compact.ts';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import { endsLane, commandLane, type PlacementOutcome } from '../../workflows/placement/outcomes.ts';
import type {
  PlacementDecider,
  PlacementDecisionRecord,
} from '../../workflows/placement/record/decision-record.ts';
import { INITIAL_STATE, type PlacementGrant, type PlacementState } from '../../workflows/placement/state.ts';
import { START } from '../support/builders.ts';

/** A placed Job of the cluster east. `annotations`: without `jobledger.dev/`. */
export function aPlacedJob({
  annotations = {},
  ...fields
}: Partial<PlacedJobFacts> & { annotations?: Record<string, string> } = {}): PlacedJobFacts {
  const named = Object.entries(annotations).map(([name, text]) => [`jobledger.dev/${name}`, text]);
  return {
    cluster: 'east',
    uid: 'home-uid',
    namespace: 'team',
    name: 'pi',
    resourceVersion: '100',
    generation: 1,
    deleting: false,
    held: true,
    spec: { parallelism: 2, completions: 4, managedBy: 'jobledger.dev/placement' },
    status: {},
    preferences: parsePreferences(Object.fromEntries(named)),
    ...fields,
  };
}

export function aMember(status: JobStatus = {}, fields: Partial<MemberFacts> = {}): MemberFacts {
  return {
    cluster: 'west',
    uid: 'member-uid',
    name: 'pi',
    namespace: 'team',
    resourceVersion: '200',
    generation: 1,
    spec: { parallelism: 2, completions: 4 },
    status,
    ...fields,
  };
}

/** A grant of the cluster west. */
export function aGrant(fields: Partial<PlacementGrant> = {}): PlacementGrant {
  return {
    number: 1,
    cluster: 'west',
    name: 'pi',
    since: START,
    askedAt: START,
    requests: 1,
    mark: 'decision-1',
    member: aMember({ active: 2, ready: 2 }),
    ...fields,
  };
}

export function aStateWith(job: PlacedJobFacts, ...grants: PlacementGrant[]): PlacementState {
  return { ...INITIAL_STATE, job, version: job.resourceVersion, grants };
}

const HOME = { cluster: 'east', jobUid: 'home-uid', placedJobUid: 'home-uid' };

/** Decides about `aPlacedJob`. */
export const DECIDER: PlacementDecider = { ...HOME, subject: 'team/pi', firstRunId: 'chain' };

/** The recorded outcome of the first command of its kind in a decision about `aPlacedJob`. */
export function anOutcome(
  { id, data }: PlacementDecisionRecord['decided'],
  answer: PlacementOutcome,
): CompactedPlacement {
  const command = data.commands.findIndex(({ kind }) => kind === answer.kind);
  const outcome = { decision: id, command, attempt: 1, outcome: answer };
  return {
    id: `${id}/${command}`,
    source: 'east',
    subject: 'team/pi',
    type: 'outcome.recorded',
    time: new Date(answer.at).toISOString(),
    digest: 'd',
    data: { ...HOME, ...outcome },
  } as CompactedPlacement;
}

/** Which commands of one decision are skipped after the outcomes of others. */
export function skipsInLanes(): {
  has(command: PlacementCommand): boolean;
  note(command: PlacementCommand, outcome: PlacementOutcome): void;
} {
  const ended = new Set<string | null>();
  return {
    has: (command) => ended.has(null) || ended.has(commandLane(command)),
    note(command, outcome) {
      if (endsLane(command, outcome)) ended.add(commandLane(command));
    },
  };
}

/** Milliseconds since 1970, some seconds after the first grant. */
export function after(seconds: number): number {
  return START + seconds * 1000;
}
