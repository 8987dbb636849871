import { kubernetesEventText } from '../../../workflows/history/timeline/kubernetes-event-line.ts';
import type { ObstacleView } from '../../../services/read-model/views/jobs.ts';
import { table } from '../../print/table.ts';

/** The Events of other programs about a Job and its pods, one line for each object and reason with the newest text. */
export function obstacleTable(obstacles: readonly ObstacleView[]): string {
  return table(
    ['ABOUT', 'FROM', 'FIRST', 'LAST', 'SOLVED', 'EVENT'],
    obstacles.map((each) => [
      each.kind === 'Job' ? 'the Job' : `pod ${each.name}`,
      each.reported_by,
      each.first_at,
      each.last_at,
      each.solved_at ?? 'no',
      kubernetesEventText({ ...each, ...relatedIn(each) }),
    ]),
  );
}

function relatedIn({ related_namespace: namespace, related_name: name }: ObstacleView): {
  related?: { kind: string; name: string; namespace?: string };
} {
  if (name === null) return {};
  return { related: { kind: 'for', name, ...(namespace !== null && { namespace }) } };
}
