import { nothing } from '../../decision/verdict.ts';
import type { ContinuedFailures } from '../../batch/facts.ts';
import type { IndexGrant } from '../../batch/index-grant.ts';
import type { Reason } from '../../decision/reason.ts';
import type { MemberChange, PlacementCommand } from '../commands.ts';
import { knownMemberFields } from '../definitions/grants.ts';
import { retryKey } from '../definitions/retry-key.ts';
import type { FollowedAnnotations, MemberFacts, MemberSpec } from '../facts.ts';
import type { PlacementGrant } from '../state.ts';
import { deadlineOfRunning } from './deadline.ts';
import { combineVerdicts, report, planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/**
 * The state of a member that the Job requires. `indexes` are the indexes of a member of a spread Job, when the
 * indexes have changed or have not reached the member.
 */
export interface WantedMember {
  spec: MemberSpec;
  indexes?: IndexGrant;
  /** The reason why the indexes change; absent when the indexes have merely not reached the member. */
  reason?: Reason;
  /** All failures that the member continues, if the new indexes have further failures. They come only with `indexes`. */
  failures?: ContinuedFailures;
}

/**
 * Makes the spec and the annotations of the member follow the Job, which may be suspended, scaled or resumed (J-16.7),
 * and sends a member of a spread Job its indexes, with the failures of these indexes (J-17.3). Warns while the cluster
 * keeps the old values of an accepted change.
 */
export function changeMember(
  at: PlacementSituation,
  grant: PlacementGrant,
  member: MemberFacts,
  { spec: wanted, indexes, reason, failures }: WantedMember,
): PlacementVerdict {
  const spec = differences(at, grant, member.spec, wanted);
  const annotations = annotationChanges(member.annotations, at.job.annotations);
  const changes = { ...spec, ...annotations };
  if (Object.keys(changes).length === 0 && indexes === undefined) return nothing;
  const fields = Object.entries(changes).map(([field, value]) => `${field} ${value ?? 'no more'}`);
  const asked = fields.length === 0 ? [] : [`the Job asks for ${fields.join(', ')}`];
  const resent =
    indexes === undefined || reason !== undefined ? [] : [`the indexes ${indexes.indexes} have not arrived`];
  const text = [...(reason === undefined ? [] : [reason.message]), ...asked, ...resent].join('; ');
  const command: PlacementCommand = {
    kind: 'ChangeMember',
    ...knownMemberFields(grant, member),
    spec,
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(indexes !== undefined && { indexes }),
    ...(failures !== undefined && { failures }),
    why: {
      rule: reason?.rule ?? (indexes === undefined ? 'J-16.7' : 'J-17.3'),
      message: text,
    },
  };
  const { keepsOldValues, message = '' } = at.state.retries[retryKey(command)] ?? {};
  return combineVerdicts(
    planCommands(at, command),
    keepsOldValues === true ? report(at, 'Warning', 'MemberDiffers', message) : nothing,
  );
}

/**
 * The changes of the fields of a member. The deadline of a suspended member counts from its next start, so the deadline
 * is set at that start. A running member keeps the deadline that it was given until the deadline of the Job changes.
 */
function differences(
  at: PlacementSituation,
  grant: PlacementGrant,
  from: MemberSpec,
  to: MemberSpec,
): MemberChange {
  const { suspend = false } = to;
  const isSuspended = from.suspend === true;
  const deadline = isSuspended ? to.activeDeadlineSeconds : deadlineOfRunning(at, grant);
  return {
    ...(suspend !== isSuspended && { suspend }),
    ...scaleChange(from, to),
    ...(!(isSuspended && suspend) && newValue('activeDeadlineSeconds', from.activeDeadlineSeconds, deadline)),
    ...newValue('maxFailedIndexes', from.maxFailedIndexes, to.maxFailedIndexes),
    // The API server gives these two fields a default value.
    ...(to.backoffLimit !== undefined && newValue('backoffLimit', from.backoffLimit, to.backoffLimit)),
    ...(to.podReplacementPolicy !== undefined &&
      newValue('podReplacementPolicy', from.podReplacementPolicy, to.podReplacementPolicy)),
  };
}

/** The change of a field, in which null removes the field; empty when the field does not change. */
function newValue<F extends keyof MemberSpec>(
  field: F,
  from: MemberSpec[F],
  to: MemberSpec[F],
): MemberChange {
  return from === to ? {} : { [field]: to ?? null };
}

/** The changes of the annotations that follow the placed Job; null removes an annotation. */
function annotationChanges(
  from: FollowedAnnotations = {},
  to: FollowedAnnotations = {},
): Record<string, string | null> {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return Object.fromEntries(
    names.filter((name) => from[name] !== to[name]).map((name) => [name, to[name] ?? null]),
  );
}

/**
 * The change of `parallelism` and `completions`. The API server lets `completions` change only to the same value as
 * `parallelism` (J-1.18); the next change corrects `parallelism`.
 */
function scaleChange(from: MemberSpec, { parallelism, completions }: MemberSpec): MemberChange {
  if (completions !== undefined && completions !== from.completions)
    return { completions, parallelism: completions };
  return parallelism === undefined || parallelism === from.parallelism ? {} : { parallelism };
}
