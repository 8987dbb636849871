import type { ReactElement } from 'react';

/** A text that this page has not written, in its own writing direction; the style sheet cuts long texts. */
export function Name({ text }: { text: string }): ReactElement {
  return (
    <bdi className="name" title={text.slice(0, 1000)}>
      {text}
    </bdi>
  );
}
