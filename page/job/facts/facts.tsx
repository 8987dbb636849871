import { useMemo, type ReactElement, type ReactNode } from 'react';
import { shownContainers } from '../../../services/read-model/shown/containers.ts';
import type { PageAddress } from '../../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../../address/use-page-address.ts';
import type { ListedAwaitedJob, JobDetails } from '../../api/rows.ts';
import { useNow } from '../../components/ago.tsx';
import { Instant } from '../../components/instant.tsx';
import { Name } from '../../components/name.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { runTime } from '../../components/run-time.ts';
import { standingText } from '../chain/chain-graph.ts';
import { failedTimeText, findSubmitter, podTime } from './fact-text.ts';
import type { JobLife } from '../life/job-life.ts';
import { useManifest } from '../life/use-job.ts';

/** The facts about a Job: its numbers and names. */
export function Facts({ known, change }: { known: JobLife; change: ChangeAddress }): ReactElement {
  const { job, requests, pods } = known;
  const { data: manifest } = useManifest(job);
  const now = useNow();
  const until = job.finished_at === null && job.deleted_at === null ? now : null;
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the time of pods that run grows with `until`
  const [time, lost] = useMemo(() => [podTime(pods), failedTimeText(pods)], [pods, until]);
  const containers = shownContainers(manifest);
  const by = findSubmitter(requests, manifest);
  return (
    <section className="panel facts" aria-label="Facts">
      <dl>
        <JobFact name="Progress">
          <ProgressBar job={job} />
        </JobFact>
        {job.started_at !== job.created_at && (
          <JobFact name="Created">
            <Instant at={job.created_at} isShort />
          </JobFact>
        )}
        {job.started_at !== null && (
          <JobFact name="Started">
            <Instant at={job.started_at} isShort />
          </JobFact>
        )}
        {job.finished_at !== null && (
          <JobFact name="Ended">
            <Instant at={job.finished_at} isShort />
          </JobFact>
        )}
        <JobFact name="Duration">{runTime(job, now)}</JobFact>
        {job.placed_in !== null && (
          <JobFact name="Runs in">
            <Name text={job.placed_in} />
          </JobFact>
        )}
        {job.home !== null && (
          <JobFact name="Runs the placed Job">
            <a {...linkTo({ view: 'job', job: job.home }, change)}>
              <Name text={`${job.home.cluster}/${job.home.namespace}/${job.home.name}`} />
            </a>
          </JobFact>
        )}
        {job.owner_name !== null && (
          <JobFact name="Owner">
            <Owner job={job} change={change} />
          </JobFact>
        )}
        {by !== null && (
          <JobFact name="Submitted by">
            <Name text={by} />
          </JobFact>
        )}
        {pods.length > 0 && (
          <JobFact name="Pod time" more={lost === '' ? undefined : lost}>
            {time}
          </JobFact>
        )}
        {containers.map(({ name, image, short, resources }) => (
          <JobFact key={name} name={containers.length > 1 ? `Image of ${name}` : 'Image'} more={resources}>
            <span title={image}>
              <Name text={short} />
            </span>
          </JobFact>
        ))}
        {job.chain.length > 0 && (
          <JobFact name="Comes after">
            <ChainFacts chain={job.chain} job={job} change={change} />
          </JobFact>
        )}
      </dl>
      <details>
        <summary>more</summary>
        <dl>
          <JobFact name="Kubernetes’ status">{job.kubectl_status}</JobFact>
          <JobFact name="Parallelism">{job.parallelism ?? 1}</JobFact>
          <JobFact name="Mode">{job.completion_mode ?? 'NonIndexed'}</JobFact>
          <JobFact name="Retries allowed">{job.backoff_limit ?? 'not set'}</JobFact>
          <JobFact name="Controller">
            <Name text={job.managed_by ?? 'the built-in controller'} />
          </JobFact>
          <JobFact name="UID">
            <code>{job.uid}</code>
          </JobFact>
          {Object.entries(job.labels).map(([key, value]) => (
            <JobFact key={key} name={key}>
              <a {...linkTo({ view: 'fleet', filters: { labels: [`${key}=${value}`] } }, change)}>
                <Name text={value === '' ? '(empty)' : value} />
              </a>
            </JobFact>
          ))}
        </dl>
      </details>
    </section>
  );
}

/** A named fact about the Job, with an optional remark. */
function JobFact(props: { name: string; more?: string | undefined; children: ReactNode }): ReactElement {
  const { name, more, children } = props;
  return (
    <div>
      <dt>
        <Name text={name} />
      </dt>
      <dd>{children}</dd>
      {more !== undefined && more !== '' && <dd className="fact-more">{more}</dd>}
    </div>
  );
}

/** The owner of the Job, with a link to the CronJob or to all Jobs of the owner. */
function Owner({ job, change }: { job: JobDetails; change: ChangeAddress }): ReactElement {
  const { cluster, namespace, owner_kind: kind, owner_name: name } = job;
  const address: PageAddress =
    kind === 'CronJob'
      ? { view: 'cron-job', cronJob: { cluster, namespace, name: name ?? '' } }
      : { view: 'fleet', filters: { cluster, namespace, owner: `${kind}/${name}` } };
  return (
    <a {...linkTo(address, change)}>
      {kind} <Name text={name ?? ''} />
    </a>
  );
}

/** The Jobs that this Job waits for, with their states. */
function ChainFacts(props: {
  chain: readonly ListedAwaitedJob[];
  job: JobDetails;
  change: ChangeAddress;
}): ReactElement {
  const { chain, job, change } = props;
  const { cluster, namespace } = job;
  return (
    <ul>
      {chain.map(({ awaited_name: name, awaited_uid: uid, condition_status: standing }) => (
        <li key={name}>
          <a
            {...linkTo(
              { view: 'job', job: { cluster, namespace, name, ...(uid !== null && { uid }) } },
              change,
            )}
          >
            <Name text={name} />
          </a>{' '}
          <span className="muted">{standingText(standing)}</span>
        </li>
      ))}
    </ul>
  );
}
