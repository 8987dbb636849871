import type { ReactElement } from 'react';

/** A text that somebody else chose, in its own direction of writing; a long one is cut by the style sheet. */
export function Name({ text }: { text: string }): ReactElement {
  return (
    <bdi className="name" title={text.slice(0, 1000)}>
      {text}
    </bdi>
  );
}
