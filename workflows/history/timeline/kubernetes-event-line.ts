import type { ObservedKubernetesEvent } from '../../ledger/kubernetes-events.ts';
import type { Line } from './decision-lines.ts';

/** Describes a Kubernetes Event of another program as text. */
export function kubernetesEventLine(event: ObservedKubernetesEvent): Line {
  const { regarding, reportedBy, isLast } = event;
  const last = isLast === true ? '; further Events like it are only counted' : '';
  return {
    about: regarding.kind === 'Job' ? 'job' : `pod ${regarding.name}`,
    message: `${reportedBy} reports ${kubernetesEventText(event)}${last}`,
  };
}

/** The reason and the text of an Event, with the further object that it names. */
export function kubernetesEventText({
  reason,
  note,
  related,
}: Pick<ObservedKubernetesEvent, 'reason' | 'note' | 'related'>): string {
  const named = related === undefined ? '' : ` (${related.kind} ${objectName(related)})`;
  return `${reason}${named}${note === '' ? '' : `: ${note}`}`;
}

function objectName({ namespace, name }: { namespace?: string; name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
