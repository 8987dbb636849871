import type { ReactElement } from 'react';
import type { ListedCronJob } from '../api/rows.ts';
import { StatusWord } from '../components/status-word.tsx';

/** The state of a CronJob: it runs, waits for its next time, or is suspended. */
export function CronJobState({ cronJob }: { cronJob: ListedCronJob }): ReactElement {
  const { deleted_at: deleted, suspend, active } = cronJob;
  if (deleted !== null) return <StatusWord word="Deleted" />;
  if (suspend) return <StatusWord word="Suspended" />;
  return <StatusWord word={active > 0 ? 'Running' : 'Scheduled'} />;
}
