import { AsyncLocalStorage } from 'node:async_hooks'
import { networkFaults } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { ownServer } from '@unikv/test-kit'
import { describeLies, describeWithOwn, networkRun } from '@unikv/test-kit/vitest'
import { afterAll, describe } from 'vitest'
import { type UpstashOptions, upstash } from '../src/upstash/upstash.ts'
import { freshDataset } from './fresh.ts'
import { restServer, token } from './rest-server.ts'

describeWithOwn('redis', async () => {
  const server = await ownServer('redis')
  const rest = await restServer(server.url)
  afterAll(async () => {
    await rest.close()
    await server.stop()
  })
  const open = (options: Partial<UpstashOptions>) =>
    upstash({ url: rest.url, token, dataset: freshDataset(), ...options })

  describe('lies of who stands between', () => {
    // All commands go to one path, so the request says whose it is.
    const writing = new AsyncLocalStorage<true>()
    const send = (url: string, init: RequestInit) => {
      const headers = [...(init.headers as [string, string][]), ['x-write', String(writing.getStore())]]
      return fetch(url, { ...init, headers: headers as [string, string][] })
    }
    describeLies({
      url: rest.url,
      open: (url) => {
        const store = open({ url, fetch: send }) as Store<Bytes>
        const write = store.write.bind(store)
        return Object.defineProperty(store, 'write', {
          value: (...args: Parameters<typeof write>) => writing.run(true, () => write(...args)),
        })
      },
      isWrite: ({ headers }) => headers['x-write'] === 'true',
    })
  })

  describe('faults of the network', async () => {
    const dataset = freshDataset()
    const through = (url: string) => open({ url: url.replace(/^\w+:/, 'http:'), dataset }) as Store<Bytes>
    await networkFaults({ ...networkRun(rest.url), open: through, direct: () => through(rest.url) })
  })
})
