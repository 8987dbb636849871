import type { ReactElement } from 'react';

/** a text from another author, in its own writing direction; the style sheet cuts long ones. */
export function Name({ text }: { text: string }): ReactElement {
  return (
    <bdi className="name" title={text.slice(0, 1000)}>
      {text}
    </bdi>
  );
}
