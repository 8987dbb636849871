import type { ReactElement } from 'react';

/** The rule of a reason, or several rules with commas between them, which the user can show. */
export function Rule({ rule }: { rule: string | null }): ReactElement | null {
  if (rule === null) return null;
  return (
    <details className="rule">
      <summary>{rule.includes(',') ? 'The rules' : 'The rule'}</summary>
      <code>{rule}</code> <span className="muted small">of docs/rules.md</span>
    </details>
  );
}
