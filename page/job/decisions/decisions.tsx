import { useState, type ReactElement } from 'react';
import type { ListedDecision } from '../../api/rows.ts';
import { Instant } from '../../components/instant.tsx';
import { Name } from '../../components/name.tsx';
import { Rule } from '../../components/rule.tsx';
import { AsOf } from '../../components/as-of.tsx';
import { isFolded, decisionSteps } from './decision-text.ts';

/** The largest number of decisions in the list; the playhead leads to earlier decisions. */
const MOST = 200;

/**
 * The decisions up to the chosen instant as text, the latest first; decisions that only updated counts are hidden at first.
 */
export function Decisions(props: {
  decisions: readonly ListedDecision[];
  at: number | null;
  onInstant: (at: number | null) => void;
}): ReactElement {
  const { decisions, at, onInstant } = props;
  const [hasAll, setAll] = useState(false);
  const made = decisions.filter(({ recorded_at: recorded }) => at === null || Date.parse(recorded) <= at);
  const folded = made.filter(isFolded).length;
  const shown = hasAll ? made : made.filter((decision) => !isFolded(decision));
  return (
    <section className="panel" aria-label="Decisions">
      <AsOf at={at} onNow={() => onInstant(null)} />
      {shown.length === 0 && <p className="muted">No decision yet.</p>}
      {shown.length > MOST && (
        <p className="muted">
          The latest {MOST} of {shown.length}; move the playhead for earlier ones.
        </p>
      )}
      <ol className="decisions">
        {shown
          .slice(-MOST)
          .reverse()
          .map((decision) => (
            <DecisionItem key={decision.id} decision={decision} hasAll={hasAll} onInstant={onInstant} />
          ))}
      </ol>
      {folded > 0 && (
        <button type="button" className="link" aria-pressed={hasAll} onClick={() => setAll(!hasAll)}>
          {hasAll
            ? 'Hide decisions that only updated counts'
            : `Show ${folded} more decisions that only updated counts`}
        </button>
      )}
    </section>
  );
}

/** A decision with its steps; `hasAll` also shows the steps that only updated counts. */
function DecisionItem(props: {
  decision: ListedDecision;
  hasAll: boolean;
  onInstant: (at: number) => void;
}): ReactElement {
  const { decision, hasAll, onInstant } = props;
  const steps = decisionSteps(decision).filter(
    ({ isBookkeeping, error }) => hasAll || !isBookkeeping || error !== null,
  );
  return (
    <li value={decision.number}>
      <button type="button" className="link" onClick={() => onInstant(Date.parse(decision.recorded_at))}>
        <Instant at={decision.recorded_at} isShort />
      </button>
      <ul>
        {steps.map(({ message, error }) => (
          <li key={message}>
            <Name text={message} />
            {error !== null && (
              <p className="failure">
                <Name text={error} />
              </p>
            )}
          </li>
        ))}
      </ul>
      <Rule rule={[...new Set(steps.flatMap(({ rule }) => rule ?? []))].join(', ') || null} />
    </li>
  );
}
