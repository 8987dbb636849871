import type { ReactElement, ReactNode } from 'react';
import { linkTo, type ChangeAddress } from '../../address/use-page-address.ts';
import type { ListedPlacement } from '../../api/rows.ts';
import { Instant } from '../../components/instant.tsx';
import { localInstant } from '../../components/instants.ts';
import { Name } from '../../components/name.tsx';
import { ScrollBox } from '../../components/scrolled.tsx';
import { StatusWord } from '../../components/status-word.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { isSpread, type JobLife } from '../life/job-life.ts';
import { placementRowEnd, placementRows, type ShownPlacement } from './placement-text.ts';
import { usePlacementsAt } from '../life/use-job.ts';

/**
 * The clusters that got a placed Job, each with its period and the reason for its end; for a spread Job also with its share, now or at the instant of
 * the playhead. The component is empty before the first placement.
 */
export function Placements(props: {
  known: JobLife;
  at: number | null;
  change: ChangeAddress;
}): ReactElement | null {
  const { known, at, change } = props;
  const { job, placements } = known;
  const spread = isSpread(placements);
  const instant = spread ? at : null;
  const then = usePlacementsAt(job, instant).data;
  const shown = instant === null ? placements : (then ?? placements);
  if (placements.length === 0) return null;
  const columns = [...(spread ? SPREAD : UNDIVIDED), ...ENDS];
  return (
    <section className="panel" aria-label="Placements">
      <h2>
        {spread && job.finished_at === null ? 'Where it runs' : 'Where it ran'}{' '}
        {instant !== null && <span className="muted small">as it was at {localInstant(instant)}</span>}
      </h2>
      <ScrollBox label="Table of placements">
        <table className="table">
          <TableHead columns={columns.map(({ title }) => title)} />
          <tbody>
            {placementRows(shown).map((row) => (
              <tr key={row.placement.grant_number}>
                <th scope="row">
                  <Name text={row.placement.placed_in} />
                </th>
                {columns.slice(1).map(({ title, isShort, cell }) => (
                  <td key={title} className={isShort === true ? 'nowrap' : undefined}>
                    {cell(row.placement, { namespace: job.namespace, change, row })}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  );
}

interface Column {
  title: string;
  /** A text that is not broken into lines. */
  isShort?: boolean;
  cell(
    placement: ListedPlacement,
    shown: { namespace: string; change: ChangeAddress; row: ShownPlacement },
  ): ReactNode;
}

const [CLUSTER, MEMBER]: [Column, Column] = [
  { title: 'Cluster', cell: ({ placed_in: cluster }) => <Name text={cluster} /> },
  {
    title: 'Job there',
    cell: (placement, shown) => (
      <Member placement={placement} namespace={shown.namespace} change={shown.change} />
    ),
  },
];
const UNDIVIDED: readonly Column[] = [CLUSTER, MEMBER];
const SPREAD: readonly Column[] = [
  CLUSTER,
  MEMBER,
  {
    title: 'State',
    cell: ({ kubectl_status: status }) => (status === null ? '–' : <StatusWord word={status} />),
  },
  {
    title: 'Has the indexes',
    cell: ({ current_indexes: indexes }) => <Name text={indexes === '' ? 'none' : (indexes ?? 'all')} />,
  },
  { title: 'Active', cell: ({ active }) => (active ?? 0).toLocaleString('en') },
  { title: 'Succeeded', cell: ({ succeeded }) => succeeded.toLocaleString('en') },
  { title: 'Failed', cell: ({ failed }) => failed.toLocaleString('en') },
];
const ENDS: readonly Column[] = [
  { title: 'From', isShort: true, cell: ({ given_at: from }) => <Instant at={from} /> },
  { title: 'Until', isShort: true, cell: ({ ended_at: to }) => (to === null ? 'now' : <Instant at={to} />) },
  { title: 'How it ended', cell: (_placement, { row }) => <Name text={placementRowEnd(row)} /> },
  { title: 'Complete', cell: ({ indexes }) => <Name text={indexes ?? ''} /> },
  { title: 'Why there', cell: ({ message }) => <Name text={message} /> },
];

/** The name of the member as a link; `not created` before its creation. */
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
