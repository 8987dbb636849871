import type { Client } from '@temporalio/client';

type HistoryEvent = NonNullable<
  NonNullable<
    Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>['history']
  >['events']
>[number];

export interface TaskTime {
  /** Of the event in the history that ended the task. */
  eventId: number;
  seconds: number;
}

/** The longest workflow tasks of a workflow, in all its runs, longest first, without those that waited for local activities. */
export async function longestTasks(client: Client, id: string): Promise<TaskTime[]> {
  const times: TaskTime[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${id}'` })) {
    const events = await historyOf(client, id, runId);
    const withMarkers = new Set(
      events.map((event) => Number(event.markerRecordedEventAttributes?.workflowTaskCompletedEventId)),
    );
    const begins = new Map<number, number>();
    for (const { eventId, eventTime, ...event } of events) {
      const at = Number(eventTime?.seconds ?? 0) + (eventTime?.nanos ?? 0) / 1e9;
      if (event.workflowTaskStartedEventAttributes) begins.set(Number(eventId), at);
      const begin = begins.get(Number(event.workflowTaskCompletedEventAttributes?.startedEventId));
      if (begin === undefined || withMarkers.has(Number(eventId))) continue;
      times.push({ eventId: Number(eventId), seconds: at - begin });
    }
  }
  return times.toSorted((a, b) => b.seconds - a.seconds).slice(0, 5);
}

/** Events of a page: few, because a client takes at most 4 MiB at once. */
const PAGE = 20;

async function historyOf(client: Client, workflowId: string, runId: string): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  let nextPageToken: Uint8Array | null | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: PAGE,
      ...(nextPageToken && { nextPageToken }),
    });
    events.push(...(page.history?.events ?? []));
    ({ nextPageToken } = page);
  } while (nextPageToken?.length);
  return events;
}
