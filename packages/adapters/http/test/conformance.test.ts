import { conformance } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { afterAll, describe, test } from 'vitest'
import { type HttpStoreOptions, httpStore } from '../src/store/index.ts'
import { served } from './served.ts'

const server = await served()
afterAll(() => server.close())

describe('over memory', async () => {
  const opened = new WeakMap<object, HttpStoreOptions>()
  const open = (options: HttpStoreOptions): Store<Bytes> => {
    const store = httpStore(options)
    opened.set(store, options)
    return store
  }
  await conformance({
    test,
    describe,
    open: async () => open(await server.fresh()),
    reopen: (store) => open(opened.get(store) as HttpStoreOptions),
  })
})
