import type { ReactElement } from 'react';

const LEGEND = [
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['stopped', 'ended by the Job'],
  ['open', 'running'],
  ['pending', 'not started'],
  ['back-off', 'back-off'],
  ['gap', 'not seen'],
  ['decision', 'decision'],
] as const;

/** The legend of the axis: the meaning of its colours, and the pattern of a gap. */
export function AxisLegend({ hasShares }: { hasShares: boolean }): ReactElement {
  return (
    <ul className="legend axis-legend" aria-label="Legend">
      {hasShares && <li className="mark-share">indexes of the cluster</li>}
      {LEGEND.map(([kind, message]) => (
        <li key={kind} className={`mark-${kind}`}>
          {message}
        </li>
      ))}
      <li aria-hidden="true">
        <svg width="0" height="0">
          <defs>
            <pattern
              id="not-seen"
              width="6"
              height="6"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <line className="hatch" x1="0" y1="0" x2="0" y2="6" />
            </pattern>
          </defs>
        </svg>
      </li>
    </ul>
  );
}
