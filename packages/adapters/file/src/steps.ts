import { type Awaitable, isPromise } from '@unikv/core'

/**
 * Work that is written once and runs both ways: over a file system that answers at once it ends without a
 * promise, over one that answers later it becomes a promise. Each step is one call of the file system.
 */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>

/** One step: the answer of a call, waited for if it is not at hand. */
export function* step<T>(answer: Awaitable<T>): Steps<T> {
  return isPromise(answer) ? ((yield answer) as T) : answer
}

/** Do the work. */
export function run<T>(work: Steps<T>): Awaitable<T> {
  return advance(work, () => work.next())
}

/** Do all of it side by side. The first error is thrown when every work has ended. */
export function* together<T>(works: readonly Awaitable<T>[]): Steps<T[]> {
  if (!works.some(isPromise)) return works as T[]
  const settled = (yield Promise.allSettled(works)) as PromiseSettledResult<T>[]
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}

function advance<T>(work: Steps<T>, resume: () => IteratorResult<Promise<unknown>, T>): Awaitable<T> {
  const { done, value } = resume()
  if (done === true) return value
  return value.then(
    (answer) => advance(work, () => work.next(answer)),
    (error: unknown) => advance(work, () => work.throw(error)),
  )
}
