import type { PlacementCommand } from '../commands.ts';
import type { PlacementState, PlacementGrant } from '../state.ts';
import { type BrokenInvariant, toFindings } from '../../decision/invariants/broken.ts';
import { endedWithoutProof } from './ended-without-proof.ts';
import { fallingCounter } from '../../batch/falling-counter.ts';
import { indexInTwoGrants } from './index-in-two-grants.ts';
import { countIndexes } from '../../batch/completion-indexes.ts';
import { grantedIndexes } from '../../batch/index-grant.ts';
import { openParts, podBound, unfinishedItself } from '../definitions/parts.ts';
import { isNeverCreated } from '../definitions/creation.ts';

/** The invariants that commands of a placed Job break. */
export function checkPlacement(
  state: PlacementState,
  commands: readonly PlacementCommand[],
): BrokenInvariant[] {
  return [
    ...indexInTwoGrants(state, commands),
    ...placedCreationBeyondParallelism(state, commands),
    ...refusedAfterAnUnansweredRequest(state, commands),
    ...endedWithoutProof(state, commands),
    ...placedUnrecordedUid(state, commands),
    ...commands.flatMap((command) =>
      command.kind === 'WriteStatus' && state.job !== null ? fallingCounter(state.job.spec, command) : [],
    ),
  ];
}

/** A new member together with the existing members runs no more pods at once than the Job allows (J-17.5). */
function placedCreationBeyondParallelism(
  state: PlacementState,
  commands: readonly PlacementCommand[],
): BrokenInvariant[] {
  const { job } = state;
  const known = new Set(state.grants.map(({ number }) => number));
  const gifts = commands.flatMap((command) => {
    if (command.kind !== 'CreateMember' && command.kind !== 'RenewGuard') return [];
    if (known.has(command.grant)) return [];
    if (command.kind === 'CreateMember')
      return [{ cluster: command.cluster, pods: command.spec.parallelism ?? 1, indexes: command.indexes }];
    return command.part === undefined
      ? []
      : [{ cluster: command.cluster, pods: command.part.parallelism, indexes: command.part.indexes }];
  });
  if (job === null || gifts.length === 0) return [];
  const { parallelism = 1, completions = 0 } = job.spec;
  const before = openParts(state).reduce(
    (sum, grant) => sum + podBound(grant, unfinishedItself(grant, completions)),
    0,
  );
  const more = gifts.reduce(
    (sum, { pods, indexes }) =>
      sum + (indexes === undefined ? pods : Math.min(pods, countIndexes(grantedIndexes({ indexes })))),
    0,
  );
  if (before + more <= parallelism) return [];
  return toFindings('creation-beyond-parallelism', [
    `new members in ${gifts.map(({ cluster }) => cluster).join(', ')} could run ${more} pods beside ${before} others, and the parallelism is ${parallelism}`,
  ]);
}

/** A command with the UID of a member or a guard names the object that the stream has recorded for the grant. */
function placedUnrecordedUid(
  { grants }: PlacementState,
  commands: readonly PlacementCommand[],
): BrokenInvariant[] {
  const messages = commands.flatMap((command) => {
    if (!('grant' in command) || !('uid' in command) || command.uid === undefined) return [];
    const grant = grants.find(({ number }) => number === command.grant);
    const isGuard = command.kind === 'RenewGuard' || command.kind === 'ReleaseGuard';
    const recorded = isGuard ? grant?.guard?.uid : grant?.member?.uid;
    if (recorded === command.uid) return [];
    return [
      `${command.kind} names the object ${command.uid} of the grant ${command.grant}, which is not recorded`,
    ];
  });
  return toFindings('unrecorded-uid', messages);
}

/**
 * No grant ends as refused while a request without an answer may have created its member, or may still arrive
 * (J-16.6). No grant ends as refused right after a restore of its cluster, which may have lost a member that still
 * runs (J-16.19).
 */
function refusedAfterAnUnansweredRequest(
  { grants }: PlacementState,
  commands: readonly PlacementCommand[],
): BrokenInvariant[] {
  const messages = commands.flatMap((command) => {
    if (command.kind !== 'EndGrant' || command.reason !== 'refused') return [];
    const grant = grants.find(({ number }) => number === command.grant);
    const lack = missingProof(grant, command.cluster);
    return lack === null ? [] : [`grant ${command.grant} would end as refused, and ${lack}`];
  });
  return toFindings('refused-after-an-unanswered-request', messages);
}

/** The missing part of the proof that the cluster has no member, as text; null when the proof is complete. */
function missingProof(grant: PlacementGrant | undefined, cluster: string): string | null {
  if (grant === undefined || !isNeverCreated(grant)) return `its member may exist in the cluster ${cluster}`;
  if (grant.requests === 0 || grant.restoredAt !== null) return null;
  return `the cluster ${cluster}, which was restored, may have lost its member`;
}
