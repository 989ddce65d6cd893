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
  const { done, value } = work.next()
  return done === true ? value : follow(work, value)
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

/** Go on from step to step. One promise for all of them: of a chain, each would have to wait for the next at the end. */
function follow<T>(work: Steps<T>, first: Promise<unknown>): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail: (error: unknown) => void = reject
    const onAnswer = (answer: unknown): void => goOn(() => work.next(answer))
    const onError = (error: unknown): void => goOn(() => work.throw(error))
    const goOn = (resume: () => IteratorResult<Promise<unknown>, T>): void => {
      try {
        const { done, value } = resume()
        if (done === true) resolve(value)
        else value.then(onAnswer, onError)
      } catch (error) {
        fail(error)
      }
    }
    first.then(onAnswer, onError)
  })
}
