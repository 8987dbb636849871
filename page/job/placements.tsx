import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import { api, bodyOf } from '../api/client.ts';
import type { JobDetails, ListedPlacement } from '../api/rows.ts';
import { Instant } from '../words/instant.tsx';
import { Name } from '../words/name.tsx';
import { Scrolled } from '../words/scrolled.tsx';
import { TableHead } from '../words/table-head.tsx';
import { placementEnd } from './placement-words.ts';

/** The clusters that got a placed Job: from when until when, and why. Nothing before the first. */
export function Placements({ job, change }: { job: JobDetails; change: ChangeAddress }): ReactElement | null {
  const { cluster, namespace, name, uid } = job;
  const { data: placements = [] } = useQuery({
    queryKey: ['placements', cluster, uid, job.last_seen_at, job.decisions],
    queryFn: async ({ signal }) => {
      const params = { path: { job: name }, query: { cluster, uid } };
      return (await bodyOf(api.GET('/v1/jobs/{job}/placements', { params, signal }))).items;
    },
    placeholderData: (before) => before,
  });
  if (placements.length === 0) return null;
  return (
    <section className="panel" aria-label="Placements">
      <h2>Where it ran</h2>
      <Scrolled label="Table of placements">
        <table className="table">
          <TableHead
            columns={['Cluster', 'Job there', 'From', 'Until', 'How it ended', 'Indexes', 'Why there']}
          />
          <tbody>
            {placements.map((each) => (
              <tr key={each.number}>
                <th scope="row">
                  <Name text={each.placed_in} />
                </th>
                <td>
                  <Member placement={each} namespace={namespace} change={change} />
                </td>
                <td className="nowrap">
                  <Instant at={each.given_at} />
                </td>
                <td className="nowrap">{each.ended_at === null ? 'now' : <Instant at={each.ended_at} />}</td>
                <td>
                  <Name text={placementEnd(each)} />
                </td>
                <td>
                  <Name text={each.indexes ?? ''} />
                </td>
                <td>
                  <Name text={each.words} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </section>
  );
}

function Member(props: {
  placement: ListedPlacement;
  namespace: string;
  change: ChangeAddress;
}): ReactElement {
  const { placement, namespace, change } = props;
  const { placed_in: cluster, member_name: name, member_uid: uid } = placement;
  if (uid === null) return <span className="muted">not created</span>;
  return (
    <a {...linkTo({ view: 'job', job: { cluster, namespace, name, uid } }, change)}>
      <Name text={name} />
    </a>
  );
}
