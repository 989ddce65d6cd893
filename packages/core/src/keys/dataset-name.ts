/**
 * The `dataset` of a store: what tells its records from those of all other stores. It must be the same in all processes
 * that open it, and hold no secret.
 */
export function datasetName(kind: string, ...places: readonly (string | number | undefined)[]): string {
  return [kind, ...places.filter((place) => place !== undefined)].join('/')
}

/** Where a store in files keeps its records, from the name of its dataset. `undefined`: it is on a server, or in memory. */
export function diskPlaceOf(
  dataset: string | undefined,
): { readonly kind: string; readonly path: string; readonly table: string } | undefined {
  const [, kind, path, table] = /^(file|lmdb|sqlite)\/(.*)\/([^/]*)$/s.exec(dataset ?? '') ?? []
  return kind === undefined || path === undefined || table === undefined ? undefined : { kind, path, table }
}
