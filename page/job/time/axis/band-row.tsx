import { useMemo, type ReactElement, type ReactNode } from 'react';
import { bandDensity, stackedPaths, type Band } from './bands.ts';
import type { TimeRange } from '../../../components/time-range.ts';

/** The number of columns of time in the picture of a band. */
const COLUMNS = 300;

/** Many lanes as one row, with the numbers of pending, running and ready pods over time, and marks for failures. */
export function BandRow(props: {
  band: Band;
  isOpen: boolean;
  range: TimeRange;
  at: number | null;
  background: ReactNode;
  onToggle: () => void;
}): ReactElement {
  const { band, isOpen, range, at, background, onToggle } = props;
  const { label, lanes } = band;
  const { pending, running, ready, failed } = useMemo(
    () => bandDensity(band, { range, at, columns: COLUMNS }),
    [band, range, at],
  );
  const [first, second, third] = stackedPaths([ready, running, pending], lanes.length);
  const failures = failed.reduce((sum, count) => sum + count, 0);
  const message = `${label}: ${lanes.length} lanes, ${failures} failed pods in this range`;
  return (
    <>
      <span className="label">
        <button type="button" className="band" aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? '▾' : '▸'} {label}
        </button>
      </span>
      <svg className="track" role="img" aria-label={message}>
        <title>{message}</title>
        {background}
        <svg viewBox={`0 0 ${COLUMNS} 1`} preserveAspectRatio="none" width="100%" height="100%">
          <path className="band-ready" d={first} />
          <path className="band-running" d={second} />
          <path className="band-pending" d={third} />
          <path
            className="band-failed"
            d={failed.map((count, column) => (count === 0 ? '' : `M${column} 0h1v0.2h-1z`)).join('')}
          />
        </svg>
      </svg>
    </>
  );
}
