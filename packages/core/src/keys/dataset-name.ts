/**
 * The `dataset` of a store: what tells its records from those of all other stores. It must be the same in all processes
 * that open it, and hold no secret.
 */
export function datasetName(kind: string, ...places: readonly (string | number | undefined)[]): string {
  return [kind, ...places.filter((place) => place !== undefined)].join('/')
}
