import { useMemo, type ReactElement } from 'react';
import type { ListedPod } from '../api/rows.ts';
import { useNow } from '../words/ago.tsx';
import { duration } from '../words/instants.ts';
import { Name } from '../words/name.tsx';
import { StatusWord } from '../words/status-word.tsx';
import { podRowsAt } from './pod-rows.ts';
import type { Lane } from './lanes.ts';

/** The pods that existed by an instant, the latest first. */
export function PodTable(props: {
  lanes: readonly Lane[];
  rows: readonly ListedPod[];
  at: number | null;
  most: number;
  onPod: (pod: string) => void;
}): ReactElement {
  const { lanes, rows, at, most, onPod } = props;
  const clock = useNow();
  const pods = useMemo(() => podRowsAt(lanes, rows, at ?? Number.POSITIVE_INFINITY), [lanes, rows, at]);
  const hasIndexes = lanes.some(({ index }) => index !== null);
  if (pods.length === 0) return <p className="muted">No pod had been created.</p>;
  return (
    <div className="scrolled">
      <table className="table pods">
        <thead>
          <tr>
            {hasIndexes && <th scope="col">Index</th>}
            {hasIndexes && <th scope="col">Attempt</th>}
            <th scope="col">Pod</th>
            <th scope="col">State</th>
            <th scope="col">Exit</th>
            <th scope="col">Node</th>
            <th scope="col">Restarts</th>
            <th scope="col">Ran</th>
            <th scope="col">Why created</th>
          </tr>
        </thead>
        <tbody>
          {pods.slice(0, most).map(({ pod, index, attempt, state, exit, began, ended }) => (
            <tr key={pod.uid}>
              {hasIndexes && <td>{index ?? ''}</td>}
              {hasIndexes && <td>{attempt}</td>}
              <th scope="row">
                <button
                  type="button"
                  className="link"
                  onClick={() => onPod(pod.name)}
                  aria-label={`why ${pod.name.slice(0, 200)}`}
                >
                  <Name text={pod.name} />
                </button>
              </th>
              <td>
                <StatusWord word={state} />
              </td>
              <td>{exit}</td>
              <td>
                <Name text={pod.node ?? '–'} />
              </td>
              <td>{pod.restarts}</td>
              <td className="nowrap">
                {began === null ? '–' : duration(Math.max(0, (ended ?? at ?? clock) - began))}
              </td>
              <td className="muted">
                <Name text={pod.why_created ?? ''} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {pods.length > most && (
        <p className="muted small more">
          The latest {most} of {pods.length.toLocaleString('en')}; the time axis has all.
        </p>
      )}
    </div>
  );
}
