import { shelf } from '../../shelf/shelf.ts'
import { module } from '../../shelf/shelf-opening.ts'
import { type BrokenOpening, changed, making } from './broken-opening.ts'

/** Adapters that begin too early, or wait where they should not. */
export const beginnings: readonly BrokenOpening[] = [
  {
    fault: 'holds a timer before its first call',
    found: 'a store before its first call holds nothing',
    ...making((given) => {
      setTimeout(() => {}, 500)
      return shelf(given)
    }),
  },
  {
    fault: 'connects before its first call',
    found: 'a store before its first call makes no connection, and closes so',
    ...making((given) => {
      const store = shelf(given)
      store.open().catch(() => {})
      return store
    }),
  },
  {
    fault: 'opens twice, and closes once',
    found: 'first calls that come at once are all answered, and the store leaves nothing when it is closed',
    ...making((given) => changed(shelf(given), { read: (reads, call) => shelf(given).read(reads, call) })),
  },
  {
    fault: 'loads its driver with itself',
    found: 'neither import nor making a store loads a driver',
    breaks: () => ({ module: module('eager-adapter') }),
  },
]
