import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { type AnyKeyValue, type HttpOptions, http } from '../src/index.ts'
import { type Listening, type ListenOptions, listen } from '../src/node/index.ts'
import { capabilitiesOf, type HttpStoreOptions } from '../src/store/index.ts'

/** The secret of the tests. */
export const token = 'a-token-of-the-tests'

/** A server whose stores are made when they are named for the first time. */
export interface TestServer extends Listening {
  /** The options of a store of its own, with all that it can do. */
  fresh(through?: string): Promise<HttpStoreOptions>
}

/** A server over memory that listens. */
export async function served(
  options: Partial<HttpOptions> = {},
  listening: ListenOptions = {},
  make: () => AnyKeyValue = () => keyValue(memory()),
): Promise<TestServer> {
  const stores: Record<string, AnyKeyValue> = {}
  const protection = options.unprotected ? {} : { tokens: [{ name: 'test', token, may: 'write' as const }] }
  const server = await listen(
    http(() => stores, { ...protection, ...options }),
    listening,
  )
  // `fetch` keeps a connection for a second less than the server says, and tests wait until none is left.
  server.server.keepAliveTimeout = 2_000
  return {
    ...server,
    async fresh(through = server.url) {
      const name = `store-${Object.keys(stores).length}`
      stores[name] = make()
      const capabilities = await capabilitiesOf({ url: `${server.url}/${name}`, token })
      return { url: `${through.replace(/\/$/, '')}/${name}`, token, capabilities }
    },
  }
}
