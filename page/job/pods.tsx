import type { ReactElement } from 'react';
import type { ListedPod } from '../api/rows.ts';
import { Name } from '../words/name.tsx';
import { podWordAt, type Lane } from './lanes.ts';

/** The most pods in the list; the time axis has all. */
const MOST = 200;

/** The pods that existed by the chosen instant, the latest first. */
export function Pods(props: {
  lanes: readonly Lane[];
  rows: readonly ListedPod[];
  at: number | null;
  onPod: (pod: string) => void;
}): ReactElement {
  const { lanes, rows, at, onPod } = props;
  const why = new Map(rows.map(({ uid, why_created: words }) => [uid, words]));
  const pods = lanes
    .flatMap((lane) => lane.pods)
    .map((pod) => ({ ...pod, word: podWordAt(pod, at ?? Number.POSITIVE_INFINITY) }))
    .filter(({ word }) => word !== null)
    .sort((a, b) => (b.segments[0]?.from ?? 0) - (a.segments[0]?.from ?? 0));
  return (
    <section aria-labelledby="pods">
      <h2 id="pods">Pods</h2>
      {pods.length === 0 && <p>none</p>}
      {pods.length > MOST && (
        <p>
          The latest {MOST} of {pods.length}; the time axis has all.
        </p>
      )}
      <ul className="pods">
        {pods.slice(0, MOST).map(({ uid, name, word }) => (
          <li key={uid}>
            <button type="button" onClick={() => onPod(name)} aria-label={`why ${name.slice(0, 200)}`}>
              <Name text={name} />
            </button>{' '}
            {word} <Name text={why.get(uid) ?? ''} />
          </li>
        ))}
      </ul>
    </section>
  );
}
