/** True when a pressed key at this element is text input. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) ||
      // The text of the editor is in a shadow tree, so the target of an event is its host.
      target.shadowRoot !== null)
  );
}
