import { type Json, json, type Schema, text } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { structured } from '@unikv/core/structured'
import { describe, expectTypeOf, test } from 'vitest'
import { type Cache, createCache, loaded, notModified } from '../src/index.ts'

interface User {
  readonly name: string
}

const ada: User = { name: 'Ada' }

describe('the types of an explicit cache', () => {
  test('a loader that may say absent gives undefined too, one that may not does not', () => {
    const users = createCache<User>()
    expectTypeOf(users.cached('a', () => ada)).toEqualTypeOf<Promise<User>>()
    expectTypeOf(users.cached('a', async () => ada)).toEqualTypeOf<Promise<User>>()
    expectTypeOf(users.cached('a', () => loaded(ada, { version: 'v1' }))).toEqualTypeOf<Promise<User>>()
    expectTypeOf(
      users.cached('a', ({ ifNotVersion }) => (ifNotVersion === 'v1' ? notModified() : loaded(ada))),
    ).toEqualTypeOf<Promise<User>>()
    expectTypeOf(users.cached('a', async (): Promise<User | undefined> => ada)).toEqualTypeOf<
      Promise<User | undefined>
    >()
    // oxlint-disable-next-line no-explicit-any -- what untyped drivers answer
    expectTypeOf(users.cached('a', (): any => ada)).toEqualTypeOf<Promise<User | undefined>>()
    expectTypeOf(users.get('a')).toEqualTypeOf<Promise<User | undefined>>()
    const find = users.wrap(async (tenant: string, id: number) => ({ name: `${tenant}${id}` }), {
      key: (tenant, id) => `${tenant}/${id}`,
    })
    expectTypeOf(find).toEqualTypeOf<(tenant: string, id: number) => Promise<User>>()
  })

  test('a loader of something else is refused, and so is such a value', () => {
    const users = createCache<User>()
    // @ts-expect-error a number is no User
    void users.cached('a', () => 5)
    // @ts-expect-error a promise of a number neither
    void users.cached('a', async () => 5)
    // @ts-expect-error nor a loaded one
    void users.cached('a', () => loaded(5))
    // @ts-expect-error a key is a string
    void users.cached(5, () => ada).catch(() => {})
    // @ts-expect-error a number is no User
    void users.put('a', 5)
  })

  test('V is that of the codec, if nothing else says it', () => {
    const schema: Schema<User> = {
      '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as User }) },
    }
    expectTypeOf(createCache({ below: { store: memory(), codec: json(schema) } })).toEqualTypeOf<
      Cache<User>
    >()
    expectTypeOf(createCache({ below: { store: memory(), codec: text() } })).toEqualTypeOf<Cache<string>>()
    expectTypeOf(createCache({ below: { store: memory(), codec: json() } })).toEqualTypeOf<Cache<Json>>()
    expectTypeOf(createCache<User>({ below: { store: memory() } })).toEqualTypeOf<Cache<User>>()
    expectTypeOf(createCache<User>({ below: { store: memory(), codec: structured() } })).toEqualTypeOf<
      Cache<User>
    >()
  })
})
