import { useMemo, type ReactElement } from 'react';
import { useNow } from '../../components/ago.tsx';
import { duration } from '../../components/instants.ts';
import { Name } from '../../components/name.tsx';
import { ScrollBox } from '../../components/scrolled.tsx';
import { StatusWord } from '../../components/status-word.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { podRowsAt, podsInOrder, creationMessage } from './pod-rows.ts';
import type { LifePod } from '../life/job-life.ts';
import type { Lane } from './lanes.ts';

/** The pods that existed by an instant, the latest first. */
export function PodTable(props: {
  lanes: readonly Lane[];
  rows: readonly LifePod[];
  at: number | null;
  most: number;
  /** The table omits the names of pods with an index. */
  isCompact?: boolean;
  onPod: (pod: string) => void;
}): ReactElement {
  const { lanes, rows, at, most, isCompact = false, onPod } = props;
  const clock = useNow();
  const ordered = useMemo(() => podsInOrder(lanes, rows), [lanes, rows]);
  const { count, rows: shown } = useMemo(
    () => podRowsAt(ordered, at ?? Number.POSITIVE_INFINITY, most),
    [ordered, at, most],
  );
  const hasIndexes = lanes.some(({ index }) => index !== null);
  const hasNames = !hasIndexes || !isCompact;
  const hasClusters = useMemo(() => rows.some(({ member }) => member !== undefined), [rows]);
  const hasRestarts = useMemo(() => rows.some(({ restarts }) => restarts > 0), [rows]);
  if (count === 0) return <p className="muted">No pod had been created.</p>;
  return (
    <ScrollBox label="Table of pods">
      <table className="table pods">
        <TableHead
          columns={[
            ...(hasIndexes ? ['Index', 'Attempt'] : []),
            ...(hasNames ? ['Pod'] : []),
            ...(hasClusters ? ['Cluster'] : []),
            'State',
            'Exit',
            'Node',
            ...(hasRestarts ? ['Restarts'] : []),
            'Ran',
            'Why created',
          ]}
        />
        <tbody>
          {shown.map(({ pod, index, attempt, state, exit, began, ended }) => (
            <tr key={pod.uid}>
              {hasIndexes && hasNames && <td>{index ?? ''}</td>}
              {!hasNames && (
                <th scope="row">
                  <WhyLink name={pod.name} message={String(index ?? pod.name)} onPod={onPod} />
                </th>
              )}
              {hasIndexes && <td>{attempt}</td>}
              {hasNames && (
                <th scope="row">
                  <WhyLink name={pod.name} message={pod.name} onPod={onPod} />
                </th>
              )}
              {hasClusters && (
                <td className="nowrap">
                  <Name text={pod.member?.cluster ?? ''} />
                </td>
              )}
              <td>
                <StatusWord word={state} />
              </td>
              <td className="nowrap">{exit}</td>
              <td className="nowrap">
                <Name text={pod.node ?? '–'} />
              </td>
              {hasRestarts && <td>{pod.restarts}</td>}
              <td className="nowrap">
                {began === null ? '–' : duration(Math.max(0, (ended ?? at ?? clock) - began))}
              </td>
              <td className="muted" title={pod.creation_message ?? undefined}>
                {creationMessage(pod.creation_message, attempt)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {count > most && (
        <p className="muted small more">
          The latest {most} of {count.toLocaleString('en')}; the time axis has all.
        </p>
      )}
    </ScrollBox>
  );
}

/** A link to the explanation of a pod. */
function WhyLink(props: { name: string; message: string; onPod: (pod: string) => void }): ReactElement {
  const { name, message, onPod } = props;
  return (
    <button
      type="button"
      className="link"
      title={name}
      onClick={() => onPod(name)}
      aria-label={`why ${name.slice(0, 200)}`}
    >
      <Name text={message} />
    </button>
  );
}
