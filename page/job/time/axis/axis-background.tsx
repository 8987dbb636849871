import type { ReactElement } from 'react';
import { localInstant } from '../../../components/instants.ts';
import type { TimeSpan } from '../../../components/gap-spans.ts';
import { percentAt, spanPercents, type TimeRange } from '../../../components/time-range.ts';

/** The marks across all lanes: gaps, the deadline, the chosen instant, and the time after the chosen instant. */
export function AxisBackground(props: {
  range: TimeRange;
  spans: readonly TimeSpan[];
  at: number | null;
  deadline: number | null;
}): ReactElement {
  const { range, spans, at, deadline } = props;
  const later = at === null ? null : spanPercents(range, { from: at, to: null });
  return (
    <>
      {spans
        .filter(({ kind }) => kind === 'gap')
        .map((span) => (
          <SpanBar key={span.from} range={range} span={span} />
        ))}
      {deadline !== null && (
        <VerticalLine className="deadline" range={range} at={deadline} message="active deadline" />
      )}
      {later !== null && (
        <rect className="later" x={`${later.start}%`} width={`${later.width}%`} height="100%" />
      )}
      {at !== null && <VerticalLine className="instant" range={range} at={at} message="as of" />}
    </>
  );
}

/** A vertical line at an instant. */
function VerticalLine(props: {
  className: string;
  range: TimeRange;
  at: number;
  message: string;
}): ReactElement {
  const x = `${percentAt(props.range, props.at)}%`;
  return (
    <line className={props.className} x1={x} x2={x} y1="0" y2="100%">
      <title>{`${props.message}: ${localInstant(props.at)}`}</title>
    </line>
  );
}

/** The picture of a wait, a suspension or a gap. */
export function SpanBar({ range, span }: { range: TimeRange; span: TimeSpan }): ReactElement | null {
  const place = spanPercents(range, span);
  if (place === null) return null;
  const end = span.to === null ? 'open' : localInstant(span.to);
  const [y, height] = { gap: ['0', '100%'], suspension: ['30%', '40%'], wait: ['44%', '12%'] }[span.kind];
  return (
    <rect
      className={`span-${span.kind}`}
      x={`${place.start}%`}
      width={`${place.width}%`}
      y={y}
      height={height}
      fill={span.kind === 'gap' ? 'url(#not-seen)' : undefined}
    >
      <title>{`${span.message}: ${localInstant(span.from)} to ${end}`}</title>
    </rect>
  );
}
