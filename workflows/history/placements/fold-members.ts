import { parseIndexes } from '../../batch/completion-indexes.ts';
import type { MemberObserved, PlacementOutcomeRecorded } from '../../placement/events.ts';
import type { MemberFacts } from '../../placement/facts.ts';
import type { PlacementOutcome } from '../../placement/outcomes.ts';
import { tenuresWithout } from '../../placement/definitions/tenures.ts';
import {
  type GrantProgress,
  memberKey,
  type Decided,
  type RecordedGrant,
  grantKey,
  completedBy,
} from './recorded-grants.ts';
import { checkStatusWrite } from './status-writes.ts';

/** Folds an observed member; a Job becomes a member when it has the mark and the name of a grant. */
export function foldMemberSeen(
  progress: GrantProgress,
  { time, data: { member, mark } }: MemberObserved,
): void {
  const { cluster, uid, name } = member;
  const grant = progress.recent
    .flatMap(({ grants }) => grants)
    .findLast((each) => each.decision === mark && each.name === name && each.cluster === cluster);
  const key = memberKey(member);
  if (grant !== undefined && !progress.members.has(key))
    progress.members.set(key, { cluster, uid, grant, knownAt: Date.parse(time) });
  progress.restored.note(member);
  noteMemberStatus(progress, member);
}

/** Folds an outcome; only a member that an outcome names, or that has the mark of its grant, can complete indexes. */
export function foldOutcome(progress: GrantProgress, { data }: PlacementOutcomeRecorded): void {
  const { decision, command, outcome } = data;
  if (outcome.kind === 'WriteStatus' && outcome.result === 'written') {
    const of = progress.recent.find(({ id }) => id === decision);
    const write = of?.writes.find((each) => each.command === command);
    if (of !== undefined && write !== undefined) checkStatusWrite(progress, of, write, outcome);
  }
  if (outcome.kind !== 'CreateMember' && outcome.kind !== 'LookUpMember' && outcome.kind !== 'ChangeMember')
    return;
  const from = progress.recent.find(({ id }) => id === decision);
  const grant = from?.grants.find(({ number }) => number === from.about[command]);
  const member = 'member' in outcome ? outcome.member : null;
  if (member !== null) progress.restored.note(member);
  if (from !== undefined && grant !== undefined && outcome.kind === 'LookUpMember' && 'givenUp' in outcome)
    noteGivenUpIndexes(progress, from, grant, outcome);
  if (member === null) return;
  const key = memberKey(member);
  if (grant !== undefined && outcome.kind !== 'ChangeMember' && !progress.members.has(key)) {
    const { cluster, uid } = member;
    progress.members.set(key, { cluster, uid, grant, knownAt: outcome.at });
  }
  noteMemberStatus(progress, member);
}

/** Folds a list that showed whether pods of the indexes that the member has given up still exist. */
function noteGivenUpIndexes(
  { members, restored }: GrantProgress,
  from: Decided,
  grant: RecordedGrant,
  {
    givenUp: of = '',
    member: listed,
    pods,
    at,
  }: Extract<PlacementOutcome, { kind: 'LookUpMember'; result: 'done' }> & { at: number },
): void {
  if (listed === null || pods.open > 0 || grant.tenures === null) return;
  const own = [...members.values()].filter((member) => grantKey(member.grant) === grantKey(grant));
  if (own.some((member) => restored.has(member))) return;
  const tenures = tenuresWithout(grant.tenures, parseIndexes(of, Infinity), { at, decided: from.number });
  from.grants = from.grants.map((each) => (each === grant ? { ...grant, tenures } : each));
}

/** Records the completed indexes and failed pods in a status of a member. */
export function noteMemberStatus(
  { members, completed, failed }: GrantProgress,
  facts: Pick<MemberFacts, 'cluster' | 'uid' | 'status'>,
): void {
  const member = members.get(memberKey(facts));
  if (member === undefined) return;
  const key = grantKey(member.grant);
  const before = completed.get(key);
  const earlier = before?.uid === facts.uid ? before.earlier : completedBy(before);
  completed.set(key, { uid: facts.uid, text: facts.status.completedIndexes ?? '', earlier });
  const { inStatus, left } = failed.get(key) ?? { inStatus: 0, left: 0 };
  failed.set(key, { inStatus: Math.max(inStatus, facts.status.failed ?? 0), left });
}
