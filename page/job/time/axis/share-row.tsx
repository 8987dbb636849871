import type { ReactElement, ReactNode } from 'react';
import { localInstant } from '../../../components/instants.ts';
import { Name } from '../../../components/name.tsx';
import { shareText, type Share, type ShareStep } from '../../placement/shares.ts';
import { spanPercents, type TimeRange } from '../../../components/time-range.ts';

/** The width of a character, in percent of the axis. */
const CHARACTER = 1.2;

/** A row for a cluster of a spread Job, with a band whose height is the number of the cluster's indexes. Its lanes follow. */
export function ShareRow(props: {
  share: Share;
  /** The largest number of indexes that a cluster had at one time. */
  most: number;
  range: TimeRange;
  at: number | null;
  background: ReactNode;
}): ReactElement {
  const { share, most, range, at, background } = props;
  return (
    <>
      <span className="label cluster">
        <Name text={share.cluster} />
      </span>
      <svg className="track" role="img" aria-label={shareText(share, at)}>
        {background}
        {share.steps
          .filter(({ from }) => at === null || from <= at)
          .map((step) => (
            <ShareBand key={step.from} step={step} most={most} range={range} at={at} />
          ))}
      </svg>
    </>
  );
}

/** The band of a cluster's indexes in a period. */
function ShareBand(props: {
  step: ShareStep;
  most: number;
  range: TimeRange;
  at: number | null;
}): ReactElement | null {
  const { step, most, range, at } = props;
  const { from, to, indexes, count } = step;
  const until = at === null ? (to ?? Math.min(range.to, Date.now())) : Math.min(to ?? at, at);
  const place = spanPercents(range, { from, to: until });
  if (place === null) return null;
  const height = 20 + 70 * (count / most);
  const end = to === null ? 'now' : localInstant(to);
  return (
    <g>
      <title>{`${indexes.slice(0, 1000)}: ${localInstant(from)} to ${end}`}</title>
      <rect
        className="share"
        x={`${place.start}%`}
        width={`${Math.max(0.2, place.width)}%`}
        y={`${95 - height}%`}
        height={`${height}%`}
      />
      {indexes.length * CHARACTER < place.width && (
        <text
          aria-hidden="true"
          className="share-words"
          x={`${place.start}%`}
          y={`${95 - height / 2}%`}
          dx="4"
          dominantBaseline="central"
        >
          {indexes}
        </text>
      )}
    </g>
  );
}
