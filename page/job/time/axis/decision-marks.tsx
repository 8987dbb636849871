import { useMemo, type ReactElement } from 'react';
import type { ListedDecision } from '../../../api/rows.ts';
import { decisionSteps } from '../../decisions/decision-text.ts';
import { percentAt, type TimeRange } from '../../../components/time-range.ts';

/** The largest number of single marks; more marks become a line of points without texts, and the single marks return when the user zooms in. */
const MOST_MARKS = 100;

/** Marks at the times of the decisions. */
export function DecisionMarks(props: {
  range: TimeRange;
  decisions: readonly ListedDecision[];
}): ReactElement {
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

/** The mark of a decision; its tooltip lists the steps of the decision. */
function DecisionMark({ range, decision }: { range: TimeRange; decision: ListedDecision }): ReactElement {
  const texts = decisionSteps(decision).map((step) => step.message);
  return (
    <circle
      className="decision"
      cx={`${percentAt(range, Date.parse(decision.recorded_at))}%`}
      cy="50%"
      r="3.5"
    >
      <title>{texts.join('\n')}</title>
    </circle>
  );
}
