import { StoreError } from '@unikv/core'
import { behind, prepareShelf, shelf } from '../../shelf/shelf.ts'
import { module, type ShelfHooks } from '../../shelf/shelf-opening.ts'
import { type BrokenOpening, changed, failing, making } from './broken-opening.ts'

const missing = 'what was not prepared is NOT_PREPARED to every call, which makes nothing and says what to do'
const again = 'to prepare again, four times at once, is fine and loses nothing'
const foreign = 'a shelf of others: refused to every call, prepared or not, and left as it was'

/** Adapters that do not prepare as they should. */
export const preparing: readonly BrokenOpening[] = [
  {
    fault: 'makes what is missing without being asked to',
    found: missing,
    ...making((given) => shelf({ ...given, prepare: true })),
  },
  {
    fault: 'takes what is missing for empty',
    found: missing,
    ...failing((error) => {
      if (error.code !== 'NOT_PREPARED') throw error
      return [undefined]
    }),
  },
  {
    fault: 'does not say what to do about what is missing',
    found: missing,
    ...failing((error) => {
      throw error.code === 'NOT_PREPARED'
        ? new StoreError('NOT_PREPARED', 'The shelf does not exist.')
        : error
    }),
  },
  {
    fault: 'remembers that it was not prepared',
    found: 'a store that was not prepared works once it is, without being opened anew',
    ...making((given) => {
      const store = shelf(given)
      let failure: Error | undefined
      return changed(store, {
        read: async (reads, call) => {
          try {
            return await store.read(reads, call)
          } catch (error) {
            failure = error as Error
            throw failure
          }
        },
        write: async (all, call) => {
          if (failure !== undefined) throw failure
          return store.write(all, call)
        },
      })
    }),
  },
  {
    fault: 'ignores that it was asked to prepare',
    found: 'the first call prepares where it was asked to',
    ...making((given) => shelf({ ...given, prepare: false })),
  },
  {
    fault: 'empties what it prepares again',
    found: again,
    breaks: ({ preparing: sound }) => ({
      preparing: {
        ...(sound as NonNullable<ShelfHooks['preparing']>),
        prepare: async (given) => {
          await prepareShelf(given)
          await behind(given.address ?? '', { type: 'delete', key: `${given.shelf}/key` })
        },
      },
    }),
  },
  {
    fault: 'prepares once',
    found: again,
    breaks: ({ preparing: sound }) => {
      const known = new Set<string>()
      return {
        preparing: {
          ...(sound as NonNullable<ShelfHooks['preparing']>),
          prepare: async (given) => {
            if (known.has(given.shelf)) throw new Error('There is a shelf of this name.')
            known.add(given.shelf)
            await prepareShelf(given)
          },
        },
      }
    },
  },
  {
    fault: 'prepares in one process alone',
    found: 'two processes may prepare it at the same time',
    breaks: () => ({ module: module('shelf-adapter', 'prepareShelfOnce') }),
  },
  {
    fault: 'misses its records where the shelf went away',
    found: 'what goes away while the store is open is NOT_PREPARED to every call, never a miss',
    ...failing((error) => {
      if (error.code !== 'NOT_PREPARED') throw error
      return [undefined]
    }),
  },
  {
    fault: 'finds nothing on a shelf of others',
    found: foreign,
    ...failing((error) => {
      if (error.code !== 'INVALID_CONFIG') throw error
      return [undefined]
    }),
  },
  {
    fault: 'takes a shelf of others',
    found: foreign,
    ...making((given) => {
      const store = shelf(given)
      return changed(store, {
        write: async (all, call) => {
          await behind(given.address ?? '', { key: `!${given.shelf}` })
          return store.write(all, call)
        },
      })
    }),
  },
  {
    fault: 'changes a shelf of others before it refuses it',
    found: foreign,
    ...making((given) => {
      const store = shelf(given)
      return changed(store, {
        close: async () => {
          await store.close()
          if (given.address !== undefined) await behind(given.address, { key: `!${given.shelf}` })
        },
      })
    }),
  },
  {
    fault: 'prepares a shelf of others',
    found: foreign,
    breaks: ({ preparing: sound }) => ({
      preparing: { ...(sound as NonNullable<ShelfHooks['preparing']>), prepare: async () => {} },
    }),
  },
]
