import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { linkTo, type ChangeAddress } from '../../address/use-page-address.ts';
import { jobByUid } from '../../api/job-by-uid.ts';
import type { RequestEvent } from '../../api/rows.ts';
import { Instant } from '../../components/instant.tsx';
import { Name } from '../../components/name.tsx';

/** The requests of users about the Job. */
export function Requests(props: { requests: readonly RequestEvent[]; change: ChangeAddress }): ReactElement {
  const { requests, change } = props;
  return (
    <section className="panel" aria-label="Requests">
      {requests.length === 0 && <p className="muted">Nobody asked for anything.</p>}
      <ol className="requests">
        {requests.map(({ id, time, data: { action, by, retryOf } }) => (
          <li key={id}>
            <Instant at={time} /> {action ?? 'submitted'} by <Name text={by} />
            {retryOf !== undefined && (
              <>
                {' '}
                to retry <RetriedJob uid={retryOf} change={change} />
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The name of the Job that this Job retries, which becomes a link when the page has found the Job. */
function RetriedJob({ uid, change }: { uid: string; change: ChangeAddress }): ReactElement {
  const { data: job } = useQuery({
    queryKey: ['by-uid', uid],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => jobByUid(uid, signal),
  });
  if (job === undefined || job === null) return <>the Job with the UID {uid}</>;
  const { cluster, namespace, name } = job;
  return (
    <a {...linkTo({ view: 'job', job: { cluster, namespace, name, uid } }, change)}>
      <Name text={name} />
    </a>
  );
}
