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
  deferred.resolve = latestResolve
  deferred.reject = latestReject
  return promise
}

// Those of the promise that is being made.
let latestResolve: (value: any) => void // oxlint-disable-line no-explicit-any -- of any promise
let latestReject: (error: unknown) => void

function keepEnds(resolve: typeof latestResolve, reject: (error: unknown) => void): void {
  latestResolve = resolve
  latestReject = reject
}
