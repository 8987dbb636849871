/** The Jobs that are chosen for an action. */
export interface Selection {
  keys: ReadonlySet<string>;
  toggle: (key: string) => void;
}
