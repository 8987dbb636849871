import { useState, type ReactElement } from 'react';

/** A line of text with a button that copies it. */
export function CopyableText({ text }: { text: string }): ReactElement {
  const [isCopied, setCopied] = useState(false);
  return (
    <span className="copied">
      <code>{text}</code>
      <button
        type="button"
        className="link"
        aria-label={`Copy ${text}`}
        onClick={() =>
          void navigator.clipboard.writeText(text).then(
            () => setCopied(true),
            () => undefined,
          )
        }
      >
        {isCopied ? 'copied' : 'copy'}
      </button>
    </span>
  );
}
