import type { ReactElement } from 'react';
import type { JobDetails, ListedKubernetesEvent } from '../../api/rows.ts';
import { Failure } from '../../components/failure.tsx';
import { Instant } from '../../components/instant.tsx';
import { Loading } from '../../components/loading.tsx';
import { Name } from '../../components/name.tsx';
import { ScrollBox } from '../../components/scrolled.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { useKubernetesEvents } from '../life/use-job.ts';

/** The largest number of Events that the page shows at the same time. */
const MOST = 200;

/** The Kubernetes Events about the Job that Jobledger had created by the instant, the latest first. `at` null: until now. */
export function KubernetesEvents({ job, at }: { job: JobDetails; at: number | null }): ReactElement {
  const { data: known, error } = useKubernetesEvents(job);
  const created = (known?.items ?? []).filter(({ at: then }) => at === null || Date.parse(then) <= at);
  return (
    <section className="panel" aria-labelledby="events">
      <h2 id="events">Events</h2>
      <p className="muted small">
        The list has the Events that Jobledger has created and recorded; Events of other controllers, such as
        the scheduler, are not recorded.
      </p>
      {error !== null && <Failure error={error} />}
      {known === undefined && error === null && <Loading rows={2} height={24} />}
      {known !== undefined && created.length === 0 && <p className="muted">No Event was created.</p>}
      {created.length > 0 && <EventTable events={created.slice(-MOST).toReversed()} />}
      {(created.length > MOST || known?.isWhole === false) && (
        <p className="muted small more">
          The latest {MOST} of {created.length.toLocaleString('en')}
          {known?.isWhole === false && ' Events that the page has read; more Events exist'}.
        </p>
      )}
    </section>
  );
}

/** A table of Kubernetes Events. */
function EventTable({ events }: { events: readonly ListedKubernetesEvent[] }): ReactElement {
  return (
    <ScrollBox label="Table of Events">
      <table className="table">
        <TableHead columns={['Time', 'Type', 'Reason', 'Message']} />
        <tbody>
          {events.map(({ at, type, reason, message }, place) => (
            <tr key={`${at} ${events.length - place}`}>
              <td className="nowrap">
                <Instant at={at} isShort />
              </td>
              <td>
                <span className={`word tone-${type === 'Warning' ? 'failed' : 'off'}`}>{type}</span>
              </td>
              <td>
                <Name text={reason} />
              </td>
              <td className="wide">
                <Name text={message} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
