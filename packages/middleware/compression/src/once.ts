/** Remembers what `load` gave; what it threw is thrown anew by each call. */
export function once<T>(load: () => T): () => T {
  let loaded: T | undefined
  return () => (loaded ??= load())
}
