import { useVirtualizer } from '@tanstack/react-virtual';
import {
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type WheelEvent,
} from 'react';
import type { ListedDecision } from '../api/rows.ts';
import { duration, localInstant, localTime } from '../words/instants.ts';
import { Name } from '../words/name.tsx';
import { BandRow } from './band-row.tsx';
import { axisRows } from './bands.ts';
import { podWordAt, type Lane, type LanePod } from './lanes.ts';
import type { TimeSpan } from './spans.ts';
import { panned, percentAt, percentsOf, ticksOf, zoomed, type TimeRange } from './time-range.ts';

/** The contents of the axis. */
export interface Picture {
  lanes: readonly Lane[];
  spans: readonly TimeSpan[];
  decisions: readonly ListedDecision[];
  deadline: number | null;
}

/** Pixels; the style sheet has the same height. */
const LANE_HEIGHT = 24;
const MOST_TICKS = 8;
const [CLOSER, WIDER, MOVE] = [0.5, 2, 0.25];

/** The life of a Job: one time axis over all lanes. Only the visible lanes are rendered. */
export function TimeAxis(props: {
  picture: Picture;
  /** The whole life, which is shown at first. */
  whole: TimeRange;
  at: number | null;
  onPod: (pod: string) => void;
}): ReactElement {
  const { picture, whole, at, onPod } = props;
  const [zoom, onZoom] = useState<TimeRange | null>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const range = zoom ?? whole;
  const { lanes, spans, decisions, deadline } = picture;
  const scrolled = useRef<HTMLDivElement>(null);
  const axis = useMemo(() => axisRows(lanes, open), [lanes, open]);
  const rows = useVirtualizer({
    count: axis.length,
    getScrollElement: () => scrolled.current,
    estimateSize: () => LANE_HEIGHT,
    overscan: 8,
  });
  const background = <Background range={range} spans={spans} at={at} deadline={deadline} />;
  return (
    <section className="axis" aria-label="Life of the Job">
      <ZoomButtons range={range} onZoom={onZoom} />
      <div
        className="picture"
        ref={scrolled}
        // Zoomed and moved by keyboard.
        tabIndex={0}
        role="region"
        aria-label="Time axis: plus and minus zoom, left and right move, 0 shows all"
        onKeyDown={(event) => onKey(event, range, onZoom)}
        onWheel={(event) => onWheel(event, range, onZoom)}
      >
        <div className="lane ticks">
          <span className="label">time</span>
          <div className="track">
            {ticksOf(range, MOST_TICKS).map((tick) => (
              <span key={tick} className="tick" style={{ left: `${percentAt(range, tick)}%` }}>
                {localTime(tick)}
              </span>
            ))}
          </div>
        </div>
        <div className="lane">
          <span className="label">Job</span>
          <svg className="track" role="img" aria-label={`Waits, suspensions, ${decisions.length} decisions`}>
            {background}
            {spans.map((span) => (
              <SpanBar key={`${span.kind} ${span.from}`} range={range} span={span} />
            ))}
            <DecisionMarks range={range} decisions={decisions} />
          </svg>
        </div>
        <div className="lanes" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const row = axis[index];
            return (
              row !== undefined && (
                <div
                  key={row.kind === 'band' ? row.band.key : row.lane.key}
                  className={row.kind === 'band' ? 'lane folded' : 'lane'}
                  style={{ position: 'absolute', transform: `translateY(${start}px)` }}
                >
                  {row.kind === 'band' ? (
                    <BandRow
                      band={row.band}
                      isOpen={row.isOpen}
                      range={range}
                      at={at}
                      background={background}
                      onToggle={() => setOpen(toggled(open, row.band.key))}
                    />
                  ) : (
                    <LaneRow lane={row.lane} range={range} at={at} background={background} onPod={onPod} />
                  )}
                </div>
              )
            );
          })}
        </div>
      </div>
      <Legend />
    </section>
  );
}

function toggled(open: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(key)) next.add(key);
  return next;
}

function LaneRow(props: {
  lane: Lane;
  range: TimeRange;
  at: number | null;
  background: ReactNode;
  onPod: (pod: string) => void;
}): ReactElement {
  const { lane, range, at, background, onPod } = props;
  return (
    <>
      <span className="label">
        <Name text={lane.label} />
      </span>
      <svg className="track" role="group" aria-label={`Pods of ${lane.label.slice(0, 100)}`}>
        {background}
        {lane.pods.map((pod) => (
          <PodBars key={pod.uid} pod={pod} range={range} at={at} onPod={onPod} />
        ))}
      </svg>
    </>
  );
}

function onKey(event: KeyboardEvent, range: TimeRange, onZoom: (range: TimeRange | null) => void): void {
  const changed: Record<string, () => TimeRange | null> = {
    '+': () => zoomed(range, CLOSER),
    '-': () => zoomed(range, WIDER),
    ArrowLeft: () => panned(range, -MOVE),
    ArrowRight: () => panned(range, MOVE),
    '0': () => null,
  };
  const change = changed[event.key];
  if (change === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  onZoom(change());
}

/** Control with the wheel zooms around the pointer; the wheel alone scrolls. */
function onWheel(event: WheelEvent, range: TimeRange, onZoom: (range: TimeRange) => void): void {
  const track = event.currentTarget.querySelector('.track')?.getBoundingClientRect();
  if (!event.ctrlKey || track === undefined) return;
  const share = (event.clientX - track.left) / track.width;
  const around = range.from + (range.to - range.from) * Math.min(1, Math.max(0, share));
  onZoom(zoomed(range, event.deltaY < 0 ? 1 / 1.25 : 1.25, around));
}

function ZoomButtons(props: { range: TimeRange; onZoom: (range: TimeRange | null) => void }): ReactElement {
  const { range, onZoom } = props;
  const buttons: [string, TimeRange | null][] = [
    ['zoom in', zoomed(range, CLOSER)],
    ['zoom out', zoomed(range, WIDER)],
    ['earlier', panned(range, -MOVE)],
    ['later', panned(range, MOVE)],
    ['whole life', null],
  ];
  return (
    <p className="buttons">
      {buttons.map(([words, next]) => (
        <button type="button" key={words} onClick={() => onZoom(next)}>
          {words}
        </button>
      ))}
      <span>{duration(range.to - range.from)} shown</span>
    </p>
  );
}

/** The marks across all lanes: gaps, the deadline, the chosen instant and the time after it. */
function Background(props: {
  range: TimeRange;
  spans: readonly TimeSpan[];
  at: number | null;
  deadline: number | null;
}): ReactElement {
  const { range, spans, at, deadline } = props;
  const later = at === null ? null : percentsOf(range, { from: at, to: null });
  return (
    <>
      {spans
        .filter(({ kind }) => kind === 'gap')
        .map((span) => (
          <SpanBar key={span.from} range={range} span={span} />
        ))}
      {deadline !== null && <Line className="deadline" range={range} at={deadline} words="active deadline" />}
      {later !== null && (
        <rect className="later" x={`${later.start}%`} width={`${later.width}%`} height="100%" />
      )}
      {at !== null && <Line className="instant" range={range} at={at} words="as of" />}
    </>
  );
}

function Line(props: { className: string; range: TimeRange; at: number; words: string }): ReactElement {
  const x = `${percentAt(props.range, props.at)}%`;
  return (
    <line className={props.className} x1={x} x2={x} y1="0" y2="100%">
      <title>{`${props.words}: ${localInstant(props.at)}`}</title>
    </line>
  );
}

function SpanBar({ range, span }: { range: TimeRange; span: TimeSpan }): ReactElement | null {
  const place = percentsOf(range, span);
  if (place === null) return null;
  const end = span.to === null ? 'open' : localInstant(span.to);
  return (
    <rect
      className={`span-${span.kind}`}
      x={`${place.start}%`}
      width={`${place.width}%`}
      y="15%"
      height="70%"
    >
      <title>{`${span.words}: ${localInstant(span.from)} to ${end}`}</title>
    </rect>
  );
}

/** More marks than this become one line of points without words; zooming in restores them. */
const MOST_MARKS = 100;

function DecisionMarks(props: { range: TimeRange; decisions: readonly ListedDecision[] }): ReactElement {
  const { range, decisions } = props;
  const marks = useMemo(
    () => decisions.map((decision) => ({ decision, at: Date.parse(decision.recorded_at) })),
    [decisions],
  );
  const visible = marks.filter(({ at }) => at >= range.from && at <= range.to);
  if (visible.length > MOST_MARKS)
    return (
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" width="100%" height="100%">
        <path
          className="decisions"
          d={visible.map(({ at }) => `M${percentAt(range, at).toFixed(2)} 0.5h0`).join('')}
        />
      </svg>
    );
  return (
    <>
      {visible.map(({ decision }) => (
        <DecisionMark key={decision.id} range={range} decision={decision} />
      ))}
    </>
  );
}

function DecisionMark({ range, decision }: { range: TimeRange; decision: ListedDecision }): ReactElement {
  const reasons = decision.commands.map(({ kind, words, rule }) => `${kind}: ${words} [${rule}]`);
  return (
    <circle className="decision" cx={`${percentAt(range, Date.parse(decision.recorded_at))}%`} cy="50%" r="4">
      <title>{[`decision ${decision.number}`, ...reasons].join('\n')}</title>
    </circle>
  );
}

/** A pod as of the chosen instant: bars for what it did, and a mark with its exit code. */
function PodBars(props: {
  pod: LanePod;
  range: TimeRange;
  at: number | null;
  onPod: (pod: string) => void;
}): ReactElement | null {
  const { pod, range, at, onPod } = props;
  const { name, segments, end } = pod;
  const word = podWordAt(pod, at ?? Number.POSITIVE_INFINITY);
  if (word === null) return null;
  const hasEnded = end !== null && (at === null || end.at <= at);
  return (
    <g
      className="pod"
      role="button"
      tabIndex={0}
      aria-label={`${name.slice(0, 200)}, ${word}: why?`}
      onClick={() => onPod(name)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') onPod(name);
      }}
    >
      <title>{`${name}: ${word}`}</title>
      {segments
        .filter(({ from }) => at === null || from <= at)
        .map(({ kind, from, to }) => {
          const until = at === null ? (to ?? Math.min(range.to, Date.now())) : Math.min(to ?? at, at);
          const place = percentsOf(range, { from, to: until });
          return (
            place !== null && (
              <rect
                key={kind}
                className={`pod-${kind}`}
                x={`${place.start}%`}
                width={`${Math.max(0.2, place.width)}%`}
                y="20%"
                height="60%"
              />
            )
          );
        })}
      {hasEnded && (
        <text
          className={end.isFailure ? 'end failed' : 'end'}
          x={`${percentAt(range, end.at)}%`}
          y="50%"
          dx="3"
          dominantBaseline="central"
        >
          {end.isFailure ? '✕' : '✓'} {end.words.slice(0, 40)}
        </text>
      )}
    </g>
  );
}

const LEGEND = [
  ['pod-pending', 'pod pending'],
  ['pod-running', 'running'],
  ['pod-ready', 'ready'],
  ['band-failed', 'failed, in a band'],
  ['span-wait', 'waits'],
  ['span-suspension', 'suspended'],
  ['span-gap', 'not seen'],
  ['decision', 'decision'],
] as const;

function Legend(): ReactElement {
  return (
    <ul className="legend" aria-label="Legend">
      {LEGEND.map(([kind, words]) => (
        <li key={kind}>
          <svg width="16" height="12" aria-hidden="true">
            <rect className={kind} width="16" height="12" />
          </svg>
          {words}
        </li>
      ))}
    </ul>
  );
}
