/** The stored views of the fleet: the query of each address by the name that the user has given. */
export type SavedViews = Readonly<Record<string, string>>;

const KEY = 'jobledger-views';

/** The views in a stored text; empty if the text is not one of this page. */
export function viewsIn(text: string | null): SavedViews {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return {};
  }
}

/** The views that this browser stores. */
export function savedViews(): SavedViews {
  return viewsIn(localStorage.getItem(KEY));
}

/** Stores the views in this browser. */
export function saveViews(views: SavedViews): void {
  localStorage.setItem(KEY, JSON.stringify(views));
}
