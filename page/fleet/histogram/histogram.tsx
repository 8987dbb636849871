import { useRef, useState, type PointerEvent, type ReactElement } from 'react';
import { LENGTHS, type FleetFilters, type Length } from '../../address/page-address.ts';
import type { JobHistogram, ListedGap } from '../../api/rows.ts';
import { gapSpans } from '../../components/gap-spans.ts';
import { percentAt, spanPercents, axisTicks, tickText, type TimeRange } from '../../components/time-range.ts';
import { Failure } from '../../components/failure.tsx';
import { shortInstant } from '../../components/instants.ts';
import { Loading } from '../../components/loading.tsx';
import { toBars, draggedPeriod, scaleTop, sumBuckets } from './bars.ts';
import { Gaps } from '../../components/gaps.tsx';
import { useHistogram } from './use-histogram.ts';

/** The labels of the lengths of the histogram. */
const TITLES: Record<Length, string> = { hour: 'hour', day: '24 hours', week: '7 days', month: '30 days' };

/** A drag over a smaller share of the width counts as a click. */
const CLICK = 0.003;
const MOST_TICKS = 8;

const LEGEND = [
  ['completed', 'succeeded'],
  ['failed', 'failed'],
  ['created', 'created'],
] as const;

/** Shows the creations and ends of the matching Jobs over time, and the gaps of the clusters. Dragging chooses a period. */
export function Histogram(props: {
  filters: FleetFilters;
  /** False until the buckets are counted. */
  isWanted: boolean;
  /** Without a chosen period. */
  length: Length;
  onLength: (length: Length) => void;
  onPeriod: (period: TimeRange | null) => void;
}): ReactElement {
  const { filters, isWanted, length, onLength, onPeriod } = props;
  const { data: shown, error } = useHistogram(filters, LENGTHS[length], isWanted);
  const isChosen = filters.from !== undefined || filters.before !== undefined;
  return (
    <section className="panel histogram" aria-label="Jobs over time">
      <div className="legend-line">
        <h2>Created and ended</h2>
        {shown !== undefined && <HistogramLegend histogram={shown.histogram} />}
        <span className="hint">drag to zoom</span>
        {isChosen ? (
          <button type="button" className="link" onClick={() => onPeriod(null)}>
            all periods
          </button>
        ) : (
          <label className="plain-select">
            <span className="unseen">The latest</span>
            <select value={length} onChange={({ target }) => onLength(target.value as Length)}>
              {Object.entries(TITLES).map(([each, title]) => (
                <option key={each} value={each}>
                  latest {title}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {error !== null && <Failure error={error} />}
      {shown === undefined && error === null && <Loading rows={1} height={112} />}
      {shown !== undefined && <HistogramPicture {...shown} onPeriod={onPeriod} />}
      {shown !== undefined && <Gaps gaps={shown.gaps} isWhole={shown.isWhole} />}
    </section>
  );
}

/** The legend of the series, with their numbers of Jobs. */
function HistogramLegend({ histogram }: { histogram: JobHistogram }): ReactElement {
  const totals = sumBuckets(histogram);
  return (
    <ul className="legend">
      {LEGEND.map(([series, message]) => (
        <li key={series} className={`key-${series}`}>
          {totals[series].toLocaleString('en')} {message}
        </li>
      ))}
    </ul>
  );
}

/** The picture of the histogram, in which a user can drag a period. */
function HistogramPicture(props: {
  histogram: JobHistogram;
  gaps: readonly ListedGap[];
  onPeriod: (period: TimeRange) => void;
}): ReactElement {
  const { histogram, gaps, onPeriod } = props;
  const range = { from: Date.parse(histogram.from), to: Date.parse(histogram.before) };
  const [drag, setDrag] = useState<{ start: number; end: number } | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const picture = useRef<SVGSVGElement>(null);
  // The position of the pointer as a share of the picture's width.
  const shareAt = ({ clientX }: PointerEvent): number => {
    const { left, width } = picture.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };
  const totals = sumBuckets(histogram);
  const top = scaleTop(histogram);
  return (
    <div className="picture">
      <div className="y-axis" aria-hidden="true">
        <span>{top.toLocaleString('en')}</span>
        <span>0</span>
      </div>
      <div className="plot">
        <svg
          ref={picture}
          className="bars"
          role="img"
          aria-label={`${LEGEND.map(([series, message]) => `${totals[series]} ${message}`).join(', ')}, ${gaps.length} gaps`}
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            setDrag({ start: shareAt(event), end: shareAt(event) });
          }}
          onPointerMove={(event) => {
            setPointed(shareAt(event));
            if (drag !== null) setDrag({ ...drag, end: shareAt(event) });
          }}
          onPointerLeave={() => setPointed(null)}
          onPointerCancel={() => setDrag(null)}
          onPointerUp={() => {
            if (drag !== null && Math.abs(drag.end - drag.start) > CLICK)
              onPeriod(draggedPeriod(range, drag.start, drag.end));
            setDrag(null);
          }}
        >
          <HistogramBars histogram={histogram} top={top} range={range} gaps={gaps} />
          {drag !== null && (
            <rect
              className="dragged"
              x={Math.min(drag.start, drag.end) * 100}
              width={Math.abs(drag.end - drag.start) * 100}
              height={100}
            />
          )}
        </svg>
        {pointed !== null && <BucketTip histogram={histogram} share={pointed} />}
        <div className="x-axis" aria-hidden="true">
          {ticksInside(range).map((tick) => (
            <span key={tick} style={{ left: `${percentAt(range, tick)}%` }}>
              {tickText(tick, range)}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}

/** The marks of the time axis whose texts fit into the picture. */
function ticksInside(range: TimeRange): number[] {
  return axisTicks(range, MOST_TICKS).filter((tick) => Math.abs(percentAt(range, tick) - 50) < 50 - MARGIN);
}

/** The position in percent of the width. */
const MARGIN = 5;

/** The bars of the histogram, and the gaps of the clusters. */
function HistogramBars(props: {
  histogram: JobHistogram;
  top: number;
  range: TimeRange;
  gaps: readonly ListedGap[];
}): ReactElement {
  const { histogram, top, range, gaps } = props;
  const bars = toBars(histogram, top);
  return (
    <>
      <defs>
        <pattern id="hatched" width="1" height="10" patternUnits="userSpaceOnUse">
          <path d="M0 10 L1 0" className="hatch" />
        </pattern>
      </defs>
      {[0, 50].map((y) => (
        <line key={y} className="grid-line" x1="0" x2="100" y1={y} y2={y} />
      ))}
      {gapSpans(gaps).map((span, index) => {
        const part = spanPercents(range, span);
        return (
          part !== null && (
            <rect
              key={index}
              x={part.start}
              width={Math.max(0.2, part.width)}
              height={100}
              fill="url(#hatched)"
            >
              <title>not seen</title>
            </rect>
          )
        );
      })}
      {bars.map(({ x, width, failed, completed }) => {
        const [left, inner] = [x + width * 0.1, width * 0.8];
        return (
          <g key={x}>
            <rect className="bar-failed" x={left} width={inner} y={100 - failed} height={failed} />
            <rect
              className="bar-completed"
              x={left}
              width={inner}
              y={100 - failed - completed}
              height={completed}
            />
          </g>
        );
      })}
      <path
        className="bar-created"
        d={bars
          .map(({ x, width, created }) => (created === 0 ? '' : `M${x} ${100 - created}h${width}`))
          .join('')}
      />
    </>
  );
}

/** The counts of the bucket under the pointer. */
function BucketTip({ histogram, share }: { histogram: JobHistogram; share: number }): ReactElement | null {
  const { from, before, step_ms: step, buckets } = histogram;
  const start = Date.parse(from);
  const place = Math.floor(((Date.parse(before) - start) * share) / step);
  const bucket = buckets[place];
  if (bucket === undefined) return null;
  const at = start + place * step;
  const now = Date.now();
  return (
    <div className="tip" style={{ left: `${Math.min(82, Math.max(0, share * 100))}%` }}>
      <strong>
        {shortInstant(at, now)} – {shortInstant(at + step, now)}
      </strong>
      {LEGEND.map(([series, message]) => (
        <span key={series} className={`key-${series}`}>
          {bucket[series].toLocaleString('en')} {message}
        </span>
      ))}
    </div>
  );
}
