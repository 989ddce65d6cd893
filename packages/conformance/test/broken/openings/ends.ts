import { setTimeout as pause } from 'node:timers/promises'
import type { Line } from '../../line-store/line.ts'
import { shelf } from '../../shelf/shelf.ts'
import type { ShelfHooks } from '../../shelf/shelf-opening.ts'
import { type BrokenOpening, changed, failing, making } from './broken-opening.ts'

const handed = 'a client that was handed in is used, is the native one, and stays open and as it was'
const before = 'a store that was closed before its first call is CLOSED to every call, and leaves nothing'
const during = 'a store that is closed while it opens ends every call, and leaves nothing'
const after = 'a store that was used and closed is CLOSED to every call, and leaves nothing'

/** Adapters that do not end as they should, or take over what is not theirs. */
export const ends: readonly BrokenOpening[] = [
  {
    fault: 'shows another client than was handed in',
    found: handed,
    ...making((given) => changed(shelf(given), { native: 'mine' })),
  },
  {
    fault: 'closes the client that was handed in',
    found: handed,
    ...making((given) => {
      const store = shelf(given)
      return changed(store, {
        close: async () => {
          await store.close()
          given.client?.destroy()
        },
      })
    }),
  },
  {
    fault: 'leaves a listener on the client that was handed in',
    found: handed,
    breaks: ({ client }) => ({
      client: async () => {
        const given = await (client as NonNullable<ShelfHooks['client']>)()
        const { socket } = given.client as Line
        return { ...given, client: socket }
      },
      make: (given) => {
        given.client?.socket.on('drain', () => {})
        return changed(shelf(given), { native: given.client?.socket })
      },
    }),
  },
  {
    fault: 'answers once after it was closed unused',
    found: before,
    ...making((given) => {
      let store = shelf(given)
      let isUsed = false
      return changed(store, {
        read: (reads, call) => {
          isUsed = true
          return store.read(reads, call)
        },
        close: async () => {
          await store.close()
          if (!isUsed) store = shelf(given)
        },
      })
    }),
  },
  {
    fault: 'leaves the connection that it was opening when it was closed',
    found: during,
    ...making((given) => {
      const [store, other] = [shelf(given), shelf(given)]
      let isReady = false
      return changed(store, {
        write: (all, call) => {
          void other.open().then(
            () => (isReady = true),
            () => {},
          )
          return store.write(all, call)
        },
        close: async () => {
          const isOpen = isReady
          await store.close()
          if (isOpen) await other.close()
        },
      })
    }),
  },
  {
    fault: 'ends what waits with an error of its own when it is closed',
    found: during,
    ...failing((error) => {
      throw error.code === 'CLOSED' ? new Error('closed') : error
    }),
  },
  {
    fault: 'answers what comes after it was closed',
    found: after,
    ...making((given) => {
      const store = shelf(given)
      return changed(store, {
        close: async () => {
          await pause(0)
        },
      })
    }),
  },
  {
    fault: 'misses what it is asked for after it was closed',
    found: after,
    ...failing((error) => {
      if (error.code !== 'CLOSED') throw error
      return [undefined]
    }),
  },
]
