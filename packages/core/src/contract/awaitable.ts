/**
 * A value at hand or a promise of it. A store that has the answer answers without a promise; every layer keeps
 * it so, which is what makes a cached read cost nanoseconds.
 */
export type Awaitable<T> = T | Promise<T>

/** Whether an answer is still under way. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | undefined | null)?.then === 'function'
}

/**
 * Whether the results of a verb are at hand. They are an array then, and to ask that costs next to nothing, whereas
 * `isPromise` asks values of many kinds for a property that few of them have.
 */
export function areAtHand<T>(results: Awaitable<readonly T[]>): results is readonly T[] {
  return Array.isArray(results)
}

/** Apply `next` to an answer, at once if it is at hand. A promise of another kind may have no more than `then`. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value)
}
