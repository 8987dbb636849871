import type { ReactElement } from 'react';
import type { CronJobAddress } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { CronJobDetails, CronJobStart } from '../api/rows.ts';
import { useLiveQueries } from '../api/use-live.ts';
import { TimeAgo } from '../components/ago.tsx';
import { EmptyNote } from '../components/empty.tsx';
import { Failure } from '../components/failure.tsx';
import { Instant } from '../components/instant.tsx';
import { Loading } from '../components/loading.tsx';
import { Name } from '../components/name.tsx';
import { ScrollBox } from '../components/scrolled.tsx';
import { StatusWord } from '../components/status-word.tsx';
import { TableHead } from '../components/table-head.tsx';
import { useTitle } from '../components/use-title.ts';
import { CronJobState } from './cron-job-state.tsx';
import { startRemark, startsStrip } from './strip-places.ts';
import { StartStrip } from './start-strip.tsx';
import { useCronJob } from './use-cron-jobs.ts';
import { timeInZone } from './time-in-zone.ts';
import { waitSentence } from './wait-sentence.ts';
import { WhatIfSchedule } from './what-if-schedule.tsx';

/** The view of one CronJob: its starts as a strip, the reason of its wait, and the what-if of another schedule. */
export function CronJobPage(props: { address: CronJobAddress; change: ChangeAddress }): ReactElement {
  const { address, change } = props;
  const { cluster, namespace, name } = address;
  const { data, error } = useCronJob(address);
  useTitle(name);
  useLiveQueries({ cluster, namespace }, [['cron-job', cluster, namespace, name]]);
  return (
    <main className="view">
      <div className="heading">
        <h1>
          <Name text={name} />
        </h1>
        {data !== undefined && <CronJobState cronJob={data.cronJob} />}
        {data !== undefined && (
          <p className="muted">
            <code>{data.cronJob.schedule}</code>, {data.cronJob.time_zone ?? 'UTC'}
          </p>
        )}
        <div className="actions">
          <a
            className="quiet-link"
            {...linkTo({ view: 'fleet', filters: { cluster, namespace, owner: `CronJob/${name}` } }, change)}
          >
            All its Jobs
          </a>
        </div>
      </div>
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Loading rows={4} height={48} />}
      {data !== undefined && (
        <>
          <CronJobWait cronJob={data.cronJob} />
          <section className="panel" aria-labelledby="starts">
            <h2 id="starts">Starts</h2>
            <StartStrip
              of={address}
              places={startsStrip(data.cronJob, data.starts, data.skipped)}
              change={change}
            />
            {data.starts.length === 0 ? (
              <EmptyNote message="This CronJob has not started a Job yet." />
            ) : (
              <StartTable of={address} starts={data.starts} change={change} />
            )}
          </section>
          <WhatIfSchedule
            address={address}
            cronJob={data.cronJob}
            onSet={(set) => {
              const { set: _, ...rest } = address;
              change({ view: 'cron-job', cronJob: set.length === 0 ? rest : { ...rest, set } });
            }}
          />
        </>
      )}
    </main>
  );
}

/** The reason why no start of the CronJob is due, or the wait of its next start. */
function CronJobWait({ cronJob }: { cronJob: CronJobDetails }): ReactElement {
  const waiting = waitSentence(cronJob);
  const { suspend, concurrency_policy: policy, coming_starts: coming, time_zone: zone } = cronJob;
  const [next = null] = coming;
  return (
    <section className={`sentence tone-${suspend ? 'off' : 'running'}`} aria-label="Reason to wait">
      <p>
        <strong>
          {cronJob.deleted_at !== null ? (
            'This CronJob was deleted and starts no more Jobs.'
          ) : suspend ? (
            'This CronJob is suspended: no start is due.'
          ) : next === null ? (
            'No start is due.'
          ) : (
            <>
              The next start is <TimeAgo at={next} />, at{' '}
              {timeInZone(next, zone) ?? <Instant at={next} isShort />}.
            </>
          )}
        </strong>{' '}
        {waiting !== null && (
          <>
            <Name text={waiting} />{' '}
          </>
        )}
        {POLICIES[policy ?? 'Allow']}
      </p>
    </section>
  );
}

const POLICIES: Readonly<Record<string, string>> = {
  Allow: 'The Jobs of this CronJob may overlap.',
  Forbid: 'While the previous Job runs, the CronJob starts no Job.',
  Replace: 'A start replaces the previous Job.',
};

/** A table of the starts, with links to their Jobs. */
function StartTable(props: {
  of: CronJobAddress;
  starts: readonly CronJobStart[];
  change: ChangeAddress;
}): ReactElement {
  const { of, starts, change } = props;
  const { cluster, namespace } = of;
  return (
    <ScrollBox label="Table of starts">
      <table className="table folding starts">
        <TableHead columns={['Due', 'Job', 'Status', 'Started', 'Ended', 'Remark']} />
        <tbody>
          {starts.slice(0, 15).map((start) => (
            <tr key={`${start.scheduled_at} ${start.job_name}`}>
              <td className="nowrap">
                <Instant at={start.scheduled_at} isShort />
              </td>
              <th scope="row">
                {start.status === null ? (
                  <Name text={start.job_name} />
                ) : (
                  <a {...linkTo({ view: 'job', job: { cluster, namespace, name: start.job_name } }, change)}>
                    <Name text={start.job_name} />
                  </a>
                )}
              </th>
              <td className="fold-status">
                <StatusWord word={start.status ?? 'Not created'} />
              </td>
              <td className="nowrap fold-away">
                <Instant at={start.started_at} isShort />
              </td>
              <td className="nowrap fold-away">
                <Instant at={start.finished_at} isShort />
              </td>
              <td className="muted fold-reason">
                <Name text={startRemark(start)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
