import type { Awaitable, Capabilities, Page, Pages, Store } from '@unikv/core'

/** A store that counts what it is asked and can keep its callers waiting. */
export interface Observed {
  readonly store: Store<unknown>
  /** Calls of the verbs so far. */
  readonly calls: number
  /** Items of each call so far. */
  readonly sizes: readonly number[]
  /** From now on calls wait, after they were noted, until `release`. */
  readonly hold: () => void
  /** Calls from now on pass; those that wait go on waiting until `release`. */
  readonly pass: () => void
  readonly release: () => void
}

/** Watch a store. It behaves as the store itself, with these capabilities in place of its own. */
export function observed(inner: Store<unknown>, capabilities: Partial<Capabilities>): Observed {
  const sizes: number[] = []
  let gate: Promise<void> | undefined
  let open: () => void = () => {}
  const pass = <T>(items: number, run: () => Awaitable<T>): Awaitable<T> => {
    sizes.push(items)
    return gate === undefined ? run() : gate.then(run)
  }
  return {
    store: {
      name: inner.name,
      capabilities: { ...inner.capabilities, ...capabilities },
      native: inner.native,
      read: (reads, options) => pass(reads.length, () => inner.read(reads, options)),
      write: (mutations, options) => pass(mutations.length, () => inner.write(mutations, options)),
      scan: (range, options) => {
        sizes.push(0)
        return gate === undefined
          ? inner.scan(range, options)
          : pagesAfter(gate, () => inner.scan(range, options))
      },
      close: () => inner.close(),
    },
    get calls() {
      return sizes.length
    },
    sizes,
    hold: () => {
      gate = new Promise((resolve) => {
        open = resolve
      })
    },
    pass: () => {
      gate = undefined
    },
    release: () => {
      gate = undefined
      open()
    },
  }
}

async function* pagesAfter(gate: Promise<void>, pages: () => Pages<unknown>): AsyncGenerator<Page<unknown>> {
  await gate
  yield* pages()
}
