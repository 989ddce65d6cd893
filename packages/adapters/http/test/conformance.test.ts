import { conformance, topicsOfRequests } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { isWhole } from '@unikv/test-kit/vitest'
import { afterAll, describe, test } from 'vitest'
import { type HttpStoreOptions, httpStore } from '../src/store/index.ts'
import { served } from './served.ts'

const server = await served()
afterAll(() => server.close())

/** Requests, and the end of a store. What KeyValue alone does with calls other stores prove. */
const topicsWithClosing = new RegExp(`${topicsOfRequests.source}|^(lifecycle|cancellation)`)

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
    topics: isWhole ? undefined : topicsWithClosing,
    keyStep: isWhole ? 1 : 5,
    open: async () => open(await server.fresh()),
    reopen: (store) => open(opened.get(store) as HttpStoreOptions),
  })
})
