import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState, type PointerEvent, type ReactElement } from 'react';
import { LENGTHS, type FleetFilters, type Length } from '../address/page-address.ts';
import { api, bodyOf } from '../api/client.ts';
import type { JobHistogram, ListedGap } from '../api/rows.ts';
import { gapSpansOf } from '../job/spans.ts';
import { percentsOf, type TimeRange } from '../job/time-range.ts';
import { Failure } from '../words/failure.tsx';
import { Instant } from '../words/instant.tsx';
import { barsOf, draggedPeriod, SERIES, totalsOf } from './bars.ts';
import { queryOf } from './fleet-query.ts';
import { Gaps } from './gaps.tsx';

const BUCKETS = 120;
const REFRESH_MS = 15_000;

/** The most gaps shown. */
const MOST_GAPS = 500;

/** The labels of the lengths. */
const TITLES: Record<Length, string> = { hour: 'hour', day: 'day', week: '7 days', month: '30 days' };

/** A drag narrower than this share of the width is a click. */
const CLICK = 0.003;

/** Creations and ends of the matching Jobs over time, and the gaps of the clusters. Dragging chooses a period. */
export function Histogram(props: {
  filters: FleetFilters;
  /** False: nothing is counted yet. */
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
    <section className="histogram" aria-label="Jobs over time">
      <div className="buttons">
        {isChosen ? (
          <button type="button" onClick={() => onPeriod(null)}>
            all periods
          </button>
        ) : (
          <label>
            The latest{' '}
            <select value={length} onChange={({ target }) => onLength(target.value as Length)}>
              {Object.entries(TITLES).map(([each, title]) => (
                <option key={each} value={each}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        )}
        {shown !== undefined && <Legend histogram={shown.histogram} />}
      </div>
      {error !== null && <Failure error={error} />}
      {shown !== undefined && <Picture {...shown} onPeriod={onPeriod} />}
      {shown !== undefined && <Gaps gaps={shown.gaps} isWhole={shown.isWhole} />}
    </section>
  );
}

function useHistogram(
  filters: FleetFilters,
  latest: number,
  enabled: boolean,
): {
  data: { histogram: JobHistogram; gaps: ListedGap[]; isWhole: boolean } | undefined;
  error: Error | null;
} {
  return useQuery({
    queryKey: ['histogram', filters, latest],
    enabled,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const end = filters.before ?? Math.max(Date.now(), (filters.from ?? 0) + 1000);
      const before = new Date(end).toISOString();
      const from = new Date(filters.from ?? end - latest).toISOString();
      const { cluster } = filters;
      const query = { ...queryOf(filters), from, before, buckets: BUCKETS };
      const during = {
        ...(cluster !== undefined && { cluster }),
        since: from,
        until: before,
        limit: MOST_GAPS,
      };
      const [histogram, gaps] = await Promise.all([
        bodyOf(api.GET('/v1/histogram', { params: { query }, signal })),
        bodyOf(api.GET('/v1/gaps', { params: { query: during }, signal })),
      ]);
      return { histogram, gaps: gaps.items, isWhole: gaps.next === null };
    },
  });
}

function Legend({ histogram }: { histogram: JobHistogram }): ReactElement {
  const totals = totalsOf(histogram);
  return (
    <ul className="legend">
      {SERIES.map((series) => (
        <li key={series}>
          <svg width="10" height="10" aria-hidden="true">
            <rect width="10" height="10" className={`bar-${series}`} />
          </svg>{' '}
          {totals[series]} {series}
        </li>
      ))}
    </ul>
  );
}

function Picture(props: {
  histogram: JobHistogram;
  gaps: readonly ListedGap[];
  onPeriod: (period: TimeRange) => void;
}): ReactElement {
  const { histogram, gaps, onPeriod } = props;
  const range = { from: Date.parse(histogram.from), to: Date.parse(histogram.before) };
  const [drag, setDrag] = useState<{ start: number; end: number } | null>(null);
  const picture = useRef<SVGSVGElement>(null);
  const shareAt = ({ clientX }: PointerEvent): number => {
    const { left, width } = picture.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return (clientX - left) / width;
  };
  const totals = totalsOf(histogram);
  return (
    <>
      <svg
        ref={picture}
        className="bars"
        role="img"
        aria-label={`${SERIES.map((series) => `${totals[series]} ${series}`).join(', ')}, ${gaps.length} gaps`}
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ start: shareAt(event), end: shareAt(event) });
        }}
        onPointerMove={(event) => drag !== null && setDrag({ ...drag, end: shareAt(event) })}
        onPointerCancel={() => setDrag(null)}
        onPointerUp={() => {
          if (drag !== null && Math.abs(drag.end - drag.start) > CLICK)
            onPeriod(draggedPeriod(range, drag.start, drag.end));
          setDrag(null);
        }}
      >
        <defs>
          <pattern id="hatched" width="1" height="10" patternUnits="userSpaceOnUse">
            <path d="M0 10 L1 0" className="hatch" />
          </pattern>
        </defs>
        {gapSpansOf(gaps).map((span, index) => {
          const part = percentsOf(range, span);
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
        {barsOf(histogram).map(({ series, jobs, x, width, height }) => (
          <rect
            key={`${series} ${x}`}
            className={`bar-${series}`}
            x={x}
            width={width}
            y={100 - height}
            height={height}
          >
            <title>{`${jobs} ${series}`}</title>
          </rect>
        ))}
        {drag !== null && (
          <rect
            className="dragged"
            x={Math.min(drag.start, drag.end) * 100}
            width={Math.abs(drag.end - drag.start) * 100}
            height={100}
          />
        )}
      </svg>
      <div className="period">
        <Instant at={range.from} />
        <Instant at={range.to} />
      </div>
    </>
  );
}
