import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Bytes, Store } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { stores } from '../src/facts.ts'
import { features } from '../src/features.ts'
import { findStores } from '../src/find-stores.ts'
import { open } from '../src/open.ts'
import * as openers from '../src/openers.ts'
import { kindOf, schemes, table } from '../src/table.ts'

const namesOf = (query: Parameters<typeof findStores>[1]): string[] =>
  findStores(stores, query).map(({ store }) => store.name)

describe.each(stores.map((store) => [store.name, store] as const))('what is known of %s', (name, store) => {
  test('is about the store that its URLs open', () => {
    for (const url of store.urls) {
      const opened: Store<Bytes> = open(url)
      const [first] = store.variants
      expect(Object.keys(opened.capabilities).toSorted()).toEqual(Object.keys(first!.capabilities).toSorted())
      expect(opened.name.startsWith(name)).toBe(true)
    }
  })

  test('explains every consistency level that it declares, and no other', () => {
    const declared = new Set(store.variants.flatMap(({ capabilities }) => capabilities.consistency))
    expect(Object.keys(store.consistency).toSorted()).toEqual([...declared].toSorted())
  })
})

const withDrivers = stores.filter(({ drivers }) => drivers.length > 0)

test.each(withDrivers.map((store) => [store.name, store] as const))(
  '%s names drivers that its adapter declares',
  (_name, store) => {
    const path = fileURLToPath(import.meta.resolve(`${store.adapter}/package.json`))
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const { peerDependencies = {}, dependencies = {} } = manifest as Record<string, Record<string, string>>
    const declared = [...Object.keys(peerDependencies), ...Object.keys(dependencies)]
    expect(declared).toEqual(expect.arrayContaining([...store.drivers]))
  },
)

test('every scheme belongs to a store that is described', () => {
  const described = stores.flatMap(({ urls }) => urls.map((url) => kindOf(url.split(':', 1)[0] as string)))
  const missing = schemes.filter((scheme) => !described.includes(kindOf(scheme)))
  expect(missing).toEqual([])
})

test('the table loads the openers that are there at once', async () => {
  const loaded = Object.entries(table).map(async ([kind, { load }]) => [kind, await load()] as const)
  expect(Object.fromEntries(await Promise.all(loaded))).toEqual({ ...openers })
})

describe('finding stores', () => {
  test('goes by what is declared', () => {
    for (const [name, { holds }] of Object.entries(features)) {
      const expected = stores.filter(({ variants }) =>
        variants.some(({ capabilities }) => holds(capabilities)),
      )
      expect(namesOf({ with: [name] })).toEqual(expected.map((store) => store.name))
    }
  })

  test('asks one set of options for everything', () => {
    const [found] = findStores(stores, { with: ['sync', 'conditionalWrite'], durability: 'flushed' })
    expect(found).toMatchObject({ store: { name: 'file' }, variant: { options: 'sync: true' } })
    expect(namesOf({ with: ['conditionalWrite', 'ttl'], minValueBytes: 20_000_000 })).not.toContain('mysql')
    expect(namesOf({ with: ['conditionalWrite', 'ttl'], minValueBytes: 10_000_000 })).toContain('mysql')
    expect(namesOf({ minKeyBytes: 60_000 })).toContain('redis')
    expect(namesOf({ without: ['scan'] })).not.toContain('redis')
  })
})
