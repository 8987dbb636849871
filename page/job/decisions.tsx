import type { ReactElement } from 'react';
import type { ListedDecision } from '../api/rows.ts';
import { Instant } from '../words/instant.tsx';
import { Name } from '../words/name.tsx';
import { Rule } from './status.tsx';

/** The most decisions in the list; the slider leads to the others. */
const MOST = 200;

/** The decisions by the chosen instant, the latest first, each with its reasons in words. */
export function Decisions(props: {
  decisions: readonly ListedDecision[];
  at: number | null;
  onInstant: (at: number) => void;
}): ReactElement {
  const { decisions, at, onInstant } = props;
  const made = decisions.filter(({ recorded_at: recorded }) => at === null || Date.parse(recorded) <= at);
  return (
    <section aria-labelledby="decisions">
      <h2 id="decisions">Decisions</h2>
      {made.length === 0 && <p>none</p>}
      {made.length > MOST && (
        <p>
          The latest {MOST} of {made.length}; move the slider for earlier ones.
        </p>
      )}
      <ol className="decisions">
        {made
          .slice(-MOST)
          .reverse()
          .map((decision) => (
            <li key={decision.id} value={decision.number}>
              <button type="button" onClick={() => onInstant(Date.parse(decision.recorded_at))}>
                <Instant at={decision.recorded_at} />
              </button>
              <Reasons decision={decision} />
            </li>
          ))}
      </ol>
    </section>
  );
}

function Reasons({ decision }: { decision: ListedDecision }): ReactElement {
  const { commands, waiting_words: waiting, waiting_rule: rule, look_again_at: look } = decision;
  return (
    <ul>
      {commands.map((command) => (
        <li key={`${command.kind} ${command.rule} ${command.words}`}>
          {command.kind}: <Name text={command.words} /> <Rule rule={command.rule} />
          {command.error !== null && (
            <span className="failure">
              {' '}
              <Name text={command.error} />
            </span>
          )}
        </li>
      ))}
      {waiting !== null && (
        <li>
          waits: <Name text={waiting} /> <Rule rule={rule} />
          {look !== null && (
            <>
              , looks again at <Instant at={look} />
            </>
          )}
        </li>
      )}
    </ul>
  );
}
