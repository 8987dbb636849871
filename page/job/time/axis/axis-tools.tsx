import { Tooltip } from '@mantine/core';
import { memo, type ReactElement, type ReactNode } from 'react';
import { duration, localInstant } from '../../../components/instants.ts';
import { panRange, zoomRange, type TimeRange } from '../../../components/time-range.ts';
import { stepFrom, usePlay } from './use-play.ts';

const [CLOSER, WIDER, MOVE] = [0.5, 2, 0.25];

/** Changes the range of the axis; null means the whole life of the Job. */
export type ChangeRange = (change: (range: TimeRange) => TimeRange | null) => void;

interface Steps {
  at: number | null;
  /** The instants of the decisions. */
  instants: readonly number[];
  onInstant: (at: number | null) => void;
  onKeep: (at: number) => void;
}

/** The buttons that move the playhead from decision to decision, and that zoom the axis. */
export function AxisTools(props: Steps & { range: TimeRange; onZoom: ChangeRange }): ReactElement {
  const { range, onZoom, at, instants, onInstant, onKeep } = props;
  return (
    <div className="axis-tools">
      <StepTools at={at} instants={instants} onInstant={onInstant} onKeep={onKeep} />
      <div className="tool-group zoom" role="group" aria-label="Zoom">
        <span className="muted small">{duration(range.to - range.from)} shown</span>
        <ZoomTools onZoom={onZoom} />
      </div>
    </div>
  );
}

// This component is memoized, because its tooltips take most of the time of a redraw at a zoom step.
const StepTools = memo(function StepTools({ at, instants, onInstant, onKeep }: Steps): ReactElement {
  const play = usePlay({ at, instants, onChange: onInstant });
  // Stops the player, and moves the playhead to an instant.
  const choose = (next: number | null): void => {
    play.stop();
    onInstant(next);
  };
  const [previous, next] = [stepFrom(instants, at, 'previous'), stepFrom(instants, at, 'next')];
  return (
    <>
      <div className="tool-group" role="group" aria-label="Playhead">
        <ToolButton message="previous decision" disabled={previous === null} onClick={() => choose(previous)}>
          ◀
        </ToolButton>
        <ToolButton
          message={play.isPlaying ? 'pause' : 'play'}
          pressed={play.isPlaying}
          disabled={instants.length === 0}
          onClick={play.toggle}
        >
          {play.isPlaying ? '❚❚' : '►'}
        </ToolButton>
        <ToolButton message="next decision" disabled={next === null} onClick={() => choose(next)}>
          ▶
        </ToolButton>
        <ToolButton message="now" pressed={at === null} onClick={() => choose(null)}>
          now
        </ToolButton>
        <ToolButton
          message="keep to compare"
          disabled={at === null}
          onClick={() => at !== null && onKeep(at)}
        >
          compare
        </ToolButton>
      </div>
      <output aria-live={play.isPlaying ? 'off' : 'polite'}>
        {at === null ? 'as of now' : <>as of {localInstant(at)}</>}
      </output>
    </>
  );
});

const ZoomTools = memo(function ZoomTools({ onZoom }: { onZoom: ChangeRange }): ReactElement {
  return (
    <>
      <ToolButton message="earlier" onClick={() => onZoom((range) => panRange(range, -MOVE))}>
        ←
      </ToolButton>
      <ToolButton message="later" onClick={() => onZoom((range) => panRange(range, MOVE))}>
        →
      </ToolButton>
      <ToolButton message="zoom out" onClick={() => onZoom((range) => zoomRange(range, WIDER))}>
        −
      </ToolButton>
      <ToolButton message="zoom in" onClick={() => onZoom((range) => zoomRange(range, CLOSER))}>
        +
      </ToolButton>
      <ToolButton message="show all" onClick={() => onZoom(() => null)}>
        all
      </ToolButton>
    </>
  );
});

/** A button with a tooltip. */
function ToolButton(props: {
  message: string;
  pressed?: boolean;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}): ReactElement {
  const { message, pressed, disabled = false, onClick, children } = props;
  return (
    <Tooltip label={message} disabled={children === message}>
      <button
        type="button"
        className="tool"
        aria-label={message}
        aria-pressed={pressed}
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </button>
    </Tooltip>
  );
}
