import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import type { PlacementRow } from '../../services/read-model/tables/placements.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import type { MemberFacts } from '../../workflows/placement/facts.ts';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import type { PlacementOutcome } from '../../workflows/placement/outcomes.ts';
import { aMember } from '../placement/a-placed-job.ts';
import { at, jobObject, START } from '../support/builders.ts';

const OF = { cluster: 'east', jobUid: 'home-uid', placedJobUid: 'home-uid' };
export const ABOUT = { cluster: 'west', grant: 1, name: 'pi' };
export const member = aMember({}, { namespace: 'default' });

/** The stream of a placed Job, event by event. `message`: why its first cluster was chosen. */
export function aPlacedJobStream(message = 'west is the best') {
  let decisions = 0;
  let versions = 300;
  const events: LedgerEvent[] = [];
  const add = (after: number, type: string, id: string, data: object): void =>
    void events.push(
      withDigest({
        id,
        type,
        source: 'east',
        subject: 'default/pi',
        time: at(after),
        data: { ...OF, ...data },
      } as unknown as LedgerEvent),
    );
  const stream = {
    seen(after: number, { isDeleting = false, isComplete = false } = {}) {
      versions += 1;
      const object = jobObject({
        uid: 'home-uid',
        version: String(versions),
        managedBy: 'jobledger.dev/placement',
        ...(isComplete && {
          status: {
            succeeded: 1,
            completionTime: at(after),
            conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: at(after) }],
          },
        }),
      });
      if (isDeleting) object.metadata.deletionTimestamp = at(after);
      add(after, 'job.observed', `job-${versions}`, { object });
    },
    decides(after: number, ...commands: PlacementCommand[]) {
      decisions += 1;
      add(after, 'placement.decided', `decision-${decisions}`, {
        number: decisions,
        predecessor: decisions === 1 ? null : `decision-${decisions - 1}`,
        firstRunId: 'chain',
        now: START + after * 1000,
        core: '1',
        settings: {},
        folded: [],
        foldedBefore: [],
        commands,
        nextDecisionAt: null,
        waiting: null,
      });
    },
    answers(after: number, answer: object) {
      const outcome = { ...answer, at: START + after * 1000 } as PlacementOutcome;
      const data = { decision: `decision-${decisions}`, command: 0, attempt: 1, outcome };
      add(after, 'outcome.recorded', `answer-${events.length}`, data);
    },
    member(after: number, status: JobStatus, uid = member.uid, epoch = 0) {
      stream.job(after, { uid, status, ...(epoch > 0 && { epoch }) });
    },
    /** A Job with the name of the member; `mark`: the one that it carries. */
    job(after: number, facts: Partial<MemberFacts>, mark?: string) {
      versions += 1;
      add(after, 'member.observed', `member-${versions}`, {
        member: { ...member, resourceVersion: String(versions), ...facts },
        ...(mark !== undefined && { mark }),
      });
    },
    memberGone(after: number, epoch = 0) {
      const { cluster, uid, name } = member;
      add(after, 'member.deleted', `gone-${after}`, {
        member: { cluster, uid, name, resourceVersion: '999', ...(epoch > 0 && { epoch }) },
      });
    },
    events,
    rows(): PlacementRow[] {
      const rows = emptyRows();
      projectAll(rows, events);
      return [...rows.placements.changed.values()];
    },
  };
  stream.seen(0);
  stream.decides(1, { kind: 'CreateMember', ...ABOUT, spec: {}, why: { rule: 'J-16.5', message } });
  return stream;
}
