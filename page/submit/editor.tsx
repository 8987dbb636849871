import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { tags } from '@lezer/highlight';
import { basicSetup, EditorView } from 'codemirror';
import { useEffect, useEffectEvent, useRef, type ReactElement } from 'react';
import { fieldsAt, pathAt } from './job-fields.ts';
import type { ManifestFinding } from './manifest.ts';

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--brand)' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--muted)' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--muted)' },
]);

const THEME = EditorView.theme({
  '&': { border: '1px solid var(--line)', backgroundColor: 'var(--panel)', color: 'var(--ink)' },
  '.cm-scroller': { minHeight: '18rem', maxHeight: '60vh', overflow: 'auto' },
  '.cm-content, .cm-gutters': { fontFamily: 'ui-monospace, monospace' },
  '.cm-gutters': { backgroundColor: 'var(--background)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-tooltip': { backgroundColor: 'var(--background)', color: 'var(--ink)' },
});

/**
 * A YAML editor that completes the fields of a Job. `initial` is the first text. The editor shows the `findings` until the text changes.
 */
export function Editor(props: {
  label: string;
  initial: string;
  findings: readonly ManifestFinding[];
  onChange: (text: string) => void;
}): ReactElement {
  const { label, initial, findings, onChange } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const changed = useEffectEvent(onChange);
  useEffect(() => {
    if (host.current === null) return undefined;
    // The editor is in a shadow root, where it adds its styles without inline elements, which the page's policy forbids.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const view = new EditorView({
      root,
      parent: root,
      doc: initial,
      extensions: [
        basicSetup,
        yaml(),
        autocompletion({ override: [completions] }),
        lintGutter(),
        syntaxHighlighting(COLOURS),
        THEME,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) changed(state.doc.toString());
        }),
      ],
    });
    editor.current = view;
    return () => view.destroy();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the text belongs to the editor once it is made
  }, []);
  useEffect(() => {
    const view = editor.current;
    if (view === null) return;
    const end = view.state.doc.length;
    const diagnostics = findings.map(({ from, to, message }) => ({
      from: Math.min(from, end),
      to: Math.min(to, end),
      message,
      severity: 'error' as const,
    }));
    view.dispatch(setDiagnostics(view.state, diagnostics));
  }, [findings]);
  return <div ref={host} className="editor" />;
}

/** The fields that a manifest may have at the cursor. */
function completions(context: CompletionContext): CompletionResult | null {
  const { text, from: lineStart } = context.state.doc.lineAt(context.pos);
  const before = text.slice(0, context.pos - lineStart);
  const typed = /^[ -]*([\w]*)$/.exec(before)?.[1];
  if (typed === undefined || (typed === '' && !context.explicit)) return null;
  const from = context.pos - typed.length;
  const fields = fieldsAt(pathAt(context.state.sliceDoc(0, context.pos), from));
  if (fields.length === 0) return null;
  return {
    from,
    options: fields.map(({ name, type, isNested }) => ({
      label: name,
      detail: type,
      type: 'property',
      apply: isNested ? `${name}:` : `${name}: `,
    })),
  };
}
