import { AFTER } from '../../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { PlacementEventText } from '../../../../workflows/placement/commands.ts';

/**
 * The Event about a placed Job that should wait for other Jobs (J-12.6), because placed Jobs cannot wait. The result is
 * null for other Jobs, and when this process has already sent the Event. `noticed` contains the UIDs of the reported
 * Jobs, and the UID of a newly reported Job is added.
 */
export function chainNotice({ metadata, spec }: Job, noticed: Set<string>): PlacementEventText | null {
  if (metadata.annotations?.[AFTER] === undefined || noticed.has(metadata.uid)) return null;
  noticed.add(metadata.uid);
  const end = spec.suspend === true ? ', and the Job stays suspended until a user resumes it' : '';
  return {
    type: 'Warning',
    reason: 'InvalidAnnotation',
    message: `a placed Job cannot wait for other Jobs: ${AFTER} has no effect${end}`,
  };
}
