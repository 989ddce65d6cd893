/** The two ends of a promise that somebody else will settle. */
export interface Deferred<T> {
  resolve: (value: T) => void
  reject: (error: unknown) => void
}

/**
 * A promise whose ends are put into `deferred`: `Promise.withResolvers`, which Node 20 lacks, without an object and
 * a closure of its own, as every call that waits takes one.
 */
export function promiseFor<T>(deferred: Deferred<T>): Promise<T> {
  const promise = new Promise<T>(keepEnds)
  deferred.resolve = latest.resolve as Deferred<T>['resolve']
  deferred.reject = latest.reject
  return promise
}

/** What stands in a `Deferred` until `promiseFor` fills it. */
export function unset(): void {}

const latest: Deferred<never> = { resolve: unset, reject: unset }

function keepEnds(resolve: (value: never) => void, reject: (error: unknown) => void): void {
  latest.resolve = resolve
  latest.reject = reject
}
