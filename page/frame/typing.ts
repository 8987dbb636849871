/** True when keys at this place are text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) ||
      // The editor's text lies in a shadow tree.
      target.shadowRoot !== null)
  );
}
