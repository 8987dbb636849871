import { findController } from '../../../../workflows/kubernetes/controller.ts';
import type { Pod } from '../../../../workflows/kubernetes/objects.ts';
import type { CommandContext } from './command-context.ts';

/**
 * True when the Job of the command controls the pod. The UID alone does not suffice, because the reference may name a
 * ReplicaSet.
 */
export function isOfJob({ job }: Pick<CommandContext, 'job'>, { metadata }: Pod): boolean {
  const controller = findController(metadata);
  return controller?.uid === job.uid && controller.kind === 'Job' && controller.name === job.name;
}
