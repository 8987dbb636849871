import type { ReactElement } from 'react';
import type { Scope } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { ListedCronJob } from '../api/rows.ts';
import { useLiveQueries } from '../api/use-live.ts';
import { TimeAgo, useNow } from '../components/ago.tsx';
import { EmptyNote } from '../components/empty.tsx';
import { Failure } from '../components/failure.tsx';
import { Loading } from '../components/loading.tsx';
import { Name } from '../components/name.tsx';
import { ScrollBox } from '../components/scrolled.tsx';
import { TableHead } from '../components/table-head.tsx';
import { useTitle } from '../components/use-title.ts';
import { CronJobState } from './cron-job-state.tsx';
import { useCronJobs } from './use-cron-jobs.ts';
import { waitSentence } from './wait-sentence.ts';

/** The time in milliseconds after a start from which the page calls the start due: Jobledger normally decides about it sooner. */
const DUE_AFTER_MS = 10_000;

/** The CronJobs of the scope, each with its reason to wait. `change` navigates to another address of the page. */
export function CronJobs({ scope, change }: { scope: Scope; change: ChangeAddress }): ReactElement {
  const { cluster, namespace } = scope;
  const { data: cronJobs, error } = useCronJobs(scope);
  useTitle('CronJobs');
  useLiveQueries({ ...(cluster !== undefined && { cluster }), type: 'cronjob.decided,cronjob.observed' }, [
    ['cron-jobs', cluster, namespace],
  ]);
  return (
    <main className="view">
      <div className="heading">
        <h1>CronJobs</h1>
        {cronJobs !== undefined && <p className="muted">{cronJobs.length.toLocaleString('en')} shown</p>}
      </div>
      {error !== null && <Failure error={error} />}
      <section className="panel" aria-label="List of CronJobs">
        {cronJobs === undefined && error === null && <Loading rows={6} height={36} />}
        {cronJobs?.length === 0 && (
          <EmptyNote message="No CronJob was seen in this cluster and namespace. The view of clusters says where CronJobs cannot be read." />
        )}
        {cronJobs !== undefined && cronJobs.length > 0 && (
          <CronJobTable cronJobs={cronJobs} change={change} />
        )}
      </section>
    </main>
  );
}

function CronJobTable(props: { cronJobs: readonly ListedCronJob[]; change: ChangeAddress }): ReactElement {
  const { cronJobs, change } = props;
  return (
    <ScrollBox label="Table of CronJobs">
      <table className="table folding cron-jobs">
        <TableHead
          columns={[
            'Status',
            'CronJob',
            'Cluster',
            'Schedule',
            'Last start',
            'Next start',
            'Active',
            'Reason to wait',
          ]}
        />
        <tbody>
          {cronJobs.map((cronJob) => {
            const { cluster, namespace, name, uid } = cronJob;
            return (
              <tr key={`${cluster}/${uid}`}>
                <td className="fold-status">
                  <CronJobState cronJob={cronJob} />
                </td>
                <th scope="row">
                  <a {...linkTo({ view: 'cron-job', cronJob: { cluster, namespace, name } }, change)}>
                    <Name text={name} />
                  </a>
                  <span className="below">
                    <Name text={namespace} />
                  </span>
                </th>
                <td className="fold-away">
                  <Name text={cluster} />
                </td>
                <td className="nowrap">
                  <code>{cronJob.schedule}</code>
                  <span className="below">{cronJob.time_zone ?? 'UTC'}</span>
                </td>
                <td className="nowrap fold-away">
                  <TimeAgo at={cronJob.last_schedule_time} />
                </td>
                <td className="nowrap">{!cronJob.suspend && <NextStart at={cronJob.next_decision_at} />}</td>
                <td className="fold-away">{cronJob.active}</td>
                <td className="muted fold-reason">
                  <Name text={waitSentence(cronJob) ?? ''} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** The time of the next start. A time that has passed is called due, because Jobledger has not decided about this start. */
function NextStart({ at }: { at: string | null }): ReactElement {
  const now = useNow();
  const isPast = at !== null && Date.parse(at) < now - DUE_AFTER_MS;
  return (
    <>
      {isPast && 'due '}
      <TimeAgo at={at} />
    </>
  );
}
