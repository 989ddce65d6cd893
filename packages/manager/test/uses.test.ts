import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { loadConfig, openStores } from '../src/index.ts'

const folder = await mkdtemp(join(tmpdir(), 'unikv-uses-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const User = z.object({ name: z.string(), born: z.coerce.date() })

test.each(['json', 'structured'])(
  'a program gives the schema of a loaded configuration to %s',
  async (codec) => {
    const file = join(folder, 'unikv.config.yaml')
    await writeFile(
      file,
      `stores: { users: { url: 'memory:', layers: [cache, ${codec}] }, visits: 'memory:' }`,
    )
    const uses = { users: { schema: User }, visits: { needs: ['increment', 'scan'] } } as const
    await using manager = await openStores(await loadConfig(file), { uses })
    const { users, visits } = manager.stores
    const ada = { name: 'Ada', born: new Date(0) }
    await users.set('ada', ada)
    expect(await users.get('ada')).toEqual(ada)
    expectTypeOf(await users.get('ada')).toEqualTypeOf<{ name: string; born: Date } | undefined>()
    expect(await visits.increment('home')).toBe(1)
    expect(await visits.count()).toBe(1)
    await expect(users.set('bob', { name: 1 } as never)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    expectTypeOf(manager.stores).not.toHaveProperty('other')
  },
)

describe('a configuration that does not fit the program is refused:', () => {
  const stores = {
    users: { url: 'memory:', layers: ['json'] },
    blobs: 'memory:',
    far: 'memcached://h',
  } as const

  test.each<[string, object, string]>([
    [
      'a store that is not there',
      { user: {} },
      "the program uses a store 'user', which is not there. Did you mean 'users'?",
    ],
    [
      'a schema without a codec',
      { blobs: { schema: User } },
      'stores.blobs.layers: the program has a schema for its values, so one of',
    ],
    [
      'a feature that the store lacks',
      { far: { needs: ['ttl', 'scan'] } },
      'stores.far: the program needs scan, which this store',
    ],
    [
      'a feature that layers take away',
      { users: { needs: ['increment'] } },
      'stores.users: the program needs increment',
    ],
    ['a feature that does not exist', { users: { needs: ['scam'] } }, "'scam' is not a feature"],
    ['a misspelt option', { users: { shema: User } }, '`shema`'],
    ['what is no schema', { users: { schema: {} } }, 'takes a Standard Schema'],
    [
      'needs that are no list',
      { users: { needs: 'scan' } },
      'uses.users.needs: it must be a list of features',
    ],
    ['nothing', { users: null }, 'uses.users'],
    ['a list', [], 'uses: it must be an object'],
  ])('%s', async (_, uses, words) => {
    const opened = openStores({ stores }, { uses } as never)
    await expect(opened).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(words),
    })
  })
})
