import type { ReactElement } from 'react';
import type { JobDetails } from '../../api/rows.ts';
import { Instant } from '../../components/instant.tsx';
import { Name } from '../../components/name.tsx';
import { ScrollBox } from '../../components/scrolled.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { AsOf } from '../../components/as-of.tsx';

/** The changes of conditions that were seen up to the instant, the latest first. */
export function Conditions(props: {
  job: JobDetails;
  at: number | null;
  onInstant: (at: number | null) => void;
}): ReactElement {
  const { job, at, onInstant } = props;
  const seen = job.conditions.filter(({ seen_at: then }) => at === null || Date.parse(then) <= at);
  return (
    <section className="panel" aria-label="Conditions">
      <AsOf at={at} onNow={() => onInstant(null)} />
      {seen.length === 0 && <p className="muted">No condition was set.</p>}
      {seen.length > 0 && (
        <ScrollBox label="Table of conditions">
          <table className="table">
            <TableHead columns={['Seen', 'Condition', 'Value', 'Reason', 'Message']} />
            <tbody>
              {seen.toReversed().map(({ type, status, reason, message, seen_at: then }) => (
                <tr key={`${type} ${then}`}>
                  <td className="nowrap">
                    <Instant at={then} />
                  </td>
                  <th scope="row">{type}</th>
                  <td>{status ?? 'removed'}</td>
                  <td>
                    <Name text={reason ?? ''} />
                  </td>
                  <td>
                    <Name text={message ?? ''} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}
