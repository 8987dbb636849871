import { useMemo, type ReactElement, type ReactNode } from 'react';
import { shownContainers } from '../../services/read-model/shown/containers.ts';
import type { PageAddress } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { ListedAwaitedJob, JobDetails } from '../api/rows.ts';
import { useNow } from '../words/ago.tsx';
import { Instant } from '../words/instant.tsx';
import { Name } from '../words/name.tsx';
import { ProgressBar } from '../fleet/progress-bar.tsx';
import { runTime } from '../fleet/run-time.ts';
import { standingText } from './chain-graph.ts';
import { findSubmitter } from './manifest-facts.ts';
import { lostText, podTime } from './pod-time.ts';
import type { JobLife } from './job-life.ts';
import { useManifest } from './use-job.ts';

/** The numbers and names of a Job. */
export function Facts({ known, change }: { known: JobLife; change: ChangeAddress }): ReactElement {
  const { job, requests, pods } = known;
  const { data: manifest } = useManifest(job);
  const now = useNow();
  const until = job.finished_at === null && job.deleted_at === null ? now : null;
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the time of pods that run grows with `until`
  const [time, lost] = useMemo(() => [podTime(pods), lostText(pods)], [pods, until]);
  const containers = shownContainers(manifest);
  const by = findSubmitter(requests, manifest);
  return (
    <section className="panel facts" aria-label="Facts">
      <dl>
        <Fact name="Progress">
          <ProgressBar job={job} />
        </Fact>
        {job.started_at !== job.created_at && (
          <Fact name="Created">
            <Instant at={job.created_at} isShort />
          </Fact>
        )}
        {job.started_at !== null && (
          <Fact name="Started">
            <Instant at={job.started_at} isShort />
          </Fact>
        )}
        {job.finished_at !== null && (
          <Fact name="Ended">
            <Instant at={job.finished_at} isShort />
          </Fact>
        )}
        <Fact name="Duration">{runTime(job, now)}</Fact>
        {job.placed_in !== null && (
          <Fact name="Runs in">
            <Name text={job.placed_in} />
          </Fact>
        )}
        {job.home !== null && (
          <Fact name="Runs the placed Job">
            <a {...linkTo({ view: 'job', job: job.home }, change)}>
              <Name text={`${job.home.cluster}/${job.home.namespace}/${job.home.name}`} />
            </a>
          </Fact>
        )}
        {job.owner_name !== null && (
          <Fact name="Owner">
            <Owner job={job} change={change} />
          </Fact>
        )}
        {by !== null && (
          <Fact name="Submitted by">
            <Name text={by} />
          </Fact>
        )}
        {pods.length > 0 && (
          <Fact name="Pod time" more={lost === '' ? undefined : lost}>
            {time}
          </Fact>
        )}
        {containers.map(({ name, image, short, resources }) => (
          <Fact key={name} name={containers.length > 1 ? `Image of ${name}` : 'Image'} more={resources}>
            <span title={image}>
              <Name text={short} />
            </span>
          </Fact>
        ))}
        {job.chain.length > 0 && (
          <Fact name="Comes after">
            <Chain chain={job.chain} job={job} change={change} />
          </Fact>
        )}
      </dl>
      <details>
        <summary>more</summary>
        <dl>
          <Fact name="Kubernetes’ status">{job.kubectl_status}</Fact>
          <Fact name="Parallelism">{job.parallelism ?? 1}</Fact>
          <Fact name="Mode">{job.completion_mode ?? 'NonIndexed'}</Fact>
          <Fact name="Retries allowed">{job.backoff_limit ?? 'not set'}</Fact>
          <Fact name="Controller">
            <Name text={job.managed_by ?? 'the built-in controller'} />
          </Fact>
          <Fact name="UID">
            <code>{job.uid}</code>
          </Fact>
          {Object.entries(job.labels).map(([key, value]) => (
            <Fact key={key} name={key}>
              <a {...linkTo({ view: 'fleet', filters: { labels: [`${key}=${value}`] } }, change)}>
                <Name text={value === '' ? '(empty)' : value} />
              </a>
            </Fact>
          ))}
        </dl>
      </details>
    </section>
  );
}

function Fact(props: { name: string; more?: string | undefined; children: ReactNode }): ReactElement {
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

function Chain(props: {
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
