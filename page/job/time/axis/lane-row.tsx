import type { ReactElement, ReactNode } from 'react';
import { localInstant } from '../../../components/instants.ts';
import { Name } from '../../../components/name.tsx';
import { laneBackOffs, podTextAt, type Lane, type LanePod } from '../../pods/lanes.ts';
import { percentAt, spanPercents, type TimeRange } from '../../../components/time-range.ts';

/** A row for one index, with its attempts and back-offs, or for one pod. */
export function LaneRow(props: {
  lane: Lane;
  /** The time of the next attempt; null when it is not known. */
  next: number | null;
  range: TimeRange;
  at: number | null;
  background: ReactNode;
  onPod: (pod: string) => void;
}): ReactElement {
  const { lane, next, range, at, background, onPod } = props;
  return (
    <>
      <span className="label">
        <Name text={lane.label} />
      </span>
      <svg className="track" role="group" aria-label={`Pods of ${lane.label.slice(0, 100)}`}>
        {background}
        {laneBackOffs(lane, next).map(({ from, to }) => {
          if (at !== null && from > at) return null;
          const place = spanPercents(range, { from, to });
          return (
            place !== null && (
              <rect
                key={from}
                className="back-off"
                x={`${place.start}%`}
                width={`${place.width}%`}
                y="42%"
                height="16%"
              >
                <title>{`back-off until ${to === null ? 'the next attempt' : localInstant(to)}`}</title>
              </rect>
            )
          );
        })}
        {lane.pods.map((pod, place) => (
          <PodBars
            key={pod.uid}
            pod={pod}
            hasRoom={isRoomFor(range, pod, lane.pods[place + 1])}
            range={range}
            at={at}
            onPod={onPod}
          />
        ))}
      </svg>
    </>
  );
}

/** The width of an exit code, in percent of the axis. */
const CODE = 8;

/** True when an exit code fits between a pod and the next pod of its lane. */
function isRoomFor(range: TimeRange, { end }: LanePod, next: LanePod | undefined): boolean {
  const begin = next?.segments[0]?.from;
  return begin === undefined || end === null || percentAt(range, begin) - percentAt(range, end.at) > CODE;
}

/** A pod as of the chosen instant: a bar in the colour of its outcome, with the exit code of a failed pod. */
function PodBars(props: {
  pod: LanePod;
  hasRoom: boolean;
  range: TimeRange;
  at: number | null;
  onPod: (pod: string) => void;
}): ReactElement | null {
  const { pod, hasRoom, range, at, onPod } = props;
  const { name, segments, end } = pod;
  const word = podTextAt(pod, at ?? Number.POSITIVE_INFINITY);
  if (word === null) return null;
  const hasEnded = end !== null && (at === null || end.at <= at);
  const outcome = hasEnded ? pod.outcome : 'open';
  return (
    <>
      <g
        className={`pod pod-${outcome}`}
        role="button"
        tabIndex={0}
        aria-label={`${name.slice(0, 200)}: ${word}, why?`}
        onClick={() => onPod(name)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' || event.key === ' ') onPod(name);
        }}
      >
        <title>{`${name.slice(0, 200)}: ${word}`}</title>
        {segments
          .filter(({ from }) => at === null || from <= at)
          .map(({ kind, from, to }) => {
            const until = at === null ? (to ?? Math.min(range.to, Date.now())) : Math.min(to ?? at, at);
            const place = spanPercents(range, { from, to: until });
            return (
              place !== null && (
                <rect
                  key={kind}
                  className={kind === 'pending' ? 'pod-pending' : 'pod-run'}
                  x={`${place.start}%`}
                  width={`${Math.max(0.2, place.width)}%`}
                  y="22%"
                  height="56%"
                  rx="2"
                />
              )
            );
          })}
      </g>
      {hasEnded && hasRoom && end.code !== '' && (
        <text
          aria-hidden="true"
          className="exit"
          x={`${percentAt(range, end.at)}%`}
          y="50%"
          dx="4"
          dominantBaseline="central"
        >
          {end.code.slice(0, 20)}
        </text>
      )}
    </>
  );
}
