import { parseInstant } from '../../../../workflows/ledger/instants.ts';
import { GUARDED, PLACED_FOR } from '../../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import { guardName } from '../../../../workflows/placement/definitions/member-name.ts';
import { readJobAtTime } from '../requests.ts';
import type { CommandContext } from './command-context.ts';

/**
 * The reason why no pod may start for a member with a guard (J-16.16); null for any other Job. Either the guard is
 * gone, or its deadline has passed and the cluster has not deleted the guard yet, for example after an outage of its
 * control plane. Another cluster may then have the Job.
 */
export async function guardPassedReason(
  context: CommandContext,
  { metadata }: Pick<Job, 'metadata'>,
): Promise<string | null> {
  const { annotations = {}, ownerReferences = [] } = metadata;
  const ownName = guardName(metadata.name);
  const guard = ownerReferences.find(({ kind, name }) => kind === 'Job' && name === ownName);
  if (annotations[PLACED_FOR] === undefined && annotations[GUARDED] === undefined) return null;
  // The garbage collector removes references to objects that are gone.
  if (guard === undefined)
    return annotations[GUARDED] === undefined ? null : `the guard ${ownName} of the Job is gone`;
  const { job: live, serverTime: now } = await readJobAtTime(context, guard.name);
  if (live?.metadata.uid !== guard.uid) return `the guard ${guard.name} of the Job is gone`;
  const start = parseInstant(live.status?.startTime);
  const { activeDeadlineSeconds = 0 } = live.spec;
  if (start === null || now >= start + activeDeadlineSeconds * 1000)
    return `the deadline of the guard ${guard.name} of the Job has passed`;
  return null;
}
