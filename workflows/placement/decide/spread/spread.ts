import { earliest, nothing } from '../../../decision/verdict.ts';
import { grantedIndexes } from '../../../batch/index-grant.ts';
import type { ContinuedFailures } from '../../../batch/facts.ts';
import type { MemberFacts } from '../../facts.ts';
import { difference } from '../../../batch/completion-indexes.ts';
import type { IndexPart } from '../../state.ts';
import { knownMemberFields, hasFinished, nextGrant } from '../../definitions/grants.ts';
import { failuresLeft, followedNumber, openParts, type PartGrant } from '../../definitions/parts.ts';
import { memberName } from '../../definitions/member-name.ts';
import { silenceReason } from '../../definitions/silence.ts';
import { follow } from '../follow.ts';
import { listsAllFrom } from '../stop-member.ts';
import { type WantedMember } from '../change-member.ts';
import { placedDeadline } from '../deadline.ts';
import { guardTrouble, guardWish, releaseGuards } from '../guard.ts';
import { awaitGone } from '../look-for-member.ts';
import { withFinalizer, remainingSpec } from '../give.ts';
import { combineVerdicts, report, planCommands } from '../plans.ts';
import { stopReturned } from '../returned.ts';
import type { PlacementSituation, PlacementVerdict } from '../situation.ts';
import { distribute, takeBack, toCollect, toWhole, type NewPart, type Wanted } from './distribute.ts';
import { wholeEnd } from './ending.ts';
import { endParts } from './end-parts.ts';
import { shareOut } from './share-out.ts';
import { sumTotals, type Totals } from './totals.ts';
import { writeWholeStatus } from './whole-status.ts';

/** Decides about an Indexed Job in several clusters, whose members have different indexes (J-17.1). */
export function spreadOut(at: PlacementSituation): PlacementVerdict {
  const totals = sumTotals(at);
  const end = wholeEnd(at, totals);
  // The author may have changed a field on which the end depends, so the members end only when the home has the end.
  const members =
    end?.isStored === true
      ? endParts(at, { type: end.type, message: end.why.message })
      : withFinalizer(at, runParts(at, totals, { isEnding: end !== null }));
  if (members.candidates === 'missing') return members;
  const status = writeWholeStatus(at, { totals, end, rest: members });
  return combineVerdicts(members, stopReturned(at), releaseGuards(at), status);
}

/** Decides about the members of a spread Job: gives and takes indexes, and makes the members follow the Job. */
function runParts(
  at: PlacementSituation,
  totals: Totals,
  { isEnding }: { isEnding: boolean },
): PlacementVerdict {
  const impossible = guardTrouble(at);
  if (impossible !== null) return impossible;
  const { job, state } = at;
  const open = openParts(state);
  const { completions = 0, parallelism = 1, suspend = false } = job.spec;
  const isHalted = isEnding || suspend || silenceReason(at.settings, job.cluster) !== null;
  const shared = isHalted ? null : shareOut(at, totals);
  if (shared?.verdict.candidates === 'missing') return shared.verdict;
  const steady = open.filter((grant) => isSteady(at, grant));
  const shares = shared?.shares ?? state.shares?.pods ?? {};
  const { finished } = totals;
  const whole = toWhole(state, {
    completions,
    parallelism,
    finished,
    shares,
    open,
    steady,
    now: at.now,
  });
  const given = isHalted ? { wanted: new Map<number, Wanted>(), created: [] } : distribute(whole);
  const back = isHalted ? new Map<number, Wanted>() : takeBack(whole);
  /**
   * The indexes and the parallelism that a member must get next; no command can give indexes to a member and take
   * indexes from it at the same time.
   */
  const wantedFor = ({ number }: PartGrant): Wanted | undefined => {
    const [more, less] = [given.wanted.get(number), back.get(number)];
    return more === undefined || more.indexes !== undefined ? (more ?? less) : { ...less, ...more };
  };
  return combineVerdicts(
    shared?.verdict ?? nothing,
    ...open.map((grant) => follow(at, grant, wantedMember(at, grant, wantedFor(grant)))),
    ...toCollect(whole).map(({ grant, of }) => listGivenUp(at, grant, of)),
    giveParts(at, given.created),
    {
      ...nothing,
      nextDecisionAt: earliest(placedDeadline(at), ...open.map((grant) => askedAgainAt(at, grant))),
    },
  );
}

/**
 * The instant at which a member can be asked again for the indexes that it has not given up; null without such
 * indexes.
 */
function askedAgainAt({ now }: PlacementSituation, { part: { begun } }: PartGrant): number | null {
  return begun === undefined || begun.until <= now ? null : begun.until;
}

/** True when indexes can be given to the member, or taken from it: it exists, is not stopped, and its cluster answers. */
function isSteady({ settings }: PlacementSituation, grant: PartGrant): boolean {
  const { cluster, member, gone, stopping } = grant;
  const word = settings.clusters?.[cluster];
  return (
    member !== null &&
    gone !== true &&
    !hasFinished(grant) &&
    stopping === undefined &&
    word?.silentSince === undefined &&
    word?.lost === undefined &&
    word?.cordoned?.drain !== true
  );
}

/**
 * The state of a member that the Job requires: the state that was decided now, or the state that was sent before and
 * has not reached the member.
 */
function wantedMember(
  at: PlacementSituation,
  { part, member }: PartGrant,
  wanted: Wanted | undefined,
): WantedMember {
  const spec = {
    ...remainingSpec(at),
    parallelism: wanted?.parallelism ?? part.parallelism,
  };
  if (wanted?.indexes !== undefined) {
    const failures = failuresFor(at, part, wanted.indexes);
    return {
      spec,
      indexes: { number: part.number + 1, indexes: wanted.indexes },
      ...(wanted.why !== undefined && { reason: wanted.why }),
      ...(failures !== undefined && { failures }),
    };
  }
  if (member === null) return { spec, indexes: { number: part.number, indexes: part.indexes } };
  const followed = followedNumber(member);
  if (member.grant?.number === part.number && followed === part.number) return { spec };
  // Another client may have written a higher number.
  const number = followed > part.number ? followed + 1 : part.number;
  return { spec, indexes: { number, indexes: part.keeps ?? part.indexes } };
}

/** Adds the failures that the new indexes of a member had in other clusters; undefined without such failures (J-16.23). */
function failuresFor(
  { state }: PlacementSituation,
  part: IndexPart,
  next: string,
): ContinuedFailures | undefined {
  const added = difference(grantedIndexes({ indexes: next }), grantedIndexes(part));
  const indexes = failuresLeft(state, added);
  return indexes === undefined
    ? undefined
    : { ...part.failures, indexes: { ...part.failures?.indexes, ...indexes } };
}

/** Lists the pods of indexes that a member has given up: another member can have these indexes only when no such pod is left (J-17.4). */
function listGivenUp(at: PlacementSituation, grant: PartGrant, of: string): PlacementVerdict {
  const { member } = grant;
  if (member === null) return nothing;
  const earlier = awaitGone(at, grant);
  if (earlier !== null) return earlier;
  const message = `the member ${grant.name} in the cluster ${grant.cluster} has given up ${of === '' ? 'no index' : `the indexes ${of}`}`;
  const restored = awaitKubelets(at, grant, member, message);
  if (restored !== null) return restored;
  return planCommands(at, {
    kind: 'LookUpMember',
    ...knownMemberFields(grant, member),
    givenUp: of,
    why: { rule: 'J-17.4', message },
  });
}

/**
 * Waits after a restore of the cluster, because pods may run that no list shows: no list counts until their kubelets
 * have ended them (J-16.19). The value is null when a list counts.
 */
function awaitKubelets(
  at: PlacementSituation,
  grant: PartGrant,
  member: MemberFacts,
  message: string,
): PlacementVerdict | null {
  const rule = 'J-17.4' as const;
  // The time is counted from a decision.
  if (grant.restoredAt === null)
    return planCommands(at, {
      kind: 'LookUpMember',
      ...knownMemberFields(grant, member),
      why: { rule, message: `${message}, and its cluster was restored` },
    });
  const from = listsAllFrom(at, grant);
  if (from <= at.now) return null;
  const waiting = {
    rule,
    message: `${message}; its cluster was restored, and pods may run that it does not show`,
  };
  return { ...nothing, nextDecisionAt: from, waiting };
}

/** Gives parts of the indexes to clusters, each with a new member. */
function giveParts(at: PlacementSituation, parts: readonly NewPart[]): PlacementVerdict {
  const first = nextGrant(at.state);
  const guard = guardWish(at);
  const gifts = parts.map(({ cluster, indexes, parallelism }, offset) => {
    const number = first + offset;
    const name = memberName(at.job, { cluster, number });
    if (name === null) {
      const message = `the name of the member in the cluster ${cluster} would have more than 63 characters; use a shorter name`;
      return combineVerdicts(
        { ...nothing, waiting: { rule: 'J-16.6' as const, message } },
        report(at, 'Warning', 'NameTooLong', message),
      );
    }
    const about = { cluster, grant: number, name };
    const failures = failuresLeft(at.state, grantedIndexes({ indexes }));
    const continues = failures === undefined ? {} : { continues: { failures: { indexes: failures } } };
    const why = {
      rule: 'J-17.3' as const,
      message: `the cluster ${cluster} gets the indexes ${indexes}`,
    };
    return planCommands(
      at,
      guard === null
        ? {
            kind: 'CreateMember',
            ...about,
            spec: { ...remainingSpec(at), parallelism },
            indexes,
            ...continues,
            why,
          }
        : {
            kind: 'RenewGuard',
            ...about,
            ...guard,
            part: { indexes, parallelism },
            ...continues,
            why,
          },
    );
  });
  return combineVerdicts(...gifts);
}
