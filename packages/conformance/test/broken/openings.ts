import { setTimeout as pause } from 'node:timers/promises'
import { type Bytes, type CallOptions, isStoreError, type Store, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import type { Line } from '../line-store/line.ts'
import { behind, prepareShelf, type ShelfOptions, shelf } from '../shelf/shelf.ts'
import { module, type ShelfHooks } from '../shelf/shelf-opening.ts'

/** An adapter with one fault, and the case of `opening` that must find it. */
export interface BrokenOpening {
  readonly fault: string
  /** Title of a case that must fail. */
  readonly found: string
  /** The hooks in place of the sound ones. */
  readonly breaks: (sound: ShelfHooks) => Partial<ShelfHooks>
}

type Make = (options: ShelfOptions) => Store<Bytes>

const making = (make: Make): Pick<BrokenOpening, 'breaks'> => ({ breaks: () => ({ make }) })

/** A store whose verbs are other ones. */
function changed(store: Store<Bytes>, verbs: Partial<Store<Bytes>>): Store<Bytes> {
  const { name, capabilities, native } = store
  return {
    name,
    capabilities,
    native,
    read: (reads, call) => store.read(reads, call),
    write: (mutations, call) => store.write(mutations, call),
    scan: (range, call) => store.scan(range, call),
    close: () => store.close(),
    ...verbs,
  }
}

/** A store that makes something else of the errors of its reads and writes. */
function failing(
  failed: (error: StoreError, options: ShelfOptions, call: CallOptions) => unknown,
): Pick<BrokenOpening, 'breaks'> {
  return making((options) => {
    const store = shelf(options)
    const run = async (work: () => unknown, call: CallOptions): Promise<never> => {
      try {
        return (await work()) as never
      } catch (error) {
        if (!isStoreError(error)) throw error
        return failed(error, options, call) as never
      }
    }
    return changed(store, {
      read: (reads, call) => run(() => store.read(reads, call), call),
      write: (mutations, call) => run(() => store.write(mutations, call), call),
    })
  })
}

/** What makes a store of these options, if it can. */
function refusing(
  refused: (options: ShelfOptions, error: StoreError) => never,
): Pick<BrokenOpening, 'breaks'> {
  return making((options) => {
    try {
      return shelf(options)
    } catch (error) {
      return refused(options, error as StoreError)
    }
  })
}

const unknown = 'an option that is not known is refused, with the name that was meant'
const wrong = 'a name with a secret: refused in a sentence that tells no secret'
const nowhere = 'a server that is not there is UNAVAILABLE with its address, and nothing was sent'
const silent = 'a server that says nothing keeps no call beyond its deadline, and no store open'
const denied = 'a wrong password is ACCESS_DENIED to every call, and neither error nor store tells it'
const missing = 'what was not prepared is NOT_PREPARED to every call, which makes nothing and says what to do'
const again = 'to prepare again, four times at once, is fine and loses nothing'
const foreign = 'a shelf of others: refused to every call, prepared or not, and left as it was'
const handed = 'a client that was handed in is used, is the native one, and stays open and as it was'
const before = 'a store that was closed before its first call is CLOSED to every call, and leaves nothing'
const during = 'a store that is closed while it opens ends every call, and leaves nothing'
const after = 'a store that was used and closed is CLOSED to every call, and leaves nothing'

const options: readonly BrokenOpening[] = [
  {
    fault: 'takes what it does not know',
    found: unknown,
    ...making(({ shelf: name, address, password, prepare }) =>
      shelf({ shelf: name, address, password, prepare }),
    ),
  },
  {
    fault: 'does not say which name was meant',
    found: unknown,
    ...refusing((_, error) => {
      throw new StoreError(
        'INVALID_CONFIG',
        error.message.replace(/Did you mean.*/, 'Look at the documentation.'),
      )
    }),
  },
  {
    fault: 'takes no options for those by default',
    found: 'what is not an object of options is refused',
    ...making((given) => shelf(given ?? { shelf: 'all' })),
  },
  {
    fault: 'shows the value that it refuses',
    found: wrong,
    ...refusing((given) => {
      throw new StoreError('INVALID_CONFIG', `The name ${given.shelf} is not one of a shelf.`)
    }),
  },
  {
    fault: 'hides the value that it refuses in the cause',
    found: wrong,
    ...refusing((given, { message }) => {
      throw new StoreError('INVALID_CONFIG', message, { cause: new Error(given.shelf) })
    }),
  },
  {
    fault: 'refuses in a word',
    found: wrong,
    ...refusing(() => {
      throw new StoreError('INVALID_CONFIG', 'shelf')
    }),
  },
  {
    fault: 'refuses with an error of its own',
    found: wrong,
    ...refusing(() => {
      throw new TypeError('The name is not one of a shelf.')
    }),
  },
  {
    fault: 'refuses with the first call',
    found: wrong,
    ...refusing(() => shelf({ shelf: 'all' }) as never),
  },
]

const beginnings: readonly BrokenOpening[] = [
  {
    fault: 'holds a timer before its first call',
    found: 'a store that nobody has called holds nothing',
    ...making((given) => {
      setTimeout(() => {}, 500)
      return shelf(given)
    }),
  },
  {
    fault: 'connects before its first call',
    found: 'a store that nobody has called connects to nobody, and closes so',
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

const servers: readonly BrokenOpening[] = [
  {
    fault: 'calls a server that is not there one that took too long',
    found: nowhere,
    ...failing(({ message }) => {
      throw new StoreError('TIMEOUT', message)
    }),
  },
  {
    fault: 'says that a server which is not there will never be',
    found: nowhere,
    ...failing(({ code, message }) => {
      throw new StoreError(code, message, { retryable: false })
    }),
  },
  {
    fault: 'does not say which server is not there',
    found: nowhere,
    ...failing(({ code }) => {
      throw new StoreError(code, 'The server cannot be reached.')
    }),
  },
  {
    fault: 'says that it may have sent what it could not',
    found: nowhere,
    ...failing((error, _, call) => {
      call.sent = true
      throw error
    }),
  },
  {
    fault: 'shows its password where the server is not there',
    found: nowhere,
    ...failing(({ code, message }, given) => {
      throw new StoreError(code, message, { cause: { password: given.password } })
    }),
  },
  {
    fault: 'has its password for all to see',
    found: nowhere,
    ...making((given) => Object.assign(shelf(given), { options: given })),
  },
  {
    fault: 'remembers that there was no server',
    found: 'a store that began before its server works when that is there',
    ...making((given) => {
      const store = shelf(given)
      let failure: Error | undefined
      return changed(store, {
        read: async (reads, call) => {
          if (failure !== undefined) throw failure
          return Promise.resolve(store.read(reads, call)).catch((error: unknown) => {
            failure = error as Error
            throw failure
          })
        },
      })
    }),
  },
  {
    fault: 'gives up on a silent server in its own time',
    found: silent,
    ...making((given) => {
      const store = shelf(given)
      const late = { deadlineAt: performance.now() + 100 }
      return changed(store, {
        read: (reads) =>
          Promise.resolve(store.read(reads, callOptions(late))).catch(() => {
            throw new StoreError('UNAVAILABLE', 'The server does not answer.')
          }),
      })
    }),
  },
  {
    fault: 'waits for a silent server when it is closed',
    found: silent,
    ...making((given) => {
      const store = shelf(given)
      let opened: Promise<unknown> = Promise.resolve()
      return changed(store, {
        read: (reads, call) => {
          opened = store.open()
          opened.catch(() => {})
          return store.read(reads, call)
        },
        close: async () => {
          await opened
          await store.close()
        },
      })
    }),
  },
  {
    fault: 'takes a wrong password for a record that is not there',
    found: denied,
    ...failing((error) => {
      if (error.code !== 'ACCESS_DENIED') throw error
      return [undefined]
    }),
  },
  {
    fault: 'repeats the password that was refused',
    found: denied,
    ...failing((error, given) => {
      throw error.code === 'ACCESS_DENIED'
        ? new StoreError('ACCESS_DENIED', `${given.password} is refused.`)
        : error
    }),
  },
  {
    fault: 'says that a wrong password may be right next time',
    found: denied,
    ...failing(({ code, message }) => {
      throw new StoreError(code, message, { retryable: true })
    }),
  },
  {
    fault: 'goes on without TLS where there is none',
    found: 'a server without TLS is UNAVAILABLE where TLS is asked for, and nothing was sent',
    ...making((given) =>
      shelf(typeof given === 'object' && given?.tls === true ? { ...given, tls: false } : given),
    ),
  },
]

const preparing: readonly BrokenOpening[] = [
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
      throw error.code === 'NOT_PREPARED' ? new StoreError('NOT_PREPARED', 'There is no such shelf.') : error
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

const ends: readonly BrokenOpening[] = [
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

/** Adapters that are not opened as they should be. */
export const brokenOpenings: readonly BrokenOpening[] = [
  ...options,
  ...beginnings,
  ...servers,
  ...preparing,
  ...ends,
]
