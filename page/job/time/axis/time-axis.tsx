import { useVirtualizer } from '@tanstack/react-virtual';
import {
  useCallback,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type WheelEvent,
} from 'react';
import type { ListedDecision } from '../../../api/rows.ts';
import { AxisBackground, SpanBar } from './axis-background.tsx';
import { AxisLegend } from './axis-legend.tsx';
import { AxisTools, type ChangeRange } from './axis-tools.tsx';
import { BandRow } from './band-row.tsx';
import { axisRows, type AxisRow } from './bands.ts';
import { DecisionMarks } from './decision-marks.tsx';
import { LaneRow } from './lane-row.tsx';
import { ShareRow } from './share-row.tsx';
import type { Share } from '../../placement/shares.ts';
import type { Lane } from '../../pods/lanes.ts';
import { Playhead } from './playhead.tsx';
import type { TimeSpan } from '../../../components/gap-spans.ts';
import {
  panRange,
  percentAt,
  axisTicks,
  tickText,
  zoomRange,
  type TimeRange,
} from '../../../components/time-range.ts';

/** The contents of the axis. */
export interface Picture {
  lanes: readonly Lane[];
  /** The clusters of a spread Job. */
  shares: readonly Share[];
  spans: readonly TimeSpan[];
  decisions: readonly ListedDecision[];
  deadline: number | null;
  /** The time of the next attempt; null when it is not known. */
  next: number | null;
}

/** The height of a lane in pixels, as in the style sheet. */
const LANE_HEIGHT = 24;
const MOST_TICKS = 8;
/** The width of the playhead's label, in percent of the axis. */
const CLEAR = 8;
const [CLOSER, WIDER, MOVE] = [0.5, 2, 0.25];

/**
 * The life of a Job: one time axis over all lanes, with a playhead for the instant as of which the page shows the Job. `at` null:
 * now. Only the visible lanes are rendered.
 */
export function TimeAxis(props: {
  picture: Picture;
  /** The whole life of the Job, which the axis shows at first. */
  whole: TimeRange;
  at: number | null;
  onInstant: (at: number | null) => void;
  /** Keeps the chosen instant for a comparison. */
  onKeep: (at: number) => void;
  onPod: (pod: string) => void;
}): ReactElement {
  const { picture, whole, at, onInstant, onKeep, onPod } = props;
  const [zoom, setZoom] = useState<TimeRange | null>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const range = zoom ?? whole;
  const onZoom = useCallback<ChangeRange>((change) => setZoom((was) => change(was ?? whole)), [whole]);
  const { lanes, shares, spans, decisions, deadline, next } = picture;
  const instants = useMemo(
    () => decisions.map(({ recorded_at: recorded }) => Date.parse(recorded)),
    [decisions],
  );
  const scrolled = useRef<HTMLDivElement>(null);
  const axis = useMemo(() => axisRows(lanes, open, shares), [lanes, open, shares]);
  const mostIndexes = useMemo(
    () => Math.max(1, ...shares.flatMap(({ steps }) => steps.map(({ count }) => count))),
    [shares],
  );
  const rows = useVirtualizer({
    count: axis.length,
    getScrollElement: () => scrolled.current,
    estimateSize: () => LANE_HEIGHT,
    overscan: 8,
  });
  const background = <AxisBackground range={range} spans={spans} at={at} deadline={deadline} />;
  const playhead = at === null ? 100 : percentAt(range, at);
  const ticks = axisTicks(range, MOST_TICKS);
  const labelled = ticks.filter((tick) => Math.abs(percentAt(range, tick) - playhead) > CLEAR);
  return (
    <section className="panel axis" aria-label="Life of the Job">
      <AxisTools
        range={range}
        at={at}
        instants={instants}
        onZoom={onZoom}
        onInstant={onInstant}
        onKeep={onKeep}
      />
      <div
        className="picture"
        ref={scrolled}
        // The keyboard zooms and moves the axis.
        tabIndex={0}
        role="region"
        aria-label="Time axis: plus and minus zoom, left and right move, 0 shows all"
        onKeyDown={(event) => onKey(event, onZoom)}
        onWheel={(event) => onWheel(event, onZoom)}
      >
        <div className="lane ticks">
          <span className="label" />
          <div className="track">
            {labelled.map((tick) => (
              <span key={tick} className="tick" style={{ left: `${percentAt(range, tick)}%` }}>
                {tickText(tick, range)}
              </span>
            ))}
            <Playhead range={range} at={at} onInstant={onInstant} />
          </div>
        </div>
        <div className="lane">
          <span className="label">Job</span>
          <svg className="track" role="img" aria-label={`Waits, suspensions, ${decisions.length} decisions`}>
            {background}
            {spans
              .filter(({ kind }) => kind !== 'gap')
              .map((span) => (
                <SpanBar key={`${span.kind} ${span.from}`} range={range} span={span} />
              ))}
            <DecisionMarks range={range} decisions={decisions} />
          </svg>
        </div>
        <div className="lanes" style={{ height: rows.getTotalSize() }}>
          <svg className="grid" aria-hidden="true">
            {ticks.map((tick) => {
              const x = `${percentAt(range, tick)}%`;
              return <line key={tick} className="grid-line" x1={x} x2={x} y1="0" y2="100%" />;
            })}
          </svg>
          {rows.getVirtualItems().map(({ index, start }) => {
            const row = axis[index];
            return (
              row !== undefined && (
                <div
                  key={rowKey(row)}
                  className={row.kind === 'band' ? 'lane folded' : 'lane'}
                  style={{ position: 'absolute', transform: `translateY(${start}px)` }}
                >
                  {row.kind === 'share' && (
                    <ShareRow
                      share={row.share}
                      most={mostIndexes}
                      range={range}
                      at={at}
                      background={background}
                    />
                  )}
                  {row.kind === 'band' && (
                    <BandRow
                      band={row.band}
                      isOpen={row.isOpen}
                      range={range}
                      at={at}
                      background={background}
                      onToggle={() => setOpen(withToggled(open, row.band.key))}
                    />
                  )}
                  {row.kind === 'lane' && (
                    <LaneRow
                      lane={row.lane}
                      next={next}
                      range={range}
                      at={at}
                      background={background}
                      onPod={onPod}
                    />
                  )}
                </div>
              )
            );
          })}
        </div>
      </div>
      <AxisLegend hasShares={shares.length > 0} />
    </section>
  );
}

/** A key that identifies a row of the picture. */
function rowKey(row: AxisRow): string {
  if (row.kind === 'share') return `cluster ${row.share.cluster}`;
  return row.kind === 'band' ? row.band.key : row.lane.key;
}

/** The set with the key if it lacked the key, otherwise without it. */
function withToggled(open: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** Zooms or moves the axis by a key. */
function onKey(event: KeyboardEvent, onZoom: ChangeRange): void {
  // The playhead handles its own keys.
  if (event.target instanceof HTMLInputElement) return;
  const changed: Record<string, (range: TimeRange) => TimeRange | null> = {
    '+': (range) => zoomRange(range, CLOSER),
    '-': (range) => zoomRange(range, WIDER),
    ArrowLeft: (range) => panRange(range, -MOVE),
    ArrowRight: (range) => panRange(range, MOVE),
    '0': () => null,
  };
  const change = changed[event.key];
  if (change === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  onZoom(change);
}

/** Zooms around the pointer if the Control key is pressed; the wheel alone scrolls. */
function onWheel(event: WheelEvent, onZoom: ChangeRange): void {
  const track = event.currentTarget.querySelector('.track')?.getBoundingClientRect();
  if (!event.ctrlKey || track === undefined) return;
  const share = Math.min(1, Math.max(0, (event.clientX - track.left) / track.width));
  const factor = event.deltaY < 0 ? 1 / 1.25 : 1.25;
  onZoom((range) => zoomRange(range, factor, range.from + (range.to - range.from) * share));
}
