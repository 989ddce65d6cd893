import { isPromise, isStoreError, type Mutation, type Page, type Pages, type Store } from '@unikv/core'
import { type TracedCall, tracing } from './tracing.ts'

type Watched = Pick<Store<unknown>, 'name' | 'read' | 'write' | 'scan' | 'find'>

/** The same store, whose calls are published on the tracing channels while those have subscribers. */
export function tracedStore(inner: Store<unknown>): Watched {
  const { name, find } = inner
  return {
    name,
    read: (reads, call) => {
      if (!tracing.read.areHeard) return inner.read(reads, call)
      const message: TracedCall = { store: name, operation: 'read', items: reads.length }
      return tracing.read.trace(message, () => inner.read(reads, call), countsFailed(message))
    },
    write: (mutations, call) => {
      if (!tracing.write.areHeard) return inner.write(mutations, call)
      const message: TracedCall = { store: name, operation: typeOf(mutations), items: mutations.length }
      return tracing.write.trace(message, () => inner.write(mutations, call), countsFailed(message))
    },
    scan: (range, call) => tracedPages(inner.scan(range, call), name),
    ...(find !== undefined && {
      find: (query, call) => {
        if (!tracing.scan.areHeard) return find(query, call)
        const message: TracedCall = { store: name, operation: 'find', items: 0 }
        return tracing.scan.trace(
          message,
          () => find(query, call),
          ({ entries }) => {
            message.items = entries.length
            message.failed = 0
          },
        )
      },
    }),
  }
}

function countsFailed(message: TracedCall): (results: readonly unknown[]) => void {
  return (results) => {
    message.failed = results.filter(isStoreError).length
  }
}

function typeOf(mutations: readonly Mutation<unknown>[]): TracedCall['operation'] {
  const type = mutations[0]?.type ?? 'set'
  return mutations.every((mutation) => mutation.type === type) ? type : 'mixed'
}

/** Each step of the pages is a call. */
function tracedPages<V>(pages: Pages<V>, store: string): Pages<V> {
  if (!tracing.scan.areHeard) return pages
  const step = <R extends IteratorResult<Page<V>> | Promise<IteratorResult<Page<V>>>>(next: () => R): R => {
    const message: TracedCall = { store, operation: 'scan', items: 0 }
    return tracing.scan.trace<IteratorResult<Page<V>>>(message, next, ({ done, value }) => {
      if (done !== true && !isPromise(value)) message.items = value.entries.length
      message.failed = 0
    }) as R
  }
  if (Symbol.iterator in pages)
    return {
      [Symbol.iterator]: () => {
        const steps = pages[Symbol.iterator]()
        return {
          next: () => step(() => steps.next()),
          return: () => steps.return?.() ?? { done: true, value: undefined },
        }
      },
    }
  return {
    [Symbol.asyncIterator]: () => {
      const steps = pages[Symbol.asyncIterator]()
      return {
        next: () => step(() => steps.next()),
        return: async () => (await steps.return?.()) ?? { done: true, value: undefined },
      }
    },
  }
}
