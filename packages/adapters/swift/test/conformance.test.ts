import { conformance, topicsOfRequests, topicsOfServers } from '@unikv/conformance'
import { within } from '@unikv/core/adapter'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { swift } from '../src/index.ts'
import { encodeName } from '../src/object-name.ts'
import { authOf, container, freshPrefix } from './swift-bench.ts'

describeWith('swift', async (url) => {
  const prefixes = new WeakMap<object, string>()
  const open = (prefix: string) => {
    const store = swift({ auth: authOf(url), container, prefix, prepare: true })
    prefixes.set(store, prefix)
    return store
  }

  test('statistics tell of the container', async () => {
    const store = open(freshPrefix())
    const size = { records: expect.any(Number), storedBytes: expect.any(Number), scope: 'database' }
    expect(await store.statistics?.(within(20_000))).toMatchObject(size)
    await store.close()
  })

  await conformance({
    test,
    describe,
    topics: isWhole ? topicsOfServers : topicsOfRequests,
    keyStep: isWhole ? 1 : 10,
    open: () => open(freshPrefix()),
    reopen: (store) => open(prefixes.get(store) as string),
    corrupt: async (store, key) => {
      const path = `/${container}/${prefixes.get(store)}/${encodeURIComponent(encodeName(key))}`
      const headers = { 'content-type': 'application/vnd.unikv' }
      await (store as ReturnType<typeof open>).native.fetch(path, {
        method: 'PUT',
        headers,
        body: 'no record',
      })
    },
  })
})
