import type { Client } from '@temporalio/client';
import { workflowId } from '../../../../services/adapters/temporal/names.ts';
import { createTurns } from '../../../../services/adapters/waiting/turns.ts';

type HistoryEvents = readonly object[];

interface MarkerEvent {
  markerRecordedEventAttributes?: { workflowTaskCompletedEventId?: unknown } | null;
}

const COUNTED = {
  'workflow tasks': 'workflowTaskCompletedEventAttributes',
  signals: 'workflowExecutionSignaledEventAttributes',
  activities: 'activityTaskScheduledEventAttributes',
  markers: 'markerRecordedEventAttributes',
  timers: 'timerStartedEventAttributes',
} as const;

/** Workflow tasks and history events of the Jobs' workflows, in all their runs. @throws when a Job has no workflow. */
export async function countHistories(
  connect: () => Promise<Client>,
  { cluster, uids }: { cluster: string; uids: ReadonlySet<string> },
): Promise<Record<string, number>> {
  const client = await connect();
  try {
    const wanted = new Set([...uids].map((uid) => workflowId(cluster, uid, 'Job')));
    const runs: { workflowId: string; runId: string }[] = [];
    for await (const run of client.workflow.list({ pageSize: 1000 }))
      if (wanted.has(run.workflowId)) runs.push(run);
    const found = new Set(runs.map((run) => run.workflowId)).size;
    if (found < wanted.size) throw new Error(`Temporal lists workflows of ${found} of ${wanted.size} Jobs`);
    const inTurn = createTurns(20);
    const histories = await Promise.all(
      runs.map((run) => inTurn(() => client.workflow.getHandle(run.workflowId, run.runId).fetchHistory())),
    );
    return countEvents(histories.map(({ events }) => events ?? []));
  } finally {
    await client.connection.close();
  }
}

export function countEvents(histories: readonly HistoryEvents[]): Record<string, number> {
  const events = histories.flat();
  const kinds = Object.entries(COUNTED).map(([name, attributes]) => [
    name,
    events.filter((event) => (event as Record<string, unknown>)[attributes] != null).length,
  ]);
  const counts = Object.fromEntries(kinds) as Record<keyof typeof COUNTED, number>;
  const { signals, activities, timers } = counts;
  return {
    ...counts,
    'history events': events.length,
    'Temporal actions': histories.length + signals + activities + timers + tasksWithMarkers(histories),
  };
}

/** Temporal Cloud charges the local activities of one workflow task as one action. */
function tasksWithMarkers(histories: readonly HistoryEvents[]): number {
  return histories
    .map((events) => {
      const markers = (events as readonly MarkerEvent[]).flatMap((each) => each[COUNTED.markers] ?? []);
      return new Set(markers.map(({ workflowTaskCompletedEventId }) => String(workflowTaskCompletedEventId)))
        .size;
    })
    .reduce((sum, each) => sum + each, 0);
}
