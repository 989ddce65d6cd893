/** Whether this is the URL of a store, and not a name: `memory:`, `redis://host`. */
export function isUrl(place: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(place)
}
