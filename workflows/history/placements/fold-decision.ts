import { formatIndexes, parseIndexes, union, type Indexes } from '../../batch/completion-indexes.ts';
import { grantedIndexes } from '../../batch/index-grant.ts';
import type { PlacementCommand } from '../../placement/commands.ts';
import type { PlacementDecided } from '../../placement/events.ts';
import { isGift } from '../../placement/definitions/grants.ts';
import type { SeenMember } from '../../placement/definitions/seen.ts';
import type { LeftFailures } from '../../placement/settings.ts';
import { completes } from './home-status.ts';
import { tenuresWith, indexesGivenBy } from '../../placement/definitions/tenures.ts';
import {
  type GrantProgress,
  effectiveDecision,
  type RecordedGrant,
  type StatusWrite,
  grantKey,
  completedBy,
} from './recorded-grants.ts';
import { noteMemberStatus } from './fold-members.ts';

/** A superseded decision lies at most this many decisions back. */
const KEPT = 8;

/** Folds a decision: the grants that it gives, changes and ends. */
export function foldDecision(progress: GrantProgress, { id, data }: PlacementDecided): void {
  const { recent } = progress;
  if (recent.some((each) => each.id === id)) return;
  progress.restored.decided();
  if (data.predecessor === null) progress.isWhole = true;
  const before = recent.find((each) => each.id === data.predecessor) ?? effectiveDecision(recent);
  let grants: readonly RecordedGrant[] = data.predecessor === null ? [] : (before?.grants ?? []);
  noteSeen(progress, grants, data.settings.candidates?.seen);
  for (const command of data.commands)
    if ('grant' in command) grants = grantsAfterCommand(progress, grants, command, { id, ...data });
  noteLeft(progress, grants, data.settings.candidates?.leftBy);
  const about = data.commands.map((command) => ('grant' in command ? command.grant : null));
  const writes = data.commands.flatMap((command, at): StatusWrite[] =>
    command.kind === 'WriteStatus'
      ? [{ command: at, generation: command.generation, to: command.to, completes: completes(command) }]
      : [],
  );
  recent.push({ id, now: data.now, number: data.number, grants, about, writes });
  if (recent.length <= KEPT) return;
  const effective = effectiveDecision(recent);
  recent.splice(
    recent.findIndex((each) => each !== effective),
    1,
  );
}

/** Records the statuses of members that the decision read from the streams of these members. */
function noteSeen(
  progress: GrantProgress,
  grants: readonly RecordedGrant[],
  shownBy: readonly SeenMember[] = [],
): void {
  for (const { grant: number, ...member } of shownBy) {
    const cluster = grants.find((grant) => grant.number === number)?.cluster;
    if (cluster !== undefined) noteMemberStatus(progress, { cluster, ...member });
  }
}

/**
 * Records the failures of the members of ended grants, in addition to the failures in the statuses of these members.
 */
function noteLeft(
  { failed }: GrantProgress,
  grants: readonly RecordedGrant[],
  leftBy: Readonly<Record<number, LeftFailures>> = {},
): void {
  for (const grant of grants) {
    const left = leftBy[grant.number];
    if (left === undefined) continue;
    const { inStatus } = failed.get(grantKey(grant)) ?? { inStatus: 0 };
    failed.set(grantKey(grant), { inStatus, left: inStatus + left.uncountedPodCount });
  }
}

type AboutGrant = Extract<PlacementCommand, { grant: number }>;

/** The grants after a command about one of these grants. */
function grantsAfterCommand(
  progress: GrantProgress,
  grants: readonly RecordedGrant[],
  command: AboutGrant,
  { id, number, now }: { id: string; number: number; now: number },
): readonly RecordedGrant[] {
  const known = grants.find((each) => each.number === command.grant);
  if (known === undefined && !isGift(command)) return grants;
  const grant = known ?? {
    number: command.grant,
    cluster: command.cluster,
    name: command.name,
    decision: id,
    given: number,
    since: now,
    askedAt: null,
    completedBefore: completedIn(progress, grants),
    end: null,
    tenures: null,
  };
  const indexes = indexesGivenBy(command);
  const changed: RecordedGrant = {
    ...grant,
    ...(command.kind === 'CreateMember' && { askedAt: grant.askedAt ?? now }),
    ...(command.kind === 'EndGrant' && {
      end: grant.end ?? { at: now, reason: command.reason, decided: number },
    }),
    ...(indexes !== null && {
      tenures: tenuresWith(grant.tenures ?? [], grantedIndexes({ indexes }), {
        since: now,
        given: number,
        completedBefore: completedAnywhere(progress, grants),
      }),
    }),
  };
  return [...grants.filter((each) => each !== known), changed].toSorted((a, b) => a.number - b.number);
}

/** The indexes that the members of these grants had completed, according to the records. */
function completedAnywhere({ completed }: GrantProgress, grants: readonly RecordedGrant[]): Indexes {
  return grants.reduce<Indexes>(
    (sum, grant) => union(sum, parseIndexes(completedBy(completed.get(grantKey(grant))), Infinity)),
    [],
  );
}

/**
 * The indexes that the member of the latest of these grants had completed, according to the records. A new member has
 * counted no index yet.
 */
function completedIn({ completed, sizes }: GrantProgress, grants: readonly RecordedGrant[]): Indexes {
  const last = grants.findLast((grant) => completed.has(grantKey(grant)));
  if (last === undefined) return [];
  const text = completedBy(completed.get(grantKey(last)));
  if (text !== '') return parseIndexes(text, Infinity);
  const since = sizes.filter(({ at }) => at >= last.since).map(({ completions }) => completions);
  return parseIndexes(formatIndexes(last.completedBefore), Math.min(...since));
}
