import type { ReactElement } from 'react';

/** The rule behind a reason, which opens on demand; its words are beside it. */
export function Rule({ rule }: { rule: string | null }): ReactElement | null {
  if (rule === null) return null;
  return (
    <details className="rule">
      <summary>The rule</summary>
      <code>{rule}</code> <span className="muted small">of docs/rules.md</span>
    </details>
  );
}
