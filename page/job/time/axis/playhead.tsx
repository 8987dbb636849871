import type { ReactElement } from 'react';
import { localInstant, localTime } from '../../../components/instants.ts';
import { percentAt, type TimeRange } from '../../../components/time-range.ts';

const STEPS = 1000;

/** The line at the instant as of which the page shows the Job; the user can drag it along the axis. `at` null: now. */
export function Playhead(props: {
  range: TimeRange;
  at: number | null;
  onInstant: (at: number | null) => void;
}): ReactElement {
  const { range, at, onInstant } = props;
  const [from, to] = [Math.floor(range.from), Math.ceil(range.to)];
  const place = at === null ? 100 : percentAt(range, at);
  const isVisible = at !== null && place >= 0 && place <= 100;
  return (
    <>
      <input
        type="range"
        className="playhead"
        aria-label="As of"
        aria-valuetext={at === null ? 'now' : localInstant(at)}
        min={from}
        max={to}
        step={Math.max(1, Math.round((to - from) / STEPS))}
        value={at ?? to}
        onChange={({ target }) => onInstant(target.valueAsNumber)}
        onKeyDown={(event) => {
          if (event.key !== 'End') return;
          event.preventDefault();
          onInstant(null);
        }}
      />
      {isVisible && (
        <span className="playhead-label" aria-hidden="true" style={{ left: `${place}%` }}>
          {localTime(Math.round(at / 1000) * 1000)}
        </span>
      )}
      {at === null && (
        <span className="playhead-label now" aria-hidden="true">
          now
        </span>
      )}
    </>
  );
}
