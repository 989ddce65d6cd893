import { StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { shelf } from '../../shelf/shelf.ts'
import { type BrokenOpening, changed, failing, making } from './broken-opening.ts'

const nowhere = 'a server that is not there is UNAVAILABLE with its address, and nothing was sent'
const silent = 'a server that says nothing keeps no call beyond its deadline, and no store open'
const denied = 'a wrong password is ACCESS_DENIED to every call, and neither error nor store tells it'

/** Adapters that do not cope with a server that is absent, silent or refuses. */
export const servers: readonly BrokenOpening[] = [
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
