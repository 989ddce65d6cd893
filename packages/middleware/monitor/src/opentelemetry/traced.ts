import { type Awaitable, andThen, areAtHand, type Found, type Mutation, type Store } from '@unikv/core'
import { endingByError, endingOf, endingOfReads } from './endings.ts'
import type { Ending, ObservedCall, Telemetry } from './telemetry.ts'
import { tracedPages } from './traced-pages.ts'

/** The verbs of a store, each call in a span. */
export function traced(
  inner: Store<unknown>,
  telemetry: Telemetry,
): Pick<Store<unknown>, 'read' | 'write' | 'scan' | 'find'> {
  const { find } = inner
  return {
    read: (reads, call) =>
      telemetry.isOn
        ? observed(
            telemetry.start('read', reads.length),
            () => inner.read(reads, call),
            (results) => endingOfReads(results, reads, call),
          )
        : inner.read(reads, call),
    write: (mutations, call) =>
      telemetry.isOn
        ? observed(
            telemetry.start(operationOf(mutations), mutations.length),
            () => inner.write(mutations, call),
            endingOf,
          )
        : inner.write(mutations, call),
    scan: (range, call) =>
      telemetry.isOn
        ? tracedPages(
            () => inner.scan(range, call),
            () => telemetry.start('scan', 1),
          )
        : inner.scan(range, call),
    ...(find !== undefined && {
      find: (query, call) => {
        if (!telemetry.isOn) return find(query, call)
        const one = (): Awaitable<readonly Found<unknown>[]> => andThen(find(query, call), (found) => [found])
        return andThen(
          observed(telemetry.start('find', 1), one, endingOfFind),
          ([found]) => found as Found<unknown>,
        )
      },
    }),
  }
}

function endingOfFind([found]: readonly Found<unknown>[]): Ending {
  return { failed: 0, code: undefined, facts: { 'db.response.returned_rows': found?.entries.length ?? 0 } }
}

function observed<R>(
  call: ObservedCall,
  run: () => Awaitable<readonly R[]>,
  ending: (results: readonly R[]) => Ending,
): Awaitable<readonly R[]> {
  const answered = (results: readonly R[]): readonly R[] => {
    call.end(ending(results))
    return results
  }
  const failed = (error: unknown): never => {
    call.end(endingByError(error))
    throw error
  }
  let answer: Awaitable<readonly R[]>
  try {
    answer = call.within(run)
  } catch (error) {
    return failed(error)
  }
  return areAtHand(answer) ? answered(answer) : answer.then(answered, failed)
}

/** The type that all mutations have; `''`: they have several. */
function operationOf(mutations: readonly Mutation<unknown>[]): string {
  const type = mutations[0]?.type ?? 'set'
  return mutations.every((mutation) => mutation.type === type) ? type : ''
}
